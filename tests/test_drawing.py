"""The drawn board as SVG: every place once and where it belongs, pawns apart, nothing that a viewer may not know."""

from __future__ import annotations

import importlib.util
import random
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from test_rendering import RULE_SETS, some_positions

from sorry_env.board import COLOR_NAMES, COLORS, HOME, RING, START, ZONE, format_location
from sorry_env.drawing import position_svg
from sorry_env.drawing.board import empty_board
from sorry_env.drawing.geometry import CELLS, place_name
from sorry_env.drawing.palette import TEXT
from sorry_env.drawing.picture import position_shapes
from sorry_env.drawing.pieces import pawns
from sorry_env.drawing.shapes import Disc, Group, Polygon
from sorry_env.drawing.svg import UNIT
from sorry_env.errors import SorryError
from sorry_env.game import Game
from sorry_env.position import Position

SVG = "{http://www.w3.org/2000/svg}"
DOCS = Path(__file__).resolve().parent.parent / "docs"


def ring_corner(square: int) -> tuple[int, int]:
    """Column and row of a ring square, worked out by sides, apart from the code."""
    side, along = divmod(square, 15)
    return ((along, 0), (15, along), (15 - along, 15), (0, 15 - along))[side]


def zone_corner(color: int, index: int) -> tuple[int, int]:
    """Column and row of a zone square."""
    return ((2, 1 + index), (14 - index, 2), (13, 14 - index), (1 + index, 13))[color]


def found(svg: str, css: str) -> list[ElementTree.Element]:
    """Elements that have a class name."""
    return [node for node in ElementTree.fromstring(svg).iter() if css in (node.get("class") or "").split()]


def body(pawn: Group) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a pawn in cells: of its dark outline."""
    points: list[tuple[float, float]] = []
    for shape in pawn.shapes:
        if isinstance(shape, Polygon) and shape.edge == TEXT:
            points += shape.points
        if isinstance(shape, Disc) and shape.edge == TEXT:
            points += [(shape.at[0] + sign * shape.radius, shape.at[1] + sign * shape.radius) for sign in (-1, 1)]
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


@pytest.mark.rule("1.1", "1.2")
def test_every_place_is_drawn_once_where_it_belongs() -> None:
    """The 60 ring squares, 20 zone squares, Starts and Homes are in the SVG once; squares lie in their cells."""
    places = found(position_svg(Game("mini-1", 1).position), "place")
    corners = {f"ring-{square}": ring_corner(square) for square in range(RING)}
    corners |= {
        f"{name}-s{index}": zone_corner(color, index) for color, name in enumerate(COLOR_NAMES) for index in range(ZONE)
    }
    ends = {f"{name}-{end}" for name in COLOR_NAMES for end in ("start", "home")}
    names = [place.get("data-place", "") for place in places]
    assert sorted(names) == sorted([*corners, *ends])
    for place in places:
        name = place.get("data-place", "")
        if name in corners:
            box = place.find(f"{SVG}rect")
            assert box is not None
            assert [float(box.get(key, "")) / UNIT for key in ("x", "y", "width", "height")] == [*corners[name], 1, 1]
        else:
            assert len(place.findall(f"{SVG}circle")) == 1


@pytest.mark.rule("8.1")
@pytest.mark.parametrize("color", range(4))
def test_pawns_stand_on_their_places(color: int) -> None:
    """A pawn anywhere is drawn once, in its square's cell or in its Start's or Home's disc, with colour and place."""
    letter = COLORS[color]
    discs = {
        group.data[0][1]: shape
        for group in empty_board().shapes
        if isinstance(group, Group)
        for shape in group.shapes
        if isinstance(shape, Disc)
    }
    for progress in range(HOME + 1):
        location = format_location(color, progress)
        places = "/".join(f"{seat}:{location if seat == letter else 'S'}" for seat in COLORS)
        position = Position.parse(f"{places} {letter.lower()} - *", "classic:pawns=1")
        name = place_name(color, progress)
        drawn = [pawn for pawn in found(position_svg(position), "pawn") if pawn.get("data-color") == COLOR_NAMES[color]]
        assert [pawn.get("data-place") for pawn in drawn] == [name]
        left, top, right, bottom = body(list(pawns(position))[color])
        if progress in (START, HOME):
            (x, y), radius = discs[name].at, discs[name].radius
            assert max((x - left) ** 2, (right - x) ** 2) + max((y - top) ** 2, (bottom - y) ** 2) < radius**2
        else:
            ring = int(location) if progress <= RING else None
            column, row = ring_corner(ring) if ring is not None else zone_corner(color, int(location[1:]))
            assert column < left < right < column + 1
            assert row < top < bottom < row + 1


