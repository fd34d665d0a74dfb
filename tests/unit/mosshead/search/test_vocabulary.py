"""Which words a large namespace is searched by, and how BM25 is distributed over all its rows."""

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.search.scans import SearchTerm, Vocabulary, common, queries, spread_of_rare

ROWS = 100_000


def vocabulary(**holders: int) -> Vocabulary:
    return Vocabulary(rows=ROWS, words=tuple(word(*one) for one in holders.items()))


def word(lexeme: str, holders: int) -> SearchTerm:
    return SearchTerm(lexeme=lexeme, holders=holders, term=ord(lexeme[0]))


def held(query: str, words: frozenset[str]) -> bool:
    """Return whether a row with these words matches a query, as Postgres decides."""
    said = re.sub(r"'(\w+)'", lambda word: str(word[1] in words), query)
    return bool(eval(said.replace("&", "and").replace("|", "or")))


def test_rare_words_select_alone_and_common_ones_together() -> None:
    assert queries(vocabulary(heron=12)) == ["'heron'"]
    assert queries(vocabulary(heron=12, lock=90)) == ["'heron'", "('lock' | 'heron')"]
    assert queries(vocabulary(heron=12, note=90_000))[-1] == "'heron'"
    narrow, wide = queries(vocabulary(ada=3_000, aunt=4_000, hate=8_000))
    assert narrow == "('hate' & ('aunt' & 'ada'))"
    assert wide == "('aunt' & 'ada')"


def test_word_precedes_all_its_combinations_once() -> None:
    *_, wide = queries(vocabulary(ada=2_000, aunt=2_500, five=3_000))
    assert wide == "(('five' & ('aunt' | 'ada')) | ('aunt' & 'ada'))"


def test_words_in_all_rows_are_searched_when_there_are_no_others() -> None:
    assert queries(vocabulary(note=ROWS)) == ["'note'"]
    assert queries(vocabulary()) == []


def test_quoted_word_stays_a_word() -> None:
    words = (word("o'neil", 1), word("c:\\temp", 1))
    assert queries(Vocabulary(rows=ROWS, words=words))[0] == "('o''neil' | 'c:\\\\temp')"


WORDS = st.dictionaries(st.sampled_from("abcdefghijkl"), st.integers(1, ROWS), max_size=12)


@given(WORDS, st.sets(st.sampled_from("abcdefghijkl")))
def test_each_query_finds_all_of_the_one_before(holders: dict[str, int], row: set[str]) -> None:
    found = [held(query, frozenset(row)) for query in queries(vocabulary(**holders))]
    assert found == sorted(found)


@given(WORDS)
def test_most_valuable_rows_are_found_first(holders: dict[str, int]) -> None:
    """No omitted row shares more with the message, counting its rarest words, than a found one."""
    known = vocabulary(**holders)
    rarest = sorted(known.words, key=lambda word: (word.holders, word.lexeme))[:6]
    for query in queries(known):
        subsets = [frozenset(some) for size in range(len(rarest) + 1) for some in combinations(rarest, size)]
        found = [some for some in subsets if held(query, frozenset(word.lexeme for word in some))]
        # A row with a combination and more is found with it, whatever its value: so only omitted rows are bounded.
        combined = [some for some in found if not any(other < some for other in found)]
        left_out = max(sum(map(known.rarity, some)) for some in subsets if some not in found)
        assert left_out <= min(sum(map(known.rarity, some)) for some in combined) + 1e-9


def test_common_words_are_left_to_a_sample_and_the_spread_of_the_others_is_given() -> None:
    known = vocabulary(a=40_000, b=1_001, heron=1_000, lock=10)
    assert common(known) == {ord(one.lexeme): known.rarity(one) for one in known.words[:2]}
    heron, lock = map(known.rarity, known.words[2:])
    mean, variance = spread_of_rare(known)
    assert mean == pytest.approx(0.01 * heron + 0.0001 * lock)
    assert variance == pytest.approx(0.01 * 0.99 * heron**2 + 0.0001 * 0.9999 * lock**2)
    assert (common(vocabulary()), spread_of_rare(vocabulary())) == ({}, (0, 0))
