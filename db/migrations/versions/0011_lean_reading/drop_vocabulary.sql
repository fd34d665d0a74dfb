drop view mosshead_read_v1.vocabulary;
drop trigger vocabulary_after_insert on mosshead.embeddings;
drop trigger vocabulary_after_update on mosshead.embeddings;
drop trigger vocabulary_after_delete on mosshead.embeddings;
drop trigger vocabulary_after_insert on mosshead.turns;
drop trigger vocabulary_after_delete on mosshead.turns;
drop function mosshead.words_came, mosshead.words_went, mosshead.words_changed, mosshead.count_words;
drop type mosshead.worded;
drop table mosshead.vocabulary;