@pytest.mark.parametrize("rules", RULE_SETS)
def test_pawns_never_overlap(rules: str) -> None:
    """All pawns of the rules are drawn, no two touch, and all are on the board, all along a random game."""
    for position in some_positions(rules, 3, 12):
        boxes = [body(pawn) for pawn in pawns(position)]
        assert len(boxes) == position.rules.players * position.rules.pawns
        for one, other in combinations(boxes, 2):
            assert one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]
        assert all(left > 0 and top > 0 and right < CELLS and bottom < CELLS for left, top, right, bottom in boxes)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_svg_says_what_the_position_says(rules: str) -> None:
    """Pawns, the drawn card, known hands, cards left and whose turn it is can be read back from the SVG's hooks."""
    for position in some_positions(rules, 5, 6):
        svg = position_svg(position)
        colors = position.rules.color_ids
        expected = sorted(
            (COLOR_NAMES[color], {"S": "start", "H": "home"}.get(place, place))
            for seat, color in enumerate(colors)
            for place in position.pawns(seat)
        )
        read = [(pawn.get("data-color", ""), pawn.get("data-place", "").split("-")[1]) for pawn in found(svg, "pawn")]
        assert sorted(read) == expected
        drawn = [card.get("data-card") for card in found(svg, "drawn") if card.get("data-card")]
        assert drawn == ([position.card] if position.card else [])
        for seat, color in enumerate(colors):
            hand = [
                card.get("data-card") for card in found(svg, "hand") if card.get("data-color") == COLOR_NAMES[color]
            ]
            assert tuple(hand) == position.hand(seat)
        left = {column.get("data-card"): int(column.get("data-left", "")) for column in found(svg, "left")}
        assert left == position.pile()
        assert [banner.get("data-color") for banner in found(svg, "status")] == [COLOR_NAMES[colors[position.mover]]]


@pytest.mark.rule("5.6")
def test_hidden_hands_are_not_in_the_picture() -> None:
    """Positions that differ only in what a viewer may not know give the viewer one picture, and others two."""
    game = Game("points", 8)
    choice = random.Random(1)
    for _ in range(40):
        game.play(choice.choice(game.legal_actions()))
        if game.is_over:
            break
        truth = game.position
        for viewer in range(truth.rules.players):
            others = truth.seen_by(viewer)
            lie = others.deal_unseen(np.random.default_rng(choice.randrange(99)))
            assert position_svg(truth, viewer=viewer) == position_svg(lie, viewer=viewer)
            assert lie == truth or position_svg(truth) != position_svg(lie)
            shown = {card.get("data-color") for card in found(position_svg(truth, viewer=viewer), "hand")}
            assert shown == {None, COLOR_NAMES[truth.rules.color_ids[viewer]]}


def test_picture_is_told_in_words() -> None:
    """The picture is an image with a title and a description that name mover, card, pawns, piles and the last move."""
    before = Position.parse("R:S,S,20,s1/B:S,S,35,23/Y:S,36,44,s0/G:S,53,26,H r 7 44343233444", "classic")
    after = before.after("7:20>23,s1>H").with_card("11")
    svg = position_svg(after, last_move="7:20>23,s1>H", before=before, seat_names=["<anna>", "b", "c", "d"])
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    title, description = root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc") or ""
    assert title == "Sorry! board: Blue to move with an 11"
    assert description.startswith("Red (<anna>): 2 in Start, on 23, 1 Home. Blue (b): 3 in Start, on 35. ")
    assert description.endswith("Draw pile 37 cards, discards 7. Last move: 7:20>23,s1>H.")
    hidden = Game("points", 3).position.seen_by(0)
    assert "hand hidden" in position_svg(hidden)


