"""Properties of the offline extraction for any text."""

import time
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.models.kinds import EntityType, Role
from mosshead.safety import suspicion_of
from pipeline.models import USER, Background, KnownEntity, Message
from pipeline.rules_en import extract_offline

SAID_AT = datetime(2023, 5, 10, 14, 30, tzinfo=UTC)
MOST_SECONDS = 10.0
"""Half a second to one on a quiet machine. Quadratic work takes minutes and must fail."""

WORDS = [
    *"I my we our you he she it Peter Anna Leeds Acme WOBS brother company is am are was live lives work works at in to".split(),
    *"for from like love hate moved yesterday Friday not no actually sorry meant and but also known as remember that".split(),
    *"called named favourite process To check a the one of writers 3pm 2021 don't I'm first then".split(),
    *"can't doesn't won't FRİDAY ſunday 😀 …".split(),
    *", . ? ! : 1. - ( ) \" '".split(),
    "\n",
]
talk = st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)
contents = st.one_of(talk, st.text(max_size=200))
turns = st.lists(
    st.tuples(st.sampled_from(list(Role)), st.sampled_from([None, " ", "Caroline", "Mel"]), contents), max_size=5
)
KNOWN = Background(
    entities=(KnownEntity("Wolf of Blog Street", EntityType.ORG, ("WOBS",)), KnownEntity("Peter", EntityType.PERSON))
)


def messages(said: list[tuple[Role, str | None, str]]) -> list[Message]:
    return [
        Message(number, UUID(int=number), "c", role, speaker, content, SAID_AT)
        for number, (role, speaker, content) in enumerate(said, 1)
    ]


@given(turns)
def test_every_fact_rests_on_its_sources(said: list[tuple[Role, str | None, str]]) -> None:
    heard = messages(said)
    by_number = {message.number: message for message in heard}
    names = {USER.casefold(), "caroline", "mel", "wolf of blog street", "wobs", "peter"}

    for fact in extract_offline(heard, KNOWN):
        assert set(fact.sources) <= set(by_number)
        assert any(fact.quote in by_number[number].content for number in fact.sources)
        spoken = " ".join(
            " ".join(by_number[number].content.replace("’", "'").split()) for number in fact.sources
        ).casefold()
        for mention in fact.mentions:
            assert (
                mention.entity_type is EntityType.PROCESS
                or mention.name.casefold() in names
                or mention.name.casefold() in spoken
            )
        mentioned = {mention.name for mention in fact.mentions}
        assert {end for relation in fact.relations for end in (relation.subject, relation.object)} <= mentioned


@given(turns)
def test_extraction_is_deterministic(said: list[tuple[Role, str | None, str]]) -> None:
    assert extract_offline(messages(said), KNOWN) == extract_offline(messages(said), KNOWN)


@given(turns, turns)
def test_earlier_messages_give_no_facts(
    earlier: list[tuple[Role, str | None, str]], said: list[tuple[Role, str | None, str]]
) -> None:
    heard = [Message(m.number + 100, m.event_id, "c", m.role, m.speaker, m.content, SAID_AT) for m in messages(said)]
    facts = extract_offline(heard, Background(earlier=tuple(messages(earlier))))
    assert all(number > 100 for fact in facts for number in fact.sources)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "a ",
        "A ",
        "I ",
        "and I am ",
        "my brother ",
        "Peter of ",
        "a. ",
        "I live in Leeds. ",
        "really ",
        "To check, first ",
        "hi, ",
        "(",
        '"',
        "1. step\n",
        "1 ",
        "not ",
        "actually, ",
        "😀",
        "lol ",
        ", and my friend ",
        "remember this ",
    ],
)
def test_very_long_message_takes_only_a_moment(piece: str) -> None:
    content = piece * (50_000 // len(piece))
    started = time.process_time()
    extract_offline(messages([(Role.USER, None, content)]), Background())
    assert time.process_time() - started < MOST_SECONDS


@pytest.mark.parametrize("mark", "….!#ßⅧ")
def test_long_run_of_one_mark_is_read_once(mark: str) -> None:
    started = time.process_time()
    extract_offline(messages([(Role.USER, None, mark * 32_000)]), Background())
    suspicion_of(mark * 32_000, "", ())
    assert time.process_time() - started < MOST_SECONDS
