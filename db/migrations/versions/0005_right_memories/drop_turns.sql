drop view recollect_read_v1.turns;
drop table recollect.candidate_turns, recollect.turns;
