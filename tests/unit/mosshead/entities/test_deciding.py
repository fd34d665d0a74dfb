"""Who is meant, given what is known of each candidate for a mention."""

from uuid import UUID

from mosshead.entities.disambiguation import Evidence, Telling, disambiguate

BAKER, SKIPPER, TUTOR = (UUID(int=number) for number in (1, 2, 3))
PARENT = UUID(int=9)


def told(*words: str, described: frozenset[str] = frozenset()) -> Telling:
    return Telling(text=" ".join(words), words=words, described=described)


def known(nearest: float = 0.1, *words: str, named: frozenset[UUID] = frozenset()) -> Evidence:
    return Evidence(nearest=nearest, words=frozenset(words), named=named)


def test_much_nearer_candidate_is_meant() -> None:
    found = disambiguate(told("knead", "dough", "oven"), {BAKER: known(0.5), SKIPPER: known(0.1), TUTOR: known(0.1)})

    assert (found.status, found.entity_id) == ("resolved", BAKER)
    assert found.scores[0][0] == BAKER


def test_word_known_of_only_one_decides_who_is_meant() -> None:
    asked = told("axolotl", "aquarium", "bath", "bites")

    found = disambiguate(asked, {BAKER: known(0.3), SKIPPER: known(0.3, "axolotl", "bath"), TUTOR: known(0.3)})

    assert found.entity_id == SKIPPER


def test_word_known_of_all_decides_nothing() -> None:
    asked = told("river", "boat", "bridge")
    without = disambiguate(asked, {BAKER: known(0.4), SKIPPER: known(0.2)})

    assert disambiguate(asked, {BAKER: known(0.4, "river"), SKIPPER: known(0.2, "river")}) == without


def test_word_said_of_anybody_decides_nothing() -> None:
    asked = told("wants", "boat", "bridge")

    assert disambiguate(asked, {BAKER: known(0.4, "wants"), SKIPPER: known()}) == disambiguate(
        asked, {BAKER: known(0.4), SKIPPER: known()}
    )


def test_member_of_the_named_group_is_meant() -> None:
    asked = told("copperleaf", "closes", "early", "friday")

    found = disambiguate(asked, {BAKER: known(0.35, named=frozenset({PARENT})), SKIPPER: known(0.35)})

    assert found.entity_id == BAKER


def test_words_that_fit_two_give_a_question_about_the_two() -> None:
    asked = told("boat", "sail", "harbour", "storm")

    found = disambiguate(asked, {BAKER: known(0.5), SKIPPER: known(0.5), TUTOR: known(0.0)})

    assert (found.status, found.entity_id) == ("ambiguous", None)
    assert set(found.plausible) == {BAKER, SKIPPER}


def test_shorter_message_leads_to_a_question_sooner() -> None:
    known_of = {BAKER: known(0.45), SKIPPER: known(0.2)}

    assert disambiguate(told("pint"), known_of).status == "ambiguous"
    assert disambiguate(told("pint", "barley", "yeast", "cellar", "cask"), known_of).status == "resolved"


def test_question_offers_no_more_than_four() -> None:
    assert len(disambiguate(told("pint"), {UUID(int=number): known() for number in range(1, 12)}).plausible) == 4


def test_description_that_fits_nobody_is_somebody_unknown() -> None:
    asked = told("astronaut", "moon", "talk", described=frozenset({"astronaut"}))

    assert disambiguate(asked, {BAKER: known(0.2), SKIPPER: known(0.15)}).status == "unknown"
    assert disambiguate(asked, {BAKER: known(0.2)}).status == "unknown"


def test_only_entity_with_a_name_is_meant_whatever_is_said() -> None:
    assert disambiguate(told("pint"), {BAKER: known(0.0)}).entity_id == BAKER


def test_only_entity_is_meant_by_a_description_in_other_words() -> None:
    assert disambiguate(told("pastry", described=frozenset({"pastry"})), {BAKER: known(0.4)}).entity_id == BAKER


def test_name_of_no_entity_is_unknown() -> None:
    found = disambiguate(told("pint"), {})

    assert (found.status, found.scores, found.plausible) == ("unknown", (), ())


def test_word_written_of_only_one_decides_who_is_meant() -> None:
    asked = told("molar", "ache", "filling", "monday")
    dentist = Evidence(nearest=0.2, expanded=frozenset({"molar", "ache", "filling"}))

    found = disambiguate(asked, {BAKER: known(0.2), SKIPPER: dentist, TUTOR: known(0.2)})

    assert (found.status, found.entity_id) == ("resolved", SKIPPER)


def test_word_known_of_one_and_written_of_all_others_decides_nothing() -> None:
    asked = told("river", "boat", "bridge")
    without = disambiguate(asked, {BAKER: known(0.4), SKIPPER: known(0.2)})
    written = Evidence(nearest=0.2, expanded=frozenset({"river"}))

    assert disambiguate(asked, {BAKER: known(0.4, "river"), SKIPPER: written}) == without
