"""docs/perft.md: printed by its script, its commands print its counts, and the reference counts the same."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType

import pytest
import reference as ref
from strategies import reference_rules

from sorry_env.__main__ import main
from sorry_env.position import Position
from sorry_env.rules import rules_from

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = (DOCS / "perft.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| \d+ \| [^|]+ \| `([^`]+)` \| `([^`]+)` \|(.*)\|$", PAGE, re.MULTILINE)
TABLE = [(rules, text, [int(cell) for cell in cells.replace("|", " ").split()]) for rules, text, cells in ROWS]
COMMANDS = re.findall(r"^sorry-env .*$", PAGE, re.MULTILINE)
LARGEST_DEPTH_3 = 36_000  # what the reference counts in about a second
LARGEST_COMMAND = 20_000


def script() -> ModuleType:
    """docs/print_perft.py as a module."""
    spec = importlib.util.spec_from_file_location("print_perft", DOCS / "print_perft.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclass looks itself up
    spec.loader.exec_module(module)
    return module


def test_page_is_what_the_script_prints() -> None:
    """docs/perft.md equals what docs/print_perft.py prints, every count worked out anew."""
    assert script().page() == PAGE, "run: python docs/print_perft.py"


def test_page_covers_the_rules() -> None:
    """The page has openings, every option that perft can see, teams, a finished game, and canonical positions."""
    assert len(TABLE) >= 16
    assert all(len(counts) in (3, 4) for _, _, counts in TABLE)
    specs = " ".join(rules for rules, _, _ in TABLE)
    for part in ("teams", "swap_partner=yes", "pawns=3", "edition-2013", "slide_on=own", "slide_on=any", "x_forward4"):
        assert part in specs, part
    assert any(set(counts) == {1} for _, _, counts in TABLE)
    for rules, text, _ in TABLE:
        assert str(Position.parse(text, rules)).split(" ")[:2] == text.split(" ")[:2], text


@pytest.mark.parametrize(("rules", "text", "counts"), TABLE, ids=[f"{text} {rules}" for rules, text, _ in TABLE])
def test_reference_counts_the_same(rules: str, text: str, counts: list[int]) -> None:
    """The reference's counts are the page's: to depth 2, and to depth 3 where that is quick."""
    told = reference_rules(rules_from(rules))
    state = ref.parse(text, told)
    for depth, count in enumerate(counts, 1):
        if depth <= 2 or (depth == 3 and count <= LARGEST_DEPTH_3):
            assert ref.perft(state, depth, told) == count, depth


@pytest.mark.parametrize(("row", "command"), list(zip(TABLE, COMMANDS, strict=True)), ids=COMMANDS)
def test_command(row: tuple[str, str, list[int]], command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command asks for its row's last count, and prints it where that is quick."""
    rules, text, counts = row
    program, *arguments = shlex.split(command)
    assert program == "sorry-env"
    assert arguments == ["perft", text, str(len(counts)), "--rules", rules]
    if counts[-1] <= LARGEST_COMMAND:
        assert main(arguments) == 0
        assert capsys.readouterr().out == f"{counts[-1]}\n"
