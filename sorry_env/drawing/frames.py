"""What an environment's `render` gives, by its render mode: text, pixels, or a picture in a window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sorry_env.drawing.picture import position_pixels
from sorry_env.errors import SorryError

if TYPE_CHECKING:
    import numpy as np

    from sorry_env.drawing.window import Window
    from sorry_env.position import Position

RENDER_MODES: Final = ("human", "ansi", "rgb_array")
RENDER_FPS: Final = 4  # steps a second that a person can follow
PIXELS: Final = 512  # width and height of `rgb_array`
WINDOW_PIXELS: Final = 720


class Frames:
    """Frames of one environment. A copy or a pickle has no window; it opens its own when it shows something.

    Args:
        mode: one of RENDER_MODES, or None.
        name: the environment's, for the window's title.

    Raises:
        SorryError: no such mode.
    """

    def __init__(self, mode: str | None, name: str) -> None:
        if mode not in (None, *RENDER_MODES):
            raise SorryError(f"render_mode: {mode!r} is not one of {', '.join(RENDER_MODES)} or None")
        self.mode, self._name = mode, name
        self._window: Window | None = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_window": None}

    def render(
        self,
        position: Position,
        fps: float,
        last_move: str | None = None,
        before: Position | None = None,
    ) -> str | np.ndarray | None:
        """A frame by the mode: text ("ansi"), uint8 (512, 512, 3) ("rgb_array"), or None after showing it ("human").

        Args:
            position: what to show, all of it.
            fps: how many frames a second a window shows at most.
            last_move: text of the last move.
            before: the position in which it was made.

        Raises:
            SorryError: Pillow (pixels) or pygame (a window) is not installed, or there is no screen.
        """
        if self.mode is None:
            import gymnasium

            gymnasium.logger.warn("render() of an environment made without render_mode; use render_mode='ansi'")
            return None
        if self.mode == "ansi":
            from sorry_env.rendering import render_ansi

            return render_ansi(position, color=False, last_move=last_move)
        if self.mode == "rgb_array":
            return position_pixels(position, size=PIXELS, last_move=last_move, before=before)
        if self._window is None:
            from sorry_env.drawing.window import Window

            self._window = Window(WINDOW_PIXELS, self._name)
        if self._window.is_open:
            pixels = position_pixels(position, size=WINDOW_PIXELS, last_move=last_move, before=before)
            self._window.show(pixels, fps)
        return None

    def close(self) -> None:
        """Closes the window, if there is one; a later frame opens another."""
        if self._window is not None:
            self._window.close()
        self._window = None
