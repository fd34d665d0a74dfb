"""The figures of the growth benchmark."""

from benchmarks.growing import Worked, figures


def test_each_size_is_compared_with_the_empty_namespace() -> None:
    empty = Worked(messages=100, formed=20, seconds=[3.0, 2.0, 9.0], tracking=[0.1])
    large = Worked(messages=100, formed=30, seconds=[6.0, 5.0, 7.0], tracking=[0.3, 0.2, 0.4])
    assert figures({0: empty, 1000: large}) == {
        "sizes": {
            "0": {"ms_per_message": 30.0, "times_empty": 1.0, "formed": 20, "track_ms": 100.0},
            "1000": {"ms_per_message": 60.0, "times_empty": 2.0, "formed": 30, "track_ms": 300.0},
        }
    }
