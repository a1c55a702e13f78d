"""Prints docs/index.md, the site's first page: README.md with links that hold within docs/."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parent / "index.md"
README: Final = Path(__file__).parent.parent / "README.md"


def page() -> str:
    """The whole page."""
    return re.sub(r"(\]\(|\"|\')docs/", r"\1", README.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
