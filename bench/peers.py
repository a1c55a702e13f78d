"""Decisions a second beside other libraries, measured in one run on this machine, one after the other in turn.

    python bench/peers.py --seconds 2 --repeats 5

Makes a virtual environment of its own in the user's cache folder (about 1 GB; `--venv` puts it elsewhere), installs the
peers and this project into it, and runs every measurement in a fresh process: all of them once, then all of them again.
What cannot be installed or fails is shown with the reason, and the rest goes on. Decisions are a second of wall time;
`cores` is processor time over wall time, below 1 where something else took the processor from a program meanwhile.
Ratios are of decisions a processor second (`per cpu s`), so that other work on the machine favours neither side.

What is compared, so that the table can be read fairly:

- One decision is one action handed in by a player, chosen at random from what is legal. Chance nodes (dice, cards) are
  none. Forced ones, where a single action is legal, count on both sides: ours plays with `auto_forced=False`. Yet games
  differ in how many are forced in random play: about half here and in Ludo, two thirds in uno, a tenth in OpenSpiel's
  backgammon, a fifth in that of pgx. So the batch has a second row, where forced plies are played silently and not
  counted; its ratios favour the peer, all of whose decisions count.
- The games differ, and so does what one action does: a card played on one or two pawns here; both dice in OpenSpiel's
  backgammon; a single die in that of pgx. Boards of connect four and hands of leduc are far smaller than ours.
- OpenSpiel gives list, mask and observation at each decision. Its own mask asks for the legal actions a second time, so
  there is a second row whose mask is filled by NumPy from the list, which is faster.
- pgx samples, steps and resets inside `jax.jit`, masks and observations included: 1024 games, one call for each step,
  or 20 steps by `lax.scan` in one call, which is faster but shows Python nothing between. JAX takes the cores it wants.
- RLCard and ludopy give lists of legal actions and observations, no masks; all that they do at a step is in.
- PettingZoo's environments and ours run the same loop over `raw_env`: `last`, a choice by the mask, `step`.
- Our batch has 1024 classic games of four players in one thread and gives mask, float32 observation, rewards and ends
  to Python at each step. The engine alone gives nothing: it is what the machine could do.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
MEASURE: Final = ROOT / "bench" / "peers" / "measure.py"
LONGEST: Final = 600
"""Seconds that one process may take on top of what it measures: the first one compiles."""

# One set that installs with Python 3.11; the project's own dependencies are in constraints.txt.
PINS: Final = {
    "jax": "0.10.2",
    "jaxlib": "0.10.2",
    "ludopy": "1.5.0",
    "open_spiel": "2.0.2",
    "opencv-python": "5.0.0.93",
    "pettingzoo": "1.27.0",
    "pgx": "2.6.0",
    "pygame-ce": "2.5.8",
    "rlcard": "1.2.0",
}


class Entrant(NamedTuple):
    """A row of the table: its name in measure.py, what it is, and what it needs besides this project."""

    name: str
    title: str
    needs: tuple[str, ...] = ()


ENTRANTS: Final = (
    Entrant("openspiel", "OpenSpiel backgammon, Python loop", ("open_spiel",)),
    Entrant("openspiel-numpy", "  the same, mask filled by NumPy", ("open_spiel",)),
    Entrant("pgx-steps", "pgx backgammon, B 1024, a call a step", ("pgx", "jax", "jaxlib")),
    Entrant("pgx-scan", "  the same, 20 steps in one call", ("pgx", "jax", "jaxlib")),
    Entrant("connect-four", "PettingZoo connect_four_v3, raw AEC", ("pettingzoo", "pygame-ce")),
    Entrant("leduc", "PettingZoo leduc_holdem_v4, raw AEC", ("pettingzoo", "pygame-ce", "rlcard")),
    Entrant("uno", "RLCard uno, Python loop", ("rlcard",)),
    Entrant("ludo", "ludopy Ludo, Python loop", ("ludopy", "opencv-python")),
    Entrant("sorry-batch", "Sorry! batch from Python, B 1024"),
    Entrant("sorry-choices", "  the same, only real choices counted"),
    Entrant("sorry-aec", "Sorry! raw AEC"),
    Entrant("sorry-engine", "Sorry! engine alone, random play"),
)
ALONE: Final = {
    "openspiel-numpy": "OpenSpiel backgammon, mask by NumPy",
    "pgx-scan": "pgx backgammon, 20 steps in one call",
    "sorry-choices": "Sorry! batch from Python, real choices",
}
"""Titles of those rows that lean on the one above them."""
RATIOS: Final = (
    ("sorry-batch", "openspiel"),
    ("sorry-batch", "openspiel-numpy"),
    ("sorry-batch", "pgx-steps"),
    ("sorry-batch", "pgx-scan"),
    ("sorry-choices", "openspiel-numpy"),
    ("sorry-choices", "pgx-scan"),
    ("sorry-aec", "connect-four"),
)


class PeerError(Exception):
    """Why a peer has no figure, in one line."""


class Run(NamedTuple):
    """One process's figures: decisions a second, cores in use, versions of its libraries."""

    rate: float
    cores: float
    versions: dict[str, str]

    @property
    def per_cpu(self) -> float:
        """Decisions a processor second."""
        return self.rate / self.cores


