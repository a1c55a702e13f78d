"""Pictures: as those stored, the same in every mode, told apart without colour vision, and fast enough to be pixels."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from PIL import Image
from write_pictures import FOLDER, SCENES, ansi, drawn, pixels, svg

from sorry_env.board import COLORS, RING
from sorry_env.drawing import position_pixels
from sorry_env.drawing.board import EXTENT
from sorry_env.drawing.geometry import MARGIN, pawn_spot
from sorry_env.drawing.palette import FILLS, INKS
from sorry_env.errors import SorryError
from sorry_env.position import Position

# Dichromats' colours: linear RGB by matrices of Machado, Oliveira and Fernandes, "A Physiologically-based Model for
# Simulation of Color Vision Deficiency" (IEEE TVCG 2009), severity 1.0.
SEEN = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
# CIE 1976 differences. The rare third kind takes blue and green for near; there letters tell, as for everybody.
LEAST = {"protanopia": 35, "deuteranopia": 35, "tritanopia": 9}

BOX = Image.Resampling.BOX
TOLERANCE = 12  # of a block's mean: another version of the font's renderer may change a letter's edges


def mean_difference(one: np.ndarray, other: np.ndarray) -> float:
    """Mean absolute difference of two pictures, in steps of 0..255."""
    return float(np.abs(one.astype(int) - other.astype(int)).mean())


def block_difference(one: np.ndarray, other: np.ndarray) -> float:
    """Greatest difference of the mean of any block of 8 x 8 pixels and colour, in steps of 0..255."""
    blocks = (one.astype(float) - other).reshape(one.shape[0] // 8, 8, one.shape[1] // 8, 8, 3).mean((1, 3))
    return float(np.abs(blocks).max())


def stored(name: str) -> np.ndarray:
    """A stored picture, uint8 (H, W, 3)."""
    return np.array(Image.open(FOLDER / f"{name}.png").convert("RGB"))


@pytest.mark.parametrize("name", SCENES)
def test_svg_and_text_are_as_stored(name: str) -> None:
    """SVG and terminal text of each scene equal the stored files."""
    assert svg(SCENES[name]) == (FOLDER / f"{name}.svg").read_text(encoding="utf-8"), "python tests/write_pictures.py"
    assert ansi(SCENES[name]) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8"), "python tests/write_pictures.py"


@pytest.mark.parametrize("name", SCENES)
def test_pixels_are_as_stored(name: str) -> None:
    """Pixels of each scene are the stored ones but for what another version of the font's renderer may change."""
    assert block_difference(pixels(SCENES[name]), stored(name)) < TOLERANCE, "python tests/write_pictures.py"


def test_one_pawn_is_more_than_the_tolerance() -> None:
    """A pawn one square further, another card and one more card left are more than the comparison forgives."""
    text = "R:S,S,S,{}/B:S,S,S,S/Y:S,S,S,S/G:S,S,S,S r {} {}4443444443"
    here = position_pixels(Position.parse(text.format(6, 5, 5)), size=256)
    for change in ((7, 5, 5), (6, "X", 5), (6, 5, 4)):
        other = position_pixels(Position.parse(text.format(*change)), size=256)
        assert block_difference(here, other) > 1.5 * TOLERANCE, change


def test_nothing_is_stored_that_no_scene_writes() -> None:
    """tests/pictures/ has three files a scene and no other."""
    files = {path.name for path in FOLDER.iterdir()}
    assert files == {f"{name}.{kind}" for name in SCENES for kind in ("svg", "txt", "png")}


@pytest.mark.parametrize("size", [128, 320, 512])
def test_pixels_have_the_size_asked_for(size: int) -> None:
    """Any size gives uint8 (size, size, 3) of the caller's own, with the same picture in it."""
    position, options = drawn(SCENES["slide_and_bumps"])
    picture = position_pixels(position, size=size, **options)
    assert picture.shape == (size, size, 3)
    assert picture.dtype == np.uint8
    large, start = (
        position_pixels(position, size=1024, **options),
        position_pixels(drawn(SCENES["start"])[0], size=1024),
    )
    small, same, other = (np.array(Image.fromarray(one).resize((32, 32), BOX)) for one in (picture, large, start))
    assert mean_difference(small, same) < 0.4 * mean_difference(small, other)
    picture[:] = 0
    assert position_pixels(position, size=size, **options).any()


