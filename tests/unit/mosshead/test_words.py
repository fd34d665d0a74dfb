"""Results computed for a word are cached, if it is a word."""

from hypothesis import given
from hypothesis import strategies as st

from mosshead.patterns import remembered


@given(st.lists(st.text(max_size=3), max_size=20))
def test_cached_result_is_the_same_and_computed_once(words: list[str]) -> None:
    seen: list[str] = []

    @remembered
    def turned(word: str) -> str:
        seen.append(word)
        return word[::-1]

    assert [turned(word) for word in words] == [word[::-1] for word in words]
    assert seen == list(dict.fromkeys(words))


def test_result_for_a_text_without_a_space_is_not_cached() -> None:
    seen: list[int] = []
    length = remembered(lambda word: seen.append(len(word)) or len(word))  # type: ignore[func-returns-value]

    assert [length("x" * 64), length("x" * 64), length("x" * 65), length("x" * 65)] == [64, 64, 65, 65]
    assert seen == [64, 65, 65]
