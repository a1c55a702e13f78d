"""Draws docs/pictures/speed.svg and docs/pictures/peers.svg from what the benches have measured.

python bench/throughput.py --json runs/throughput.json
python bench/peers.py --json runs/peers.json
python bench/plots.py runs/throughput.json runs/peers.json
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")
from matplotlib import pyplot as plt  # after the choice of what draws

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
SHOWN = {"engine": "o", "float32": "s", "step": "^", "step+sample": "v", "afterstates": "D"}  # column: its mark
STYLE: Any = {
    "svg.hashsalt": "sorry-env",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
}  # matplotlib types each key


def plot_batch(figures: dict[str, Any], path: Path) -> None:
    """Decisions a second by the number of games, one thread: medians, with the least and the most of the repeats."""
    found = [
        (match, row) for key, row in figures.items() if (match := re.fullmatch(r"batch .*: B (\d+), 1 thread", key))
    ]
    sizes = [int(match[1]) for match, _ in found]
    figure, axes = plt.subplots(figsize=(7, 4))
    for name, mark in SHOWN.items():
        rates = [row[name] for _, row in found]
        middle = [rate["median"] / 1e6 for rate in rates]
        spread = [[abs(rate[end] - rate["median"]) / 1e6 for rate in rates] for end in ("min", "max")]
        axes.errorbar(sizes, middle, yerr=spread, marker=mark, capsize=3, label=name)
    axes.set(xscale="log", xlabel="games at once", ylabel="millions a second, one thread", ylim=(0, None))
    axes.grid(alpha=0.3)
    axes.legend()
    save(figure, path)


def plot_peers(figures: dict[str, Any], path: Path) -> None:
    """Decisions a second of a processor, beside other libraries."""
    rows = [row for row in figures["rows"] if "per_cpu" in row][::-1]
    figure, axes = plt.subplots(figsize=(8, 4.5))
    bars = axes.barh([row["title"].strip() for row in rows], [row["per_cpu"] for row in rows], color="#0077bb")
    axes.bar_label(bars, [f" {row['per_cpu']:,.0f}" for row in rows])
    axes.set(xscale="log", xlabel="decisions a second of a processor (logarithmic)", xlim=(1e4, 1e8))
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, path)


def save(figure: Any, path: Path) -> None:
    """Writes a picture that is the same whenever it is drawn."""
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    print(f"wrote {path}")


def main() -> None:
    """Draws both pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("throughput", type=Path)
    parser.add_argument("peers", type=Path)
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder (default: %(default)s)")
    chosen = parser.parse_args()
    with mpl.rc_context(STYLE):
        plot_batch(json.loads(chosen.throughput.read_text(encoding="utf-8")), chosen.out / "speed.svg")
        plot_peers(json.loads(chosen.peers.read_text(encoding="utf-8")), chosen.out / "peers.svg")


if __name__ == "__main__":
    main()
