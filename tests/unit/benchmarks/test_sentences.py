"""The sentences of the benchmarks."""

from itertools import islice

from benchmarks.sentences import sentences


def test_sentences_are_complete_with_one_fact_each() -> None:
    said = list(islice(sentences("sarah"), 500))

    assert all(text.endswith(".") and text.count(".") == 1 and "{" not in text for text in said)
    assert all(text.startswith(("I ", "My ")) for text in said)
    assert len(set(said)) > 400


def test_sentences_are_the_same_only_for_the_same_seed() -> None:
    one, again, other = (list(islice(sentences(seed), 20)) for seed in ("a", "a", "b"))

    assert one == again
    assert one != other
