alter table mosshead.batches drop column overruns;
