"""What people say in the benchmarks."""

from itertools import islice

from benchmarks.sentences import sentences


def test_they_are_whole_sentences_of_one_fact_each() -> None:
    said = list(islice(sentences("sarah"), 500))

    assert all(text.endswith(".") and text.count(".") == 1 and "{" not in text for text in said)
    assert all(text.startswith(("I ", "My ")) for text in said)
    assert len(set(said)) > 400


def test_they_are_the_same_for_the_same_seed_alone() -> None:
    one, again, other = (list(islice(sentences(seed), 20)) for seed in ("a", "a", "b"))

    assert one == again
    assert one != other
