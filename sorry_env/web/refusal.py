"""What the server refuses, with the status that says why."""

from __future__ import annotations

from typing import Final

from sorry_env.errors import SorryError

RETRY_AFTER: Final = 1  # seconds, of what a moment may mend


class RefusedError(SorryError):
    """A request that is not granted.

    Args:
        status: HTTP status, 4xx or 5xx.
        message: one line that says what was wrong and what would be right.
        retry_after: seconds after which the same request may be granted; 0 where it will not be.
    """

    def __init__(self, status: int, message: str, retry_after: int = 0) -> None:
        super().__init__(message)
        self.status, self.retry_after = status, retry_after
