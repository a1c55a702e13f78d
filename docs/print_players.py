"""Prints docs/players.md: what is written here, and the model cards of the champions as they lie beside their files."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sorry_env.players import known_players
from sorry_env.players.value import CHAMPIONS

PAGE: Final = Path(__file__).parent / "players.md"
PLAYS: Final = {
    "random": "any legal action",
    "greedy": "for the least distance of its own side to Home",
    "race": "for the least distance of its own side less the opponents' mean",
    "solitaire": "as `race`, distance counted in turns that a lone pawn needs, and shy of being bumped",
    "perfect": "a game that `sorry-env solve` has solved, without a mistake",
    "champion": "the value network that is shipped for the rules; cards below",
    "expectimax": "for the best average over the next card of a value player; `depth=1` or `2`, `value=PLAYER`",
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


def page() -> str:
    """The whole page. Raises ValueError where a built-in player has no line here."""
    if set(PLAYS) != set(known_players()):
        raise ValueError(f"players {known_players()}, but lines for {list(PLAYS)}")
    rows = [f"| `{name}` | {plays} |" for name, plays in PLAYS.items()]
    cards = [path.read_text(encoding="utf-8") for path in sorted(CHAMPIONS.glob("*.md"))]
    lines = [HEAD, "| spec string | plays |", "|---|---|", *rows, OWN, *(f"##{card}" for card in cards)]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
