"""Of what is erased, what was said: messages with their vectors and words, their events, quotes. See `db.erasure.scopes`."""

from typing import Final

from db.keys import OF_LANE, of_lane

_MESSAGES: Final = "any(cast(:messages as uuid[]))"

COVERED: Final = f"""
    event.type <> 'erase' and (event.state <> 'received' or mosshead.precedes(
        event.event_id, event.publisher_id, event.publisher_sequence, event.position,
        (select erasure from mosshead.erasures as erasure
         where {of_lane("erasure")} and erasure.erasure_id = :erasure_id)))
"""
"""That an erasure takes an event: it was published before, or took effect before."""

_SHELL: Final = """
    type = 'erased', payload = jsonb_build_object('type', event.type), conversation_id = null, sequence = null, reason = null,
    occurred_at = received_at, state = case when event.state in ('received', 'dead') then 'discarded' else event.state end
"""

STATEMENTS: Final = f"""
    delete from mosshead.memory_sources where {OF_LANE} and memory_id = any(cast(:memories as uuid[]));
    update mosshead.memory_sources set quote = '' where {OF_LANE} and message_id = {_MESSAGES};
    delete from mosshead.examples where {OF_LANE} and message_id = {_MESSAGES};

    -- kept, but the vector of a turn holds the turn before it, too
    with pair as materialized (
        select message_id, model, lag(message_id) over (
            partition by model, conversation_id order by said_at, message_id) as before
        from mosshead.turns
        where {OF_LANE} and conversation_id = any(array(
            select distinct conversation_id from mosshead.turns where {OF_LANE} and message_id = {_MESSAGES}))
    ),
    after as materialized (select message_id, model from pair where before = {_MESSAGES})
    update mosshead.turns as turn set with_before = turn.embedding
    where {of_lane("turn")} and turn.message_id = any(array(select message_id from after))
      and coalesce((turn.message_id, turn.model) in (select message_id, model from after), false)
      and turn.message_id <> all(cast(:messages as uuid[]));

    delete from mosshead.turns where {OF_LANE} and message_id = {_MESSAGES};
    delete from mosshead.messages where {OF_LANE} and message_id = {_MESSAGES};
    update mosshead.events as event set {_SHELL} where {of_lane("event")} and event.event_id = {_MESSAGES};
    delete from mosshead.dead_letters where {OF_LANE} and letter_id = {_MESSAGES};

    -- Of batches that are over, or were taken away: they are asked for by nobody, and hold what was said.
    delete from mosshead.candidate_facts where {OF_LANE};
    delete from mosshead.candidate_turns where {OF_LANE};
    delete from mosshead.step_results where {OF_LANE};
    delete from mosshead.vocabulary where {OF_LANE} and holders <= 0 and lexeme <> ''
"""

_CONVERSATION: Final = f"{OF_LANE} and conversation_id = :conversation"

OF_CONVERSATION: Final = f"""
    delete from mosshead.dead_letters as letter using mosshead.events as event
    where {of_lane("letter")} and {of_lane("event")} and event.event_id = letter.letter_id
      and event.conversation_id = :conversation and {COVERED};

    update mosshead.events as event set {_SHELL}
    where {of_lane("event")} and event.conversation_id = :conversation and {COVERED};

    delete from mosshead.summaries where {_CONVERSATION};
    delete from mosshead.examples where {_CONVERSATION};
    delete from mosshead.reflection_batches where {OF_LANE} and kind = any(:kinds) and subject = :conversation;
    delete from mosshead.reflections where {OF_LANE} and kind = any(:kinds) and subject = :conversation;

    delete from mosshead.conversations where {_CONVERSATION} and not exists (
        select from mosshead.messages where {of_lane("messages")} and messages.conversation_id = :conversation)
"""
