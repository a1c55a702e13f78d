"""Prints docs/stacks.md from the files in `examples/`; a test holds the page equal to them."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parent / "stacks.md"
EXAMPLES: Final = Path(__file__).parent.parent / "examples"
ORDER: Final = (
    "pettingzoo_aec",
    "gymnasium_masks",
    "sb3_maskable_ppo",
    "cleanrl_ppo",
    "torchrl_ppo",
    "tianshou_dqn",
    "rllib",
    "openspiel",
    "own_opponent",
    "register_in_your_project",
    "onnxruntime_only",
)
HEAD: Final = """\
# In your stack

This page is printed by `python docs/print_stacks.py` from the files in `examples/`. Each runs as it is pasted, in
seconds to a minute; those that end with an export want a clone, which has `agents/`: `python -m examples.NAME` there.

`make stacks` runs every one of them and its tests, each framework in an environment of its own with the built wheel,
and PettingZoo and Gymnasium also in the oldest versions that we allow.
The tests hold that no illegal action reached the game (each plays in an environment that raises), and that the losing
seat's final reward is in what the framework learns from.

| if the mask is wanted in | it is |
|---|---|
| the observation | `observation["action_mask"]` of `sorry_v0`; of Gymnasium with `observation="dict"` |
| the info | `info["action_mask"]`, everywhere |
| a method | `action_masks()` of Gymnasium's environments, unwrapped |
| an array | `Batch.masks`, int8 (B, A) |
"""


def section(name: str) -> list[str]:
    """An example: the first line of its docstring as heading, the rest as text, then its code."""
    source = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    title, _, text = (ast.get_docstring(tree) or "").partition("\n")
    code = "\n".join(source.splitlines()[tree.body[0].end_lineno :]).strip()
    path = f"examples/{name}.py"
    return ["", f"## {title.rstrip('.')}", "", text.strip(), "", f"`{path}`", "", "```python", code, "```"]


def page() -> str:
    """The whole page."""
    lines = [HEAD.rstrip("\n")]
    for name in ORDER:
        lines += section(name)
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