def test_wrong_sizes_are_refused() -> None:
    """Sizes that show nothing, or take all memory, are refused by one line."""
    for size in (0, -5, 127, 10**6):
        with pytest.raises(SorryError, match=rf"size: {size} is not in 128..8192 pixels"):
            position_pixels(drawn(SCENES["start"])[0], size=size)
    for no_size in (True, 200.5, "9", None):
        with pytest.raises(SorryError, match=rf"size: {no_size!r} is not a whole number of pixels in 128..8192"):
            position_pixels(drawn(SCENES["start"])[0], size=no_size)  # type: ignore[arg-type]


def test_pixels_show_what_the_svg_shows() -> None:
    """A pawn's colour is in the pixels where the geometry puts it, and not in the picture without it."""
    for color, letter in enumerate(COLORS):
        for progress in (5, 30, RING + 3):
            place = f"s{progress - RING - 1}" if progress > RING else str((15 * color + 2 + progress) % RING)
            pawns = "/".join(f"{seat}:{place if seat == letter else 'S'}" for seat in COLORS)
            with_pawn = position_pixels(Position.parse(f"{pawns} r - *", "classic:pawns=1"), size=512)
            nobody = position_pixels(Position.parse("R:S/B:S/Y:S/G:S r - *", "classic:pawns=1"), size=512)
            x, y = (round((part + MARGIN) / EXTENT * 512) for part in pawn_spot(color, progress))
            fill = np.array([int(FILLS[color][at : at + 2], 16) for at in (1, 3, 5)])
            spot = np.s_[y - 8 : y + 12, x - 9 : x + 9]

            def near(picture: np.ndarray, fill: np.ndarray = fill, spot: tuple[slice, slice] = spot) -> int:
                return int((np.abs(picture[spot].astype(int) - fill).max(-1) < 12).sum())

            assert near(with_pawn) > near(nobody) + 60, (letter, progress)


@pytest.mark.rule("5.6")
def test_hidden_hands_are_not_in_the_pixels() -> None:
    """A viewer's pixels are the same whatever the hidden hands are; without a viewer they are not."""
    truth = drawn(SCENES["hands_known"])[0]
    lie = truth.seen_by(1).deal_unseen(np.random.default_rng(3))
    assert lie != truth
    assert np.array_equal(position_pixels(truth, viewer=1), position_pixels(lie, viewer=1))
    assert not np.array_equal(position_pixels(truth), position_pixels(lie))


# --- Colours ---


def linear(color: str) -> np.ndarray:
    """Linear RGB in 0..1 of `#rrggbb`."""
    parts = np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(light: np.ndarray) -> np.ndarray:
    """CIE L*a*b* (D65) of linear RGB."""
    matrix = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = matrix @ np.clip(light, 0, 1) / np.array([0.95047, 1, 1.08883])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("kind", SEEN)
def test_colours_differ_without_colour_vision(kind: str) -> None:
    """Each two pawn colours differ clearly as dichromats see them."""
    seen = [lab(np.array(SEEN[kind]) @ linear(fill)) for fill in FILLS]
    assert min(float(np.linalg.norm(one - other)) for one, other in combinations(seen, 2)) > LEAST[kind]


def test_letters_stand_out() -> None:
    """Each pawn bears its letter in an ink of contrast 4.5 or more (WCAG 2, level AA)."""
    for fill, ink in zip(FILLS, INKS, strict=True):
        dark, light = sorted(float(np.array([0.2126, 0.7152, 0.0722]) @ linear(color)) for color in (fill, ink))
        assert (light + 0.05) / (dark + 0.05) >= 4.5
