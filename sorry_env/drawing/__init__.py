"""One drawing of the board, from which come SVG and pixels. SVG needs no library, pixels and window the extra `draw`.

    position_svg(game.position)           # text: notebooks, web pages, docs
    position_pixels(game.position)        # uint8 (512, 512, 3): frames of a video

Hooks in the SVG, for style sheets and scripts:

| element | class | attributes |
|---|---|---|
| each ring and zone square, Start and Home | `place` | `data-place`: `ring-17`, `red-s2`, `red-start`, `red-home` |
| a pawn | `pawn` | `data-color` (`red`), `data-place` |
| a card face up | `card` and `drawn`, `hand` or `discards` | `data-card` (`1` .. `12`, `X`); in hands `data-color` |
| a card face down | `card back` and `pile` or `hand` | |
| where no card lies | `gap` and `drawn`, `pile` or `discards` | |
| who is on move | `status` | `data-color` |
| a seat's line | `seat` | `data-color` |
| cards of a kind that are left | `left` | `data-card`, `data-left` |
| a part of the last move | `leg` and `step`, `jump`, `slide` or `bump` | `data-color`; places `data-from`, `data-to` |
| Start and Home of a colour that nobody plays | `vacant` | `data-color` |
| a highlighted place | `highlight` | `data-place` |

Groups lie over one another in the order `board`, `spots` and `vacant`, `leg`, `panel`, `highlight`, `pawn`. The unit
is a fiftieth of a cell, the origin the outer corner of ring square 0 (`viewBox` begins in the margin before it);
`geometry` has the places. The picture has the role `img`, a `title` and a `desc` that say the position in words.
"""

from sorry_env.drawing.picture import NOTEBOOK_PIXELS, position_pixels, position_svg

__all__ = ["NOTEBOOK_PIXELS", "position_pixels", "position_svg"]
