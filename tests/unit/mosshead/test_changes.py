"""What a change that is told in ordinary words may end of what is known."""

import pytest

from mosshead.language.changes import denies, may_replace, switched_to


@pytest.mark.parametrize(
    ("change", "known"),
    [
        ("User changed to Monzo", "User banks with Barclays"),
        ("I've switched over to Octopus", "User's energy supplier is Shell"),
        ("They moved me to the Thursday choir.", "User sings in the Tuesday choir"),
        ("my manager put me on earlies last week", "User works the late shift"),
        ("User cancelled User's gym membership", "User goes to the gym on Mill Road twice a week"),
        ("User quit smoking in March 2026", "User smokes a pack a day"),
        ("I changed dentists, I'm with Dr Patel now", "User's dentist is Dr Lowe"),
        ("I'm on oat milk now", "User drinks soy milk"),
        ("User's new boss is Mr Fox", "User's boss is Ms Wolf"),
        ("User unsubscribed from the Guardian", "User subscribes to the Guardian"),
    ],
)
def test_a_change_may_end_what_is_of_the_same_sort(change: str, known: str) -> None:
    assert may_replace(change, known, "User")


@pytest.mark.parametrize(
    ("change", "known"),
    [
        ("User changed to Monzo", "User's dog is called Rex"),
        ("User changed to Monzo", "User's brother is Tom"),
        ("User changed to Monzo", "User lives in Leeds"),
        ("User changed to decaf", "User banks with Barclays"),
        ("User might switch to Monzo one day", "User banks with Barclays"),
        ("I moved to the front row", "User sings in the choir"),
        ("User switched to the next song", "User uses an iPhone"),
        ("I'm on holiday now", "User takes sertraline"),
        ("I switched to decaf for today", "User drinks espresso"),
        ("User cancelled User's gym class on Thursday", "User goes to the gym"),
        ("User gave up User's seat to the cello player", "User plays the cello"),
        ("User's brother quit smoking", "User smokes"),
        ("User has not given up the cello", "User plays the cello"),
        ("User likes tea", "User likes coffee"),
    ],
)
def test_what_is_of_another_sort_or_of_a_moment_ends_nothing(change: str, known: str) -> None:
    assert not may_replace(change, known, "User")


def test_a_somebody_s_name_is_not_what_two_statements_have_in_common() -> None:
    assert not may_replace("Tim Frost is now called Tim Hale", "User's colleague Tim Frost plays tennis", "Tim Frost")


def test_what_somebody_switched_to_is_told_without_its_time() -> None:
    assert switched_to("I switched to Monzo last month.") == "Monzo"
    assert not switched_to("I switched to Monzo for a day.")


@pytest.mark.parametrize("piece", [" from a", " since 1", " now", ".", " and I left", "\n", " in a"])
def test_long_text_is_read_at_once(piece: str) -> None:
    long = f"I switched to x{2_000 * piece}\nand left a{2_000 * piece}\nword"
    assert not may_replace(long, "User has a dog", "User")
    assert not denies(long, "User has a dog")
    assert "word" not in switched_to(long)
