"""Pages that are printed from tables are as the tables say; imports keep to the rooms' order."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent

# A room may import itself and the rooms before it (STYLE: facts, rules, what is seen and said, environments).
ROOMS = [
    {"version", "errors", "files", "board", "cards"},
    {"rules", "actions", "observation"},
    {"engine"},
    {"notation"},
    {"position"},
    {"perft", "game", "match", "record", "rendering", "drawing", "solver", "values"},
    {"batch", "last_ply"},
    {"players", "self_play", "value_games"},
    {"analysis"},
    {"arena"},
    {"sorry_v0", "registration"},
    {"gym_env"},
    {"vector_env"},
    {"interop"},
    {"web"},
    {"cli", "__main__", "__init__"},
]


def script(name: str) -> ModuleType:
    """A script of docs/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["index", "players", "spaces", "stacks"])
def test_page_is_what_the_script_prints(name: str) -> None:
    """docs/NAME.md equals what docs/print_NAME.py prints."""
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert page == script(f"print_{name}").page(), f"run: python docs/print_{name}.py"


def test_results_are_those_of_the_cards() -> None:
    """README's table of results says what the champions' cards say."""
    found = script("print_players")
    assert found.README.read_text(encoding="utf-8") == found.readme(), "run: python docs/print_players.py"
    assert "39.4 ± 0.2" in found.results()


def test_every_player_is_on_the_page() -> None:
    """docs/players.md has a line for every player that the package brings (in a process where nobody adds one)."""
    program = "from sorry_env.players import known_players; print(*known_players())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == sorted(script("print_players").PLAYS)


def test_every_example_is_on_the_page() -> None:
    """docs/stacks.md shows each file of examples/ and says what goes wrong elsewhere."""
    names = {path.stem for path in (ROOT / "examples").glob("*.py")} - {"__init__"}
    module = script("print_stacks")
    assert set(module.ORDER) == names
    assert all("Goes wrong elsewhere: " in "\n".join(module.section(name)) for name in names)


def room_of(name: str) -> int:
    """Index of a module's room."""
    part = name.split(".")[1] if "." in name else "__init__"
    return next(k for k, room in enumerate(ROOMS) if part in room)


def imports_of(path: Path) -> set[str]:
    """Modules that a file imports at its top level."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


MODULES = sorted((ROOT / "sorry_env").rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=[str(path.relative_to(ROOT)) for path in MODULES])
def test_rooms_import_only_rooms_below(path: Path) -> None:
    """A module of sorry_env imports only its own room and rooms below it, and never agents."""
    own = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    here = room_of(own.removesuffix(".__init__") if own != "sorry_env.__init__" else "sorry_env")
    for name in imports_of(path):
        assert name.split(".")[0] not in ("agents", "torch", "stable_baselines3"), name
        if name.startswith("sorry_env."):
            assert room_of(name) <= here, f"{own} imports {name}, a room above it"


def test_agents_use_public_names_only() -> None:
    """agents/, train.py and evaluate.py import no underscored name and nothing of the engine."""
    for path in [*(ROOT / "agents").glob("*.py"), ROOT / "train.py", ROOT / "evaluate.py"]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("sorry_env"):
                assert not node.module.startswith("sorry_env.engine"), f"{path.name}: {node.module}"
                assert not [alias.name for alias in node.names if alias.name.startswith("_")], path.name


def test_import_is_light() -> None:
    """`import sorry_env` loads neither numba, torch, onnxruntime, a drawing library nor a framework of interop/."""
    heavy = "numba torch onnxruntime matplotlib PIL pygame pyspiel ray starlette uvicorn"
    program = f"import sys, sorry_env; print([m for m in {heavy.split()!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
