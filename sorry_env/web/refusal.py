"""What the server refuses, with the status that says why."""

from __future__ import annotations

from sorry_env.errors import SorryError


class RefusedError(SorryError):
    """A request that is not granted.

    Args:
        status: HTTP status, 4xx or 503.
        message: one line that says what was wrong and what would be right.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
