"""What is left of a memory whose versions were made of several conversations, where one of them is erased."""

from pipeline.erasure import Says, Version, told_by_others
from pipeline.models import FactRecord
from tests.factories import fact


def contents(*versions: Version) -> dict[int, str]:
    """What is left, in words."""
    return {number: says.content for number, says in told_by_others(versions).items()}


def test_what_follows_an_erased_version_is_told_in_its_own_words() -> None:
    first = Version(1, Says("works at A"), fact=fact("works at A"))
    erased = Version(2, Says("works at A on the q team"), erased=True)
    more = Version(3, Says("works at A on the q team in Leeds"), fact=fact("works at A in Leeds"))

    assert contents(first, erased, more) == {1: "works at A", 3: "works at A in Leeds"}


def test_what_others_had_said_more_precisely_stays() -> None:
    first = Version(1, Says("works at A as a vet"), fact=fact("works at A as a vet"))
    erased = Version(2, Says("works at A as a vet on the q team"), erased=True)
    again = Version(3, erased.says, fact=fact("works at A"))

    assert contents(first, erased, again) == {1: "works at A as a vet", 3: "works at A as a vet"}


def test_what_others_said_before_and_after_stays() -> None:
    first = Version(1, Says("works at A as a vet"), fact=fact("works at A as a vet"))
    erased = Version(2, Says("works at A as a vet on the q team"), erased=True)
    more = Version(3, Says("works at A as a vet on the q team in Leeds"), fact=fact("works at A in Leeds"))
    again = Version(4, more.says, fact=fact("works at A in Leeds"))

    both = "works at A as a vet; works at A in Leeds"
    assert contents(first, erased, more, again) == {1: "works at A as a vet", 3: both, 4: both}


def test_what_others_said_with_a_value_keeps_it_beside_what_has_none() -> None:
    first = Version(1, Says("lives in A", "lives_in", "A"), fact=fact("lives in A", attribute="lives_in", value="A"))
    erased = Version(2, Says("lives in A by the q", "lives_in", "A"), erased=True)
    more = Version(3, Says("lives in A by the q with a cat", "lives_in", "A"), fact=fact("has a cat"))

    assert told_by_others([first, erased, more])[3] == Says("lives in A; has a cat", "lives_in", "A")


def test_a_first_value_stands_beside_what_others_said_without_one() -> None:
    first = Version(1, Says("works at A"), fact=fact("works at A"))
    erased = Version(2, Says("works at A on the q team"), erased=True)
    more = Version(3, Says("works at A on the q team and drinks B", value="B"), fact=fact("drinks B", value="B"))

    assert told_by_others([first, erased, more])[3] == Says("works at A; drinks B", value="B")


def test_of_two_values_the_one_holds_that_was_said_last() -> None:
    first = Version(1, Says("lives in A", "lives_in", "A"), fact=fact("lives in A", attribute="lives_in", value="A"))
    erased = Version(2, Says("lives in A by the q", "lives_in", "A"), erased=True)
    other = fact("lives at B", attribute="lives_in", value="B")

    left = told_by_others([first, erased, Version(3, Says("lives in B by the q", "lives_in", "B"), fact=other)])
    assert left[3] == Says("lives at B", "lives_in", "B")


def test_what_an_undo_brought_back_is_erased_too() -> None:
    first, erased = Version(1, Says("likes tea"), fact=fact("likes tea")), Version(2, Says("likes q tea"), erased=True)
    undone, again = Version(3, Says("likes tea")), Version(4, Says("likes q tea"))

    assert contents(first, erased, undone, again) == {1: "likes tea", 3: "likes tea", 4: "likes tea"}


def test_what_others_said_word_for_word_stays_as_it_is() -> None:
    assert contents(
        Version(1, Says("likes tea"), erased=True), Version(2, Says("likes tea"), fact=fact("likes tea"))
    ) == {
        1: "likes tea",
        2: "likes tea",
    }


def test_a_record_goes_though_others_said_the_same_words() -> None:
    first = Version(1, Says("ran", record_name="Run", record={"gear": "q"}), erased=True)
    again = Version(2, first.says, fact=fact("ran"))
    other = Version(3, first.says, fact=fact("ran", record=FactRecord(name="Run", data={"gear": "shoes"})))

    assert told_by_others([first, again]) == {2: Says("ran")}
    assert told_by_others([first, other]) == {3: Says("ran", record_name="Run", record={"gear": "shoes"})}


def test_of_what_only_an_erased_conversation_said_nothing_is_left() -> None:
    assert contents(Version(1, Says("likes q"), erased=True), Version(2, Says("likes q"))) == {}


def test_what_is_told_anew_follows_what_others_said_last() -> None:
    first = Version(1, Says("works at A"), fact=fact("works at A"))
    second = Version(2, Says("works at A in Leeds."), fact=fact("works at A in Leeds."))
    erased = Version(3, Says("works at A in Leeds on the q team"), erased=True)
    more = Version(4, Says("works at A in Leeds on the q team and drinks B"), fact=fact("drinks B"))

    assert contents(first, second, erased, more)[4] == "works at A in Leeds; drinks B"


def test_a_fact_alone_keeps_what_it_is_about() -> None:
    erased = Version(1, Says("lives in A by the q", "lives_in", "A"), erased=True)
    again = Version(2, erased.says, fact=fact("lives in A", attribute="lives_in", value="A"))

    assert told_by_others([erased, again]) == {2: Says("lives in A", "lives_in", "A")}
