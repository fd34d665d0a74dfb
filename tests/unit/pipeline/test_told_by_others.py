"""The remainder of a memory with versions from several conversations, one of which is erased."""

from pipeline.erasure import Says, Version, told_by_others
from pipeline.models import FactRecord
from tests.factories import fact


def contents(*versions: Version) -> dict[int, str]:
    """Return the contents that are left."""
    return {number: says.content for number, says in told_by_others(versions).items()}


def test_version_after_an_erased_one_has_its_own_words() -> None:
    first = Version(1, Says("works at A"), fact=fact("works at A"))
    erased = Version(2, Says("works at A on the q team"), erased=True)
    more = Version(3, Says("works at A on the q team in Leeds"), fact=fact("works at A in Leeds"))

    assert contents(first, erased, more) == {1: "works at A", 3: "works at A in Leeds"}


def test_earlier_refinement_by_others_stays() -> None:
    first = Version(1, Says("works at A as a vet"), fact=fact("works at A as a vet"))
    erased = Version(2, Says("works at A as a vet on the q team"), erased=True)
    again = Version(3, erased.says, fact=fact("works at A"))

    assert contents(first, erased, again) == {1: "works at A as a vet", 3: "works at A as a vet"}


def test_statements_of_others_before_and_after_stay() -> None:
    first = Version(1, Says("works at A as a vet"), fact=fact("works at A as a vet"))
    erased = Version(2, Says("works at A as a vet on the q team"), erased=True)
    more = Version(3, Says("works at A as a vet on the q team in Leeds"), fact=fact("works at A in Leeds"))
    again = Version(4, more.says, fact=fact("works at A in Leeds"))

    both = "works at A as a vet; works at A in Leeds"
    assert contents(first, erased, more, again) == {1: "works at A as a vet", 3: both, 4: both}


def test_value_others_stated_stays_next_to_one_without_it() -> None:
    first = Version(1, Says("lives in A", "lives_in", "A"), fact=fact("lives in A", attribute="lives_in", value="A"))
    erased = Version(2, Says("lives in A by the q", "lives_in", "A"), erased=True)
    more = Version(3, Says("lives in A by the q with a cat", "lives_in", "A"), fact=fact("has a cat"))

    assert told_by_others([first, erased, more])[3] == Says("lives in A; has a cat", "lives_in", "A")


def test_first_value_stays_next_to_others_statement_without_one() -> None:
    first = Version(1, Says("works at A"), fact=fact("works at A"))
    erased = Version(2, Says("works at A on the q team"), erased=True)
    more = Version(3, Says("works at A on the q team and drinks B", value="B"), fact=fact("drinks B", value="B"))

    assert told_by_others([first, erased, more])[3] == Says("works at A; drinks B", value="B")


def test_later_of_two_values_holds() -> None:
    first = Version(1, Says("lives in A", "lives_in", "A"), fact=fact("lives in A", attribute="lives_in", value="A"))
    erased = Version(2, Says("lives in A by the q", "lives_in", "A"), erased=True)
    other = fact("lives at B", attribute="lives_in", value="B")

    left = told_by_others([first, erased, Version(3, Says("lives in B by the q", "lives_in", "B"), fact=other)])
    assert left[3] == Says("lives at B", "lives_in", "B")


def test_version_restored_by_an_undo_is_erased_too() -> None:
    first, erased = Version(1, Says("likes tea"), fact=fact("likes tea")), Version(2, Says("likes q tea"), erased=True)
    undone, again = Version(3, Says("likes tea")), Version(4, Says("likes q tea"))

    assert contents(first, erased, undone, again) == {1: "likes tea", 3: "likes tea", 4: "likes tea"}


def test_statement_of_others_in_the_same_words_is_unchanged() -> None:
    assert contents(
        Version(1, Says("likes tea"), erased=True), Version(2, Says("likes tea"), fact=fact("likes tea"))
    ) == {
        1: "likes tea",
        2: "likes tea",
    }


def test_record_is_erased_even_if_others_said_the_same_words() -> None:
    first = Version(1, Says("ran", record_name="Run", record={"gear": "q"}), erased=True)
    again = Version(2, first.says, fact=fact("ran"))
    other = Version(3, first.says, fact=fact("ran", record=FactRecord(name="Run", data={"gear": "shoes"})))

    assert told_by_others([first, again]) == {2: Says("ran")}
    assert told_by_others([first, other]) == {3: Says("ran", record_name="Run", record={"gear": "shoes"})}


def test_content_said_only_in_the_erased_conversation_leaves_nothing() -> None:
    assert contents(Version(1, Says("likes q"), erased=True), Version(2, Says("likes q"))) == {}


def test_rewritten_version_follows_the_last_statement_of_others() -> None:
    first = Version(1, Says("works at A"), fact=fact("works at A"))
    second = Version(2, Says("works at A in Leeds."), fact=fact("works at A in Leeds."))
    erased = Version(3, Says("works at A in Leeds on the q team"), erased=True)
    more = Version(4, Says("works at A in Leeds on the q team and drinks B"), fact=fact("drinks B"))

    assert contents(first, second, erased, more)[4] == "works at A in Leeds; drinks B"


def test_single_fact_keeps_its_subjects() -> None:
    erased = Version(1, Says("lives in A by the q", "lives_in", "A"), erased=True)
    again = Version(2, erased.says, fact=fact("lives in A", attribute="lives_in", value="A"))

    assert told_by_others([erased, again]) == {2: Says("lives in A", "lives_in", "A")}
