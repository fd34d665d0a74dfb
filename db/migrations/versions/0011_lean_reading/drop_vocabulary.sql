drop view recollect_read_v1.vocabulary;
drop trigger vocabulary_after_insert on recollect.embeddings;
drop trigger vocabulary_after_update on recollect.embeddings;
drop trigger vocabulary_after_delete on recollect.embeddings;
drop trigger vocabulary_after_insert on recollect.turns;
drop trigger vocabulary_after_delete on recollect.turns;
drop function recollect.words_came, recollect.words_went, recollect.words_changed, recollect.count_words;
drop type recollect.worded;
drop table recollect.vocabulary;
