"""docs/rules.md: its generated parts are printed from the tables, its rulings complete, its examples true.

An example block holds lines of these forms; what follows `#` is a remark:

    @ SPEC              rules of what follows in the block, `classic` before the first; who sits is read off a position
    POSITION            a position
      MOVE  =  PAWNS    a legal move there, and the pawns after it (or the move alone)
      ! MOVE            a move that is not legal there
      ...               there are other legal moves, too
      prints POSITION   how the position is printed
    ! FIELD POSITION    a text that is refused with the field named
"""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
import reference as ref
from results import position
from strategies import reference_rules

from sorry_env.errors import IllegalError, MalformedError
from sorry_env.rules import rules_from

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGE = (DOCS / "rules.md").read_text(encoding="utf-8")
SVG = "{http://www.w3.org/2000/svg}"


@dataclass
class Example:
    """A position of the page and what is said of it."""

    spec: str
    text: str
    legal: dict[str, str | None] = field(default_factory=dict)
    illegal: list[str] = field(default_factory=list)
    prints: str | None = None
    is_open: bool = False


def load(name: str) -> ModuleType:
    """A script of docs/ as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_block(block: str) -> tuple[list[Example], list[tuple[str, str, str]]]:
    """The examples of one block, and its refused texts as (rules, field, text)."""
    examples: list[Example] = []
    refused: list[tuple[str, str, str]] = []
    spec = "classic"
    for line in block.splitlines():
        said, told = line.startswith(" "), re.sub(r"\s*#.*", "", line).strip()
        if not told:
            continue
        if said:
            say(examples[-1], told)
        elif told.startswith("@ "):
            spec = told[2:]
        elif told.startswith("! "):
            _, name, text = told.split(" ", 2)
            refused.append((spec, name, text))
        else:
            examples.append(Example(spec, told))
    return examples, refused


def say(example: Example, told: str) -> None:
    """Takes one indented line to its example."""
    if told == "...":
        example.is_open = True
    elif told.startswith("prints "):
        example.prints = told.removeprefix("prints ")
    elif told.startswith("! "):
        example.illegal.append(told[2:])
    else:
        move, _, pawns = told.partition("  =  ")
        example.legal[move] = pawns or None


BLOCKS = [part.split("```")[0] for part in PAGE.split("```text\n")[1:]]
EXAMPLES = [example for block in BLOCKS for example in read_block(block)[0]]
REFUSED = [case for block in BLOCKS for case in read_block(block)[1]]


def test_page_and_board_are_what_the_tables_print() -> None:
    """The generated parts of docs/rules.md and docs/board.svg equal what docs/print_rules.py prints."""
    script = load("print_rules")
    assert script.page(PAGE) == PAGE, "run: python docs/print_rules.py"
    board = (DOCS / "board.svg").read_text(encoding="utf-8")
    assert board == script.board_svg(), "run: python docs/print_rules.py"
    assert "(board.svg)" in PAGE


def test_board_names_every_square() -> None:
    """The picture bears all ring numbers once, the zone of each colour, and every letter on Start, Home and slides."""
    texts = [node.text for node in ElementTree.parse(DOCS / "board.svg").iter(f"{SVG}text")]
    for square in range(60):
        assert texts.count(str(square)) == 1, square
    for index in range(5):
        assert texts.count(f"s{index}") == 4
    for letter in "RBYG":
        assert texts.count(letter) == 2 + 2 * 2, letter


def test_changed_parts_are_seen() -> None:
    """A part that was edited by hand is printed anew, and a lost marker is an error."""
    script = load("print_rules")
    assert script.page(PAGE.replace("| entrance | 2 |", "| entrance | 3 |")) == PAGE
    with pytest.raises(RuntimeError, match="the page has the parts"):
        script.page(PAGE.replace("begin: cards", "begin: card"))


def test_every_ruling_is_there() -> None:
    """The page has each ruling of tests/rule_numbers.txt once, in order, and cites no other."""
    numbers = (ROOT / "tests" / "rule_numbers.txt").read_text(encoding="utf-8").split()
    assert re.findall(r"^\*\*(\d+\.\d+) ", PAGE, re.MULTILINE) == numbers
    prose = re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)
    cited = re.findall(r"(?<![\d.])([1-9]\.\d{1,2})(?![\d.]*\d)", prose)
    assert set(cited) == set(numbers)


def test_there_are_examples() -> None:
    """The page has examples of positions, moves, canonical texts and refusals."""
    assert len(EXAMPLES) >= 40
    assert sum(len(example.legal) for example in EXAMPLES) >= 80
    assert sum(len(example.illegal) for example in EXAMPLES) >= 5
    assert sum(example.prints is not None for example in EXAMPLES) >= 4
    assert {name for _, name, _ in REFUSED} == {"PAWNS", "MOVER", "CARDS", "PILE"}


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.text for example in EXAMPLES])
def test_example(example: Example) -> None:
    """A position's moves are legal and lead where the page says, on the engine and on the reference."""
    here = position(example.text, example.spec)
    assert example.prints in (None, str(here))
    told = reference_rules(here.rules)
    state = ref.parse(example.text, told)
    assert ref.format_state(state, told) == str(here)
    engine = {move: here.after(move).pawns_text() for move in here.legal_moves()}
    expected = {move: ref.format_pawns(after, told) for move, after in ref.legal_moves(state, told).items()}
    assert engine == expected
    for move, pawns in example.legal.items():
        assert move in engine, move
        assert pawns in (None, engine[move]), move
    if not example.is_open and not example.prints:
        assert set(example.legal) == set(engine)
    for move in example.illegal:
        with pytest.raises((IllegalError, MalformedError)):
            here.parse_move(move)


@pytest.mark.parametrize(("spec", "name", "text"), REFUSED)
def test_refused_text(spec: str, name: str, text: str) -> None:
    """A text that the page calls refused is, on both sides, with the field named."""
    letters = "".join(side[0] for side in text.split(" ", maxsplit=1)[0].split("/"))
    rules = rules_from(spec, colors=letters)
    with pytest.raises((IllegalError, MalformedError), match=f"^{name}: "):
        position(text, spec)
    with pytest.raises(ValueError, match=r"^[A-Z]+: "):
        ref.parse(text, reference_rules(rules))


def test_move_table() -> None:
    """Every example in the table of parts (8.3) is legal somewhere in the examples below it."""
    below = PAGE[PAGE.index("**8.3 Moves.**") :]
    written = re.findall(r"^\|[^|]*\|[^|]*\| `([^`]+)` \|$", below, re.MULTILINE)
    assert len(written) == 7
    played = {move for example in EXAMPLES for move in example.legal}
    assert set(written) <= played
