"""Each form in which a server or a model answers yields its facts, or ends in the right class of error."""

from pathlib import Path

from benchmarks.providers import read_shapes, run

_SHAPES = Path(__file__).parents[2] / "data" / "providers"
_FEWEST = 120


def test_every_form_yields_its_facts_or_the_right_error() -> None:
    shapes = read_shapes(_SHAPES)

    wrong = [one for one in run(shapes) if not one.right]

    assert len(shapes) >= _FEWEST
    assert wrong == []
