"""Colours of the board, its pawns and its cards, told apart without colour vision as well (a test holds it)."""

from __future__ import annotations

from typing import Final

# By colour 0..3: of pawns and slides, of zones and Homes, and of the letters on the first.
FILLS: Final = ("#cc3311", "#0077bb", "#f0cc2e", "#008573")
TINTS: Final = ("#f8d5cd", "#cfe6f5", "#fcf1c0", "#c9ebe7")
INKS: Final = ("#ffffff", "#ffffff", "#222222", "#ffffff")

GROUND: Final = "#f4f1ea"
SQUARE: Final = "#ffffff"
EDGE: Final = "#555555"
TEXT: Final = "#222222"
GREY: Final = "#8a8a8a"
FAINT: Final = "#c9c4b8"
HIGHLIGHT: Final = "#e6007e"
CARD_FACE: Final = "#ffffff"
CARD_BACK: Final = "#3b4a63"
CARD_BACK_SIGN: Final = "#8fa0bd"
SORRY_INK: Final = "#b3200f"
