drop view mosshead_read_v1.turns;
drop table mosshead.candidate_turns, mosshead.turns;
