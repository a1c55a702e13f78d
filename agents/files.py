"""Files written aside, synced and renamed into place, so that a crash leaves the old one; files read within bounds."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

from sorry_env.errors import PolicyError


def check_writable(path: Path) -> None:
    """Raises OSError where `path` could not be written later: no folder, or a folder in its place."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    aside = _aside(path)
    try:
        aside.touch()
        aside.unlink()
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _aside(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")


def write_text(path: Path, text: str) -> None:
    """As `write_bytes`, in UTF-8."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file aside, waits until it is on the disk and renames it into place.

    Raises:
        OSError: what could not be written, named; the old file then stands as it was.
    """
    aside = _aside(path)
    try:
        with aside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
        _sync_folder(path.parent)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None


def _sync_folder(folder: Path) -> None:
    """Waits until renames in a folder are on the disk, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_bounded(path: Path, most: int) -> bytes:
    """The bytes of a file that may come from anyone. Raises OSError, and PolicyError for one that is too large."""
    with path.open("rb") as file:
        data = file.read(most + 1)  # the size that a device or a pipe tells is not its own
    if len(data) > most:
        raise PolicyError(f"{str(path)!r} has more than the {most} bytes allowed")
    return data


def parse_json(data: bytes | str) -> Any:
    """JSON that may come from anyone. Raises ValueError for what is none, however deep it is nested."""
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
