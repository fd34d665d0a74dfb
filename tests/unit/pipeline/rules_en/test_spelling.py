"""How people type, written out."""

import pytest

from pipeline.rules_en.sentences import plainly_spelt


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("hes at my mums house n she LOVES it", "he's at my mum's house and she loves it"),
        ("i dont think so, its fine", "i don't think so, it's fine"),
        ("were moving on friday", "we're moving on friday"),
        ("we were there", "we were there"),
        ("ill bring cake tmrw", "i'll bring cake tomorrow"),
        ("he was ill", "he was ill"),
        ("the dog lost its collar", "the dog lost its collar"),
        ("NASA and the BBC", "NASA and the BBC"),
    ],
)
def test_what_was_typed_is_written_out(typed: str, plain: str) -> None:
    assert plainly_spelt(typed) == plain
