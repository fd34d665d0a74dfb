from itertools import pairwise
from uuid import UUID, uuid4

from hypothesis import given
from hypothesis import strategies as st

from mosshead import EntityType, Neighbour
from workers.console.pages.entities import HEIGHT, LETTERS, WIDTH, draw

CENTRE = UUID(int=1)


def neighbour(via: UUID = CENTRE, distance: int = 1, name: str = "Anna", predicate: str = "works_at") -> Neighbour:
    return Neighbour(
        id=uuid4(),
        name=name,
        entity_type=EntityType.PERSON,
        key=None,
        distance=distance,
        via=via,
        predicate=predicate,
        direction="out",
    )


@st.composite
def found(draw_from: st.DrawFn) -> list[Neighbour]:
    near = [neighbour() for _ in range(draw_from(st.integers(0, 30)))]
    vias = draw_from(st.lists(st.integers(0, max(0, len(near) - 1)), max_size=40)) if near else []
    far = [neighbour(near[via].id, 2) for via in vias]
    further = [neighbour(far[0].id, 3)] if far else []
    return near + far + further


@given(found())
def test_drawing_stays_on_the_sheet_without_overlaps(neighbours: list[Neighbour]) -> None:
    drawing = draw(neighbours, CENTRE)
    places = [(dot.x, dot.y) for dot in drawing.dots] + [(WIDTH / 2, HEIGHT / 2)]
    assert all(0 < x < WIDTH and 0 < y < HEIGHT for x, y in places)
    assert all(abs(x - u) + abs(y - v) > 1 for (x, y), (u, v) in pairwise(sorted(places)))
    within = [one for one in neighbours if one.distance <= 2]
    assert len(drawing.dots) + drawing.left_out == len(within)
    ends = {(line.x1, line.y1) for line in drawing.lines} | {(line.x2, line.y2) for line in drawing.lines}
    assert ends <= set(places)
    assert len(drawing.lines) == len(drawing.dots)


def test_nearest_come_first_where_there_is_no_room_for_all() -> None:
    near = [neighbour() for _ in range(20)]
    far = [neighbour(near[0].id, 2) for _ in range(20)]
    drawing = draw(near + far, CENTRE)
    assert [dot.one.distance for dot in drawing.dots] == [1] * 20 + [2] * 4
    assert drawing.left_out == 16


def test_edge_says_how_two_entities_are_related() -> None:
    (line,) = draw([neighbour(predicate="brother_of")], CENTRE).lines
    assert line.predicate == "brother of"


def test_entity_without_neighbours_has_an_empty_drawing() -> None:
    assert draw([], CENTRE).dots == ()


_LETTER = 10.5
"""The width of a letter on a phone, in units of the sheet."""


@given(found())
def test_every_label_fits_on_the_sheet(neighbours: list[Neighbour]) -> None:
    width = LETTERS * _LETTER
    for dot in draw(neighbours, CENTRE).dots:
        left = dot.text_x - {"start": 0, "middle": width / 2, "end": width}[dot.anchor]
        assert 0 <= left <= left + width <= WIDTH
        assert 19 <= dot.text_y <= HEIGHT - 4