def run(command: Sequence[str | Path], seconds: float) -> str:
    """Runs a program and returns what it printed; PeerError with its last words where it fails or takes too long."""
    quiet = {"PYGAME_HIDE_SUPPORT_PROMPT": "1", "JAX_PLATFORMS": "cpu", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=seconds, env=os.environ | quiet
        )
    except subprocess.TimeoutExpired:
        raise PeerError(f"not done after {seconds:.0f} seconds") from None
    if done.returncode:
        raise PeerError(reason(done.stderr) or f"exit status {done.returncode}")
    return done.stdout


def reason(said: str) -> str:
    """The line that tells most: pip's first error, or the end of a traceback."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    return (errors[:1] or lines[-1:] or [""])[0][:160]


def default_venv() -> Path:
    """A folder of the user's cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sorry-env" / "peers-venv"


def make_venv(folder: Path) -> Path:
    """The Python of the virtual environment in `folder`, which is made where it is not there."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(folder, with_pip=True)
    return python


def install(python: Path, requirements: Sequence[str]) -> None:
    """Installs by the pins and constraints.txt; by the pins alone where pip finds no set for both."""
    with tempfile.TemporaryDirectory() as folder:
        pins = Path(folder, "pins.txt")
        pins.write_text("".join(f"{name}=={pin}\n" for name, pin in PINS.items()), encoding="utf-8")
        command: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--constraint", pins]
        try:
            run([*command, "--constraint", ROOT / "constraints.txt", *requirements], LONGEST)
        except PeerError:
            run([*command, *requirements], LONGEST)


def install_all(python: Path) -> dict[str, str]:
    """Installs this project and each entrant's needs; returns why an entrant cannot take part, by name.

    Raises:
        PeerError: this project itself cannot be installed.
    """
    print("installing this project", flush=True)
    install(python, [str(ROOT)])
    reasons: dict[str, str] = {}
    tried: dict[tuple[str, ...], str] = {}
    for entrant in ENTRANTS:
        if entrant.needs and entrant.needs not in tried:
            print(f"installing {' '.join(entrant.needs)}", flush=True)
            tried[entrant.needs] = ""
            try:
                install(python, entrant.needs)
            except PeerError as error:
                tried[entrant.needs] = f"not installed: {error}"
        if tried.get(entrant.needs):
            reasons[entrant.name] = tried[entrant.needs]
    return reasons


def measure(python: Path, name: str, seconds: float) -> Run:
    """One measurement in a fresh process."""
    said = run([python, "-I", MEASURE, name, "--seconds", str(seconds)], LONGEST + 2 * seconds)
    try:
        figures = json.loads(said.splitlines()[-1])
        wall = figures["wall_s"]
        return Run(figures["decisions"] / wall, figures["cpu_s"] / wall, figures["versions"])
    except (IndexError, KeyError, ValueError) as error:
        raise PeerError(f"no figures in its output: {error!r}") from error


def measure_all(
    python: Path, reasons: dict[str, str], seconds: float, repeats: int
) -> tuple[dict[str, list[Run]], dict[str, str]]:
    """Every entrant in turn, `repeats` times; who has failed once is left out from then on, with the reason."""
    runs: dict[str, list[Run]] = {entrant.name: [] for entrant in ENTRANTS}
    reasons = dict(reasons)
    for repeat in range(repeats):
        for name, figures in runs.items():
            if name in reasons:
                continue
            print(f"repeat {repeat + 1} of {repeats}: {name}", flush=True)
            try:
                figures.append(measure(python, name, seconds))
            except PeerError as error:
                reasons[name] = str(error)
    return runs, reasons


def rows(runs: dict[str, list[Run]], reasons: dict[str, str]) -> list[dict[str, Any]]:
    """The table as records, for print and JSON."""
    records: list[dict[str, Any]] = []
    for entrant in ENTRANTS:
        record: dict[str, Any] = {"name": entrant.name, "title": entrant.title, "reason": reasons.get(entrant.name)}
        if found := runs[entrant.name]:
            rates = [one.rate for one in found]
            record |= {
                "median": statistics.median(rates),
                "min": min(rates),
                "max": max(rates),
                "rates": rates,
                "per_cpu": statistics.median(one.per_cpu for one in found),
                "cores": statistics.median(one.cores for one in found),
                "versions": found[-1].versions,
            }
        records.append(record)
    return records


def ratios(runs: dict[str, list[Run]]) -> list[dict[str, Any]]:
    """Ours over theirs in decisions a processor second, within each repeat, where both have figures."""
    records = []
    for ours, theirs in RATIOS:
        each = [a.per_cpu / b.per_cpu for a, b in zip(runs[ours], runs[theirs], strict=False)]
        if each:
            pair = {"ours": ours, "theirs": theirs, "median": statistics.median(each)}
            records.append(pair | {"min": min(each), "max": max(each)})
    return records


def print_tables(records: list[dict[str, Any]], compared: list[dict[str, Any]]) -> None:
    """Prints the figures, then the ratios."""
    width = max(len(record["title"]) for record in records)
    print(f"\n{'decisions a second':<{width}} {'median':>12} {'min':>12} {'max':>12} {'per cpu s':>12} {'cores':>6}")
    for record in records:
        line = f"{record['title']:<{width}}"
        if "median" in record:
            line += "".join(f" {record[column]:12,.0f}" for column in ("median", "min", "max", "per_cpu"))
            libraries = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
            line += f" {record['cores']:6.2f}   {libraries}"
        print(f"{line} {record['reason']}" if record["reason"] else line)
    titles = {record["name"]: record["title"] for record in records}
    titles |= ALONE
    names = [f"{titles[pair['ours']]} / {titles[pair['theirs']]}" for pair in compared]
    width = max(map(len, ["ratio", *names]))
    print(f"\n{'ratio':<{width}} {'median':>8} {'min':>8} {'max':>8}   decisions a processor second, ours / theirs")
    for name, pair in zip(names, compared, strict=True):
        print(f"{name:<{width}} {pair['median']:8.1f} {pair['min']:8.1f} {pair['max']:8.1f}")


def main() -> None:
    """Installs, measures, prints, and writes JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement, after its warm-up")
    parser.add_argument("--repeats", type=int, default=5, help="processes for each row")
    parser.add_argument("--venv", type=Path, default=default_venv(), help="folder (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    arguments = parser.parse_args()
    print(f"environment: {arguments.venv}", flush=True)
    python = make_venv(arguments.venv)
    try:
        missing = install_all(python)
    except PeerError as error:
        sys.exit(f"sorry-env is not installed: {error}")
    runs, reasons = measure_all(python, missing, arguments.seconds, arguments.repeats)
    records, compared = rows(runs, reasons), ratios(runs)
    print_tables(records, compared)
    if arguments.json:
        facts = {"python": platform.python_version(), "machine": platform.machine(), "cpus": os.cpu_count()}
        facts |= {"seconds": arguments.seconds, "repeats": arguments.repeats}
        arguments.json.write_text(json.dumps(facts | {"rows": records, "ratios": compared}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