def test_svg_scales_and_stands_beside_others() -> None:
    """Without a size the SVG has a viewBox alone; it has no ids, no style sheet and loads nothing."""
    position = Game("classic", 1).position
    root = ElementTree.fromstring(position_svg(position))
    assert root.get("viewBox")
    assert root.get("width") is None
    assert ElementTree.fromstring(position_svg(position, size=300)).get("width") == "300"
    for node in root.iter():
        assert node.get("id") is None
        assert node.tag.removeprefix(SVG) not in ("style", "script", "image", "use")
        assert not [key for key in node.attrib if "href" in key]


def test_wrong_sizes_are_refused() -> None:
    """A size that is no whole number of pixels from 1 is refused by one line."""
    position = Position.parse("R:S,S,S,4/Y:S,S,S,S r 5 *", "classic:players=2")
    for size in (True, 200.5, "9", 0, -5):
        with pytest.raises(SorryError, match=rf"size: {size!r} is neither None nor a whole number of pixels from 1"):
            position_svg(position, size=size)  # type: ignore[arg-type]


def test_highlights_outline_places() -> None:
    """Every place can be highlighted by its name, and another name is refused with what would be right."""
    position = Game("classic", 1).position
    names = {group.data[0][1] for group in empty_board().shapes if isinstance(group, Group)}
    marks = found(position_svg(position, highlights=sorted(names)), "highlight")
    assert {mark.get("data-place") for mark in marks} == names
    assert len(marks) == len(names) == RING + 4 * (ZONE + 2)
    with pytest.raises(SorryError, match="'red-60' is no place; write ring-17"):
        position_svg(position, highlights=["red-60"])


def test_wrong_arguments_are_refused() -> None:
    """Names, a viewer or a move that do not fit the position are refused by one line."""
    position = Game("classic", 1).position
    wrong: list[tuple[dict[str, object], str]] = [
        ({"seat_names": ["a"]}, "seat_names: 1 names for 4 seats"),
        ({"viewer": 4}, "viewer: 4 is not a seat in 0..3"),
        ({"before": position}, "before: give last_move"),
        ({"before": position, "last_move": "5:0>5"}, "last_move: "),
    ]
    for options, message in wrong:
        with pytest.raises(SorryError, match=message) as caught:
            position_svg(position, **options)  # type: ignore[arg-type]
        assert "\n" not in str(caught.value)


def test_notebooks_show_games_and_positions() -> None:
    """Game and Position give a notebook their picture; the game's has its last move's legs, next card or not."""
    game = Game("classic", 4, explicit_chance=True)
    assert found(game._repr_svg_(), "leg") == []
    game.draw("1")
    game.play(game.legal_moves()[0])
    (start,) = found(game._repr_svg_(), "leg")
    assert start.get("data-to") in {"ring-4", "ring-19", "ring-34", "ring-49"}
    game.draw("5")
    assert found(game._repr_svg_(), "leg")
    assert len(found(game.position._repr_svg_(), "pawn")) == 16


def test_long_names_stay_in_the_middle() -> None:
    """A name that is too long or has odd characters is cut and cleaned, and its markup stays text."""
    texts = [
        node.text or ""
        for node in ElementTree.fromstring(
            position_svg(Game("classic", 1).position, seat_names=["x" * 99, "<b>", "a\nb", "ok"])
        ).iter(f"{SVG}text")
    ]
    assert max(map(len, texts)) <= 44
    assert {"<b>", "a?b", "ok"} <= set(texts)


def test_every_layer_is_a_group() -> None:
    """What stands on the board are groups of shapes with a class, so that a page can style each kind."""
    before = Position.parse("R:S,16,20,H/B:S,S,23,27/Y:S,38,44,H/G:S,48,47,s1 r 7 34243233444", "teams")
    groups = position_shapes(before.after("7:20>23,Y38>42"), "7:20>23,Y38>42", before)
    assert {group.css.split()[0] for group in groups} == {"spots", "leg", "panel", "pawn"}


def test_pages_pictures_are_what_the_script_prints() -> None:
    """docs/pictures/ equals what docs/print_pictures.py prints; the plots beside them are measured (bench/plots.py)."""
    spec = importlib.util.spec_from_file_location("print_pictures", DOCS / "print_pictures.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    paths = [path for path in (DOCS / "pictures").glob("*.svg") if path.stem not in ("speed", "peers")]
    stored = {path.stem: path.read_text(encoding="utf-8") for path in paths}
    assert stored == {name: script.picture(scene) for name, scene in script.SCENES.items()}
