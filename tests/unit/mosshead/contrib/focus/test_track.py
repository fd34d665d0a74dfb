"""What a conversation has in focus, turn by turn, and what its words refer to."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.contrib.focus import FocusKnowledge, FocusState, FocusTurn, Pair, track
from mosshead.contrib.focus.coreference import SCENE_SCORES, TOPIC_SCORES
from tests.tracking_given import known, meant, names, near, said

LAUNCH = known("Can it go out today?", near=near(How_to_launch_a_boat=0.5))


@pytest.mark.parametrize(
    ("messages", "words", "whom"),
    [
        (("Nora is here.", "Ask her."), "her", {"Nora Finch"}),
        (("Nora met Otto.", "What does he want?"), "he", {"Otto Reiss"}),
        (("Otto saw Ivan.", "He waved."), "he", {"Otto Reiss"}),  # the subject before the object
        (("The letter came from Otto. Ivan read it.", "He laughed."), "he", {"Ivan Brook"}),
        (("Nora rang.", ">Otto did as well.", "Tell him yes."), "him", {"Otto Reiss"}),
        (
            ("Otto is here.", ">Hm.", ">Hm.", "Nora sat with Ivan.", "He left."),
            "he",
            {"Ivan Brook"},
        ),  # the first was long ago
        (("Otto is on leave, so he rests.",), "he", {"Otto Reiss"}),
        (("Ivan is late.", "Otto will call him."), "him", {"Ivan Brook"}),  # not the subject of its own clause
        (("Marlow is late.", "She overslept.", "Ivan is on time.", "Where is she?"), "she", {"Kit Marlow"}),
        (("Otto and Ivan are out.", "Both of them have keys."), "both of them", {"Otto Reiss", "Ivan Brook"}),
        (("Otto and Ivan are out, they have keys.",), "they", {"Otto Reiss", "Ivan Brook"}),
        (("Otto is out.", "Ask Ivan.", "And let the other one know."), "the other one", {"Otto Reiss"}),
        (("Brightwater is slow, have they replied?",), "they", {"Brightwater"}),
        (("About the Regatta: is it sold out?",), "it", {"Spring Regatta"}),
        (("The Regatta is in May.", "Is that one full?"), "that one", {"Spring Regatta"}),
    ],
)
def test_references_are_resolved(messages: tuple[str, ...], words: str, whom: set[str]) -> None:
    assert meant(said(*messages))[words] == whom


@pytest.mark.parametrize(
    "messages",
    [
        ("He is late.",),  # nobody was mentioned
        ("Nora is here.", "Is it cold, or is he?"),  # nobody of that gender
        ("The Regatta is in May.", "It's raining."),
        ("Otto has a van.", "Is it blue?"),  # a person is no "it"
        ("Brightwater is shut.", "Keep it dry."),  # a place is no thing
        ("Otto has vans.", "Are they blue?"),
        ("Marlow is late.", "She overslept.", "Is he in?"),  # "she" cannot become "he"
        ("Kit is late.",),  # two have the name
    ],
)
def test_words_that_mean_nobody_are_left_alone(messages: tuple[str, ...]) -> None:
    assert meant(said(*messages)) == {}


def test_shared_name_means_the_entity_in_the_scene_or_in_focus() -> None:
    assert names(said("We are at Lamplight.", "Kit is late.").topic) == {"Kit Marlow"}
    spoken = said("She is late.", state=said("Kit is here.", knowing={"Kit is here.": _bearer("Kit_Sorel")}))
    assert names(said("Kit again.", state=spoken).topic) == {"Kit Sorel"}


def _bearer(name: str) -> FocusKnowledge:
    return known("Kit is here.", bearers=near(**{name: 0.5, "Kit_Marlow": 0.2}))


def test_users_own_entity_is_the_one_the_memories_call_so() -> None:
    message = "My own Kit should not see it."
    told = known(message, described={"the user's own Kit": near(Kit_Sorel=0.7, Kit_Marlow=0.1)})
    found = said("We are at Lamplight.", "Kit is late.", message, knowing={message: told})
    assert meant(found)["my own kit"] == {"Kit Sorel"}


def test_description_means_the_entity_that_memories_describe() -> None:
    message = "Where is the sailmaker?"
    told = known(message, described={"the sailmaker": near(Otto_Reiss=0.6, Nora_Finch=0.3)})
    assert meant(said(message, knowing={message: told})) == {"the sailmaker": {"Otto Reiss"}}
    vague = known(message, described={"the sailmaker": near(Otto_Reiss=0.2)})
    assert meant(said(message, knowing={message: vague})) == {}


def test_description_has_the_gender_of_its_noun() -> None:
    message = "Where is the landlady?"
    told = known(message, described={"the landlady": near(Otto_Reiss=0.6, Nora_Finch=0.5)})
    assert meant(said(message, knowing={message: told})) == {"the landlady": {"Nora Finch"}}


def test_owner_in_a_description_is_not_the_topic() -> None:
    message = "Write to her husband."
    told = known(message, described={"the husband": near(Otto_Reiss=0.3)})
    assert names(said("Nora is ill.", message, knowing={message: told}).topic) == {"Otto Reiss"}


def test_assistant_messages_move_no_layer() -> None:
    before, after = (
        said("We are at Brightwater.", "Is Otto in?"),
        said(">Ivan is, at Lamplight.", state=said("Is Otto in?")),
    )
    assert names(before.topic) == names(after.topic) == {"Otto Reiss"}
    assert names(said(">Ivan is, at Lamplight.", state=before).scene) == {"Brightwater"}


def test_her_husband_is_one_of_her_kin_and_no_woman() -> None:
    message = "Her husband should know."
    told = known(message, described={"the husband": near(Ivan_Brook=0.6, Otto_Reiss=0.3)})
    found = said("Nora is ill.", message, knowing={message: told})
    assert meant(found) == {"her": {"Nora Finch"}, "her husband": {"Otto Reiss"}}
    assert names(found.topic) == {"Otto Reiss"}


def test_near_entity_without_a_name_is_the_topic_and_so_is_its_meaning() -> None:
    found = said(
        "We are at Brightwater.", "Can it go out today?", "Otto can do that.", knowing={"Can it go out today?": LAUNCH}
    )
    assert meant(found) == {"that": {"How to launch a boat"}}
    usual = said("Do it the usual way.", state=found)
    assert meant(usual)["the usual way"] == {"How to launch a boat"}


def test_how_we_do_it_asks_for_a_process_whoever_else_is_described() -> None:
    message = "How do we start the driver again?"
    told = known(message, near=near(How_to_launch_a_boat=0.2), described={"the driver": near(Ivan_Brook=0.6)})
    found = said("We are at Brightwater.", message, knowing={message: told})
    assert names(found.topic) == {"How to launch a boat"}
    assert names(found.mentions) == {"Ivan Brook"}
    later = message.replace("How do", "When did")
    found = said("We are at Brightwater.", later, knowing={later: told})
    assert names(found.topic) == {"Ivan Brook"}


def test_the_usual_drill_is_the_nearest_of_the_scene_if_none_was_mentioned() -> None:
    message = "And then the usual drill."
    knowing = {message: known(message, near=near(How_to_launch_a_boat=0.1))}
    found = said("We are at Brightwater.", message, knowing=knowing)
    assert meant(found) == {"the usual drill": {"How to launch a boat"}}
    assert meant(said("We are at Lamplight.", message, knowing=knowing)) == {}


def test_the_first_one_is_nobody_who_is_hardly_near() -> None:
    message = "Who has the first one?"
    knowing = {message: known(message, described={"the first one": near(Ivan_Brook=0.5)})}
    assert meant(said("We are at Lamplight.", message, knowing=knowing)) == {}


def test_organisation_that_a_sentence_is_about_is_its_topic() -> None:
    knowing = {
        text: known(text, near=near(How_to_launch_a_boat=0.6))
        for text in ("Is Brightwater open?", "Cold at Brightwater.")
    }
    assert names(said("Is Brightwater open?", knowing=knowing).topic) == {"Brightwater"}
    assert names(said("Cold at Brightwater.", knowing=knowing).topic) == {"How to launch a boat"}


def test_new_name_at_the_head_of_the_last_clause_is_the_topic() -> None:
    assert names(said("Otto is here.", "He has the list, and Ivan goes first.").topic) == {"Ivan Brook"}
    assert names(said("Otto is here.", "He shouted at Ivan.").topic) == {"Otto Reiss"}


def test_person_who_opens_the_talk_is_no_scene() -> None:
    assert not said("Is Otto in?").scene


def test_scene_stays_until_another_is_named() -> None:
    state = said("We are at Brightwater.", "Otto is late.", "It rains.", "Ask Ivan.")
    assert names(state.scene) == {"Brightwater"}
    assert names(said("Lamplight has called.", state=state).scene) == {"Lamplight"}


def test_project_that_opens_the_talk_is_its_scene_and_later_stands_for_its_organisation() -> None:
    assert names(said("The Regatta: what is open?").scene) == {"Spring Regatta"}
    assert names(said("Sorel rang.", "Is the Regatta on?").scene) == {"Brightwater"}
    assert not said("Sorel rang.", "Is Otto in?").scene


def test_topic_is_the_latest_focus_and_other_names_are_mentions() -> None:
    state = said("We are at Brightwater.", "He is seventy. Is Nora in?", state=said("Otto is here."))
    assert (names(state.topic), names(state.mentions)) == ({"Nora Finch"}, {"Otto Reiss"})
    assert names(said("Nora said it hisses.", state=said("Otto is here.")).topic) == {"Otto Reiss"}


def test_mention_is_gone_with_the_next_turn() -> None:
    state = said("Otto is here. Is Nora in?", "She is early.")
    assert "Otto Reiss" not in names(state.topic) | names(state.mentions)


def test_scores_fall_for_what_is_not_mentioned() -> None:
    now = said("Brightwater again.", "Is Otto in?", "Is Otto in?")
    scores = [(now.scene[0].score, now.topic[0].score)]
    for _ in range(3):
        now = said("Hm.", state=now)
        scores.append((now.scene[0].score, now.topic[0].score))
    assert [scene for scene, _ in scores] == [pytest.approx(score) for score in (*SCENE_SCORES[2:], 0.82 * 0.97)]
    assert [topic for _, topic in scores] == [pytest.approx(score) for score in TOPIC_SCORES]
    assert said("Hm.", state=now).topic == ()


def test_pairs_hold_the_candidates_of_each_decision() -> None:
    pairs: list[Pair] = []
    state = said("Otto saw Ivan.")
    track(state, FocusTurn(text="He waved."), known("He waved."), on_pair=pairs.append)
    about = {(one.decision, frozenset(names([one.entity_id])), one.chosen) for one in pairs}
    assert about == {
        ("pronoun", frozenset({"Otto Reiss"}), True),
        ("pronoun", frozenset({"Ivan Brook"}), False),
        ("topic", frozenset({"Otto Reiss"}), True),
    } | {
        ("topic", frozenset(names([held.entity_id])), False)
        for held in state.topic
        if names([held.entity_id]) != {"Otto Reiss"}
    }
    assert all(one.message == 1 and one.features for one in pairs)


MESSAGES = st.lists(
    st.sampled_from(
        [
            "We are at Brightwater.",
            "Lamplight has called.",
            "Is Otto in?",
            "Nora met Ivan.",
            "He waved at her.",
            "It rains.",
            "Hm.",
            ">Otto is here.",
            ">She left.",
            "Both of them, then the other one.",
            "When is the Regatta?",
            "Her husband has that one.",
        ]
    ),
    min_size=1,
    max_size=8,
)


@given(MESSAGES)
def test_result_is_the_same_at_once_or_turn_by_turn_through_json(messages: list[str]) -> None:
    now = FocusState()
    for message in messages:
        now = FocusState.from_json(json.loads(json.dumps(said(message, state=now).to_json())))
    assert now == said(*messages)


@given(MESSAGES, st.integers(1, 6))
def test_scene_stays_and_nothing_rises_where_nothing_is_named(messages: list[str], turns: int) -> None:
    before = said(*messages)
    for _ in range(turns):
        after = said("Hm, zibble frotz.", state=before)
        assert [held.entity_id for held in after.scene] == [held.entity_id for held in before.scene]
        for layer in ("scene", "topic", "mentions"):
            held = {one.entity_id: one.score for one in getattr(before, layer)}
            assert all(one.score < held[one.entity_id] for one in getattr(after, layer))
        before = after


@given(MESSAGES, st.sampled_from(["zibble", "frotz", "quondam plover"]))
def test_unknown_words_change_nothing(messages: list[str], words: str) -> None:
    plain, with_words = said(*messages), said(*(f"{message} Hm, {words}." for message in messages))
    for layer in ("scene", "seen"):
        assert [one.entity_id for one in getattr(plain, layer)] == [one.entity_id for one in getattr(with_words, layer)]
    assert [one.entity_ids for one in plain.references] == [one.entity_ids for one in with_words.references]


@given(MESSAGES, st.randoms(use_true_random=False))
def test_order_of_knowledge_decides_nothing(messages: list[str], chance: random.Random) -> None:
    def shuffled(text: str) -> FocusKnowledge:
        told = known(text)
        entities = list(told.entities.items())
        chance.shuffle(entities)
        return FocusKnowledge(entities=dict(entities), names=told.names[::-1])

    texts = {message: shuffled(message.removeprefix(">")) for message in messages}
    assert said(*messages, knowing=texts) == said(*messages)
