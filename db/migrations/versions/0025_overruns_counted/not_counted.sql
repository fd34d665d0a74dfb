alter table recollect.batches drop column overruns;
