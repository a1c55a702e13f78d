"""Files written aside and renamed into place, so that a crash leaves the old one."""

from __future__ import annotations

import os
from pathlib import Path


def write_text(path: Path, text: str) -> None:
    """Writes a text file aside and renames it into place."""
    aside = path.with_name(f".{path.name}.part")
    with aside.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(aside, path)
