"""Generated parts of pages that are else written by hand: between `<!-- begin: NAME -->` and `<!-- end: NAME -->`."""

from __future__ import annotations

import re


def fill(text: str, parts: dict[str, str]) -> str:
    """A page with its generated parts written anew.

    Raises:
        RuntimeError: if its markers are not those of `parts`.
    """
    marks = re.findall(r"<!-- begin: ([\w-]+) -->\n", text)
    if sorted(marks) != sorted(parts):
        raise RuntimeError(f"the page has the parts {sorted(marks)}, not {sorted(parts)}")
    for name, part in parts.items():
        begin, end = f"<!-- begin: {name} -->\n", f"<!-- end: {name} -->"
        head, _, rest = text.partition(begin)
        text = f"{head}{begin}{part}\n{end}{rest.partition(end)[2]}"
    return text
