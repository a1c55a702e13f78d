"""Files written aside, synced and renamed into place, so that a crash or a full disk leaves the old one."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def check_writable(path: Path) -> None:
    """Raises OSError where `write_bytes` could not write `path` later: no folder, or a folder in its place."""
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not _is_device(path):
            aside = _aside(Path(os.path.realpath(path)))
            aside.touch()
            aside.unlink()
        elif not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _is_device(path: Path) -> bool:
    """Whether something that is no regular file, such as a pipe, stands there."""
    return path.exists() and not path.is_file()


def _aside(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")


def write_text(path: Path, text: str) -> None:
    """As `write_bytes`, in UTF-8."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file aside, waits until it is on the disk and renames it into place.

    A link stays one, to the new file; what is no regular file (a device, a pipe) is written as it stands.

    Raises:
        OSError: what could not be written, named; the old file then stands as it was.
        ValueError: a path with a null character.
    """
    try:
        if _is_device(path):
            path.write_bytes(data)
        else:
            _replace(Path(os.path.realpath(path)), data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _replace(path: Path, data: bytes) -> None:
    aside = _aside(path)
    try:
        with aside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
        _sync_folder(path.parent)
    except OSError:
        aside.unlink(missing_ok=True)
        raise


def _sync_folder(folder: Path) -> None:
    """Waits until renames in a folder are on the disk, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
