"""Prints docs/players.md and the table of results in README.md from the model cards beside the champions' files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from parts import fill

from sorry_env.players.value import CHAMPIONS

PAGE: Final = Path(__file__).parent / "players.md"
README: Final = Path(__file__).parent.parent / "README.md"
RESULTS: Final = {  # rows of the table in README.md by the rules of a card's table
    "classic:players=2": "classic, two players",
    "classic:players=3": "classic, alone against two of the column (even: 33)",
    "classic": "classic, alone against three of the column (even: 25)",
    "teams": "partnership, against a team of the column",
    "points:players=2,scoring=win": "hand game of two (`points:scoring=win`)",
}
PLAYS: Final = {
    "random": "any legal action",
    "greedy": "for the least distance of its own side to Home",
    "race": "for the least distance of its own side less the opponents' mean",
    "solitaire": "as `race`, distance counted in turns that a lone pawn needs, and shy of being bumped",
    "perfect": "a game that `sorry-env solve` has solved, without a mistake",
    "champion": "the value network that is shipped for the rules; cards below",
    "expectimax": "for the best average over the next card of a value player; `depth=1` or `2`, `value=PLAYER`",
    "FILE.zip": "a model of stable-baselines3: refused, with how to export it",
    "FILE.onnx": "what `train.py` has exported: a policy or a value network",
}
HEAD: Final = """\
# Players

This page is printed by `python docs/print_players.py`.

A player is a spec string, in `opponents=[...]`, `load_player`, `train.py`, `evaluate.py` and `sorry-env`; options
follow a colon (`expectimax:depth=2,value=solitaire`). None of these needs torch. In a clone the folder of a run
(`runs/first`) is a player, too.
"""
OWN: Final = """
## Your own

Any object with `name`, `bind` and `act` is a player; asked for a whole batch of decisions at once, it answers with
legal actions. Registered, it has a spec string wherever one is read:

```python
import numpy as np

from sorry_env import Rules, load_player, register_player
from sorry_env.position import Positions


class FirstLegal:
    \"\"\"Plays the first legal action.\"\"\"

    name = "first"

    def bind(self, rules: Rules) -> None:
        \"\"\"Plays any rules.\"\"\"

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, positions: Positions
    ) -> np.ndarray:
        \"\"\"The lowest legal id of each row.\"\"\"
        return masks.argmax(axis=1)


register_player("first", lambda spec, options: FirstLegal())
print(load_player("first").name)
```

A search player looks at `positions`: copies of what the mover may know, without hidden hands or the order of the pile.

## Champions

The networks in the package, one for each of these rule sets.
"""


def cards() -> list[str]:
    """The model cards."""
    return [path.read_text(encoding="utf-8") for path in sorted(CHAMPIONS.glob("*.md"))]


def results() -> str:
    """Win rates of the champions with half the width of their intervals, a row for each of RESULTS."""
    tables = {
        spec: table for card in cards() for spec, table in re.findall(r"^`([^`]+)`:\n\n((?:\|.*\n)+)", card, re.M)
    }
    lines = []
    for spec, title in RESULTS.items():
        head, cells = [], []
        for line in tables[spec].splitlines()[2:]:
            against, rate, span = (cell.strip() for cell in line.split("|")[1:4])
            low, high = map(float, span.split(" to "))
            head.append(re.sub(r"^\d x ", "", against))
            cells.append(f"{float(rate):.1f} ± {(high - low) / 2:.1f}")
        lines = lines or [f"| `champion` | {' | '.join(head)} |", "|---" * (len(head) + 1) + "|"]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def readme() -> str:
    """README.md with its table written anew."""
    return fill(README.read_text(encoding="utf-8"), {"results": results()})


def page() -> str:
    """The whole page."""
    rows = [f"| `{name}` | {plays} |" for name, plays in PLAYS.items()]
    lines = [HEAD, "| spec string | plays |", "|---|---|", *rows, OWN, *(f"##{card}" for card in cards())]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    README.write_text(readme(), encoding="utf-8")
    print(f"wrote {PAGE} and {README}")
