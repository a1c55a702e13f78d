"""A window that shows one picture after another, at most so many a second."""

from __future__ import annotations

import os
from typing import Any, ClassVar

import gymnasium
import numpy as np

from sorry_env.errors import SorryError

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
try:
    import pygame
except ImportError:
    raise SorryError('a window needs pygame: pip install "sorry-env[draw]"') from None


class Window:
    """One window on the screen; closed by its user, it stays closed.

    pygame shows one window a process: another one takes its place, with a warning, and it is closed from then on.

    Args:
        size: width and height in pixels.
        caption: the window's title.

    Raises:
        SorryError: there is no screen.
    """

    _shown: ClassVar[Window | None] = None

    def __init__(self, size: int, caption: str) -> None:
        self.size = size
        self.is_open = True
        self._clock = pygame.time.Clock()
        try:
            pygame.display.init()
            self._surface: Any = pygame.display.set_mode((size, size))
        except pygame.error as error:
            pygame.display.quit()
            raise SorryError(f'no window can be opened ({error}): use render_mode="rgb_array"') from None
        pygame.display.set_caption(caption)
        if Window._shown is not None:
            Window._shown.is_open = False
            gymnasium.logger.warn(
                "a process has one window: the new one takes the place of the one that was open "
                '(close that environment first, or use render_mode="rgb_array" for one of them)'
            )
        Window._shown = self

    def show(self, pixels: np.ndarray, fps: float) -> None:
        """Shows a picture, uint8 (size, size, 3), and waits until its time is over; nothing in a closed window."""
        if self.is_open and any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
        if not self.is_open:
            return
        self._surface.blit(pygame.image.frombuffer(pixels.tobytes(), (self.size, self.size), "RGB"), (0, 0))
        pygame.display.flip()
        self._clock.tick(fps)

    def close(self) -> None:
        """Closes the window, however often it is called."""
        if self.is_open:
            self.is_open, Window._shown = False, None
            pygame.display.quit()
