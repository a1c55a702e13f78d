"""The pages as a site, and what they tell people to type: Python blocks run, command lines are understood."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import tyro

import evaluate
from agents.ppo import PPOSettings
from agents.rllib import RLlibSettings
from agents.td import TDSettings
from sorry_env.__main__ import _parser, _UsageError

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
RUN_ELSEWHERE = {"docs/index.md", "docs/stacks.md", "docs/openspiel.md"}  # README again; tests/stacks; tests/interop
LEARNERS: dict[str, Any] = {"td": TDSettings, "ppo": PPOSettings, "rllib": RLlibSettings}


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)


class Links(HTMLParser):
    """What a page makes a browser fetch, rather than what a person may click."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Gathers addresses of scripts, styles, pictures and frames."""
        facts = dict(attrs)
        if tag != "a" and facts.get("rel") != "canonical":
            self.fetched += [address for key in ("src", "href") if (address := facts.get(key))]


def test_site(tmp_path: Path) -> None:
    """The site builds without a warning, with every page; nothing of it is fetched from another host."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for page in PAGES[1:]:
        html = (tmp_path / Path(page).name).with_suffix(".html").read_text(encoding="utf-8")
        links = Links()
        links.feed(html)
        assert links.fetched
        assert [address for address in links.fetched if re.match(r"\w+:|//", address)] == []


def test_every_page_is_in_the_menu() -> None:
    """No page of docs/ is left out of the site's menu."""
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    assert sorted(re.findall(r": (\w+\.md)$", menu, re.M)) == [Path(page).name for page in PAGES[1:]]


@pytest.mark.parametrize("page", [page for page in PAGES if page not in RUN_ELSEWHERE and blocks(page, "python")])
def test_code_in_pages_runs(page: str) -> None:
    """Every Python block of a page runs as it is pasted."""
    for block in blocks(page, "python"):
        command = [sys.executable, "-W", "error", "-c", block]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        assert done.returncode == 0, f"{block}\n{done.stderr}"


def lines_of(page: str) -> list[list[str]]:
    """The command lines of a page as words, without comments."""
    text = "\n".join(blocks(page, "sh")).replace("\\\n", " ")
    return [words for line in text.splitlines() if (words := shlex.split(line, comments=True))]


def understand(words: list[str]) -> None:
    """Raises where the program would not understand its command line; runs nothing."""
    program, *rest = words
    name = Path(program).name
    if name == "make":
        targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
        assert set(rest) <= set(targets)
    elif name == "pip":
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
            "optional-dependencies"
        ]
        assert set(re.findall(r"sorry-env\[(\w+)\]", " ".join(rest))) <= set(extras)
    elif name == "sorry-env" or rest[:2] == ["-m", "sorry_env"]:
        _parse(_parser().parse_args, rest[2:] if name != "sorry-env" else rest)
    elif name == "python" and rest[0] == "train.py":
        _parse(lambda line: tyro.cli(LEARNERS[line[0]], args=line[1:]), rest[1:])
    elif name == "python" and rest[0] == "evaluate.py":
        _parse(lambda line: tyro.cli(evaluate.Settings, args=line), rest[1:])
    elif name == "python":
        path = f"{rest[1].replace('.', '/')}" if rest[0] == "-m" else rest[0].removesuffix(".py")
        (source,) = [file for file in (ROOT / f"{path}.py", ROOT / path / "__main__.py") if file.is_file()]
        known = source.read_text(encoding="utf-8")
        assert all(f'"{word}"' in known for word in rest if word.startswith("--"))
    else:
        raise AssertionError(f"what is {name}?")


def _parse(parse: Any, line: list[str]) -> None:
    try:
        parse(line)
    except SystemExit as end:
        if end.code:  # --help and --version end without
            raise ValueError(line) from None


@pytest.mark.parametrize("page", [page for page in PAGES if page != "docs/index.md" and blocks(page, "sh")])
def test_command_lines_are_understood(page: str) -> None:
    """Every line that a page tells people to type names a program, and options that it has."""
    for words in lines_of(page):
        understand(words)


@pytest.mark.parametrize(
    "line",
    [
        "make tset",
        "pip install 'sorry-env[web]'",
        "sorry-env moves POSITION --rule classic",
        ".venv/bin/python train.py td --minuts 2",
        ".venv/bin/python evaluate.py greedy random --game 10",
        "python bench/throughput.py --repeat 3",
        "python bench/nothing.py",
        "sorry-emv moves",
    ],
)
def test_wrong_lines_are_not(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A line with a slip is noticed: the test above can fail."""
    with pytest.raises((AssertionError, ValueError, _UsageError)):
        understand(shlex.split(line))
