"""Golden games replay line by line to the same end, and cover every use of every card."""

from __future__ import annotations

from pathlib import Path

import pytest
from write_goldens import FOLDER, GAMES, all_uses, uses_of

from sorry_env import read_record, rules_from
from sorry_env.rules import PRESETS

PATHS = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", PATHS, ids=[path.name for path in PATHS])
def test_golden_replays_to_the_same_end(path: Path) -> None:
    """A golden game's record plays again card by card, to a finished game with the very same record."""
    text = path.read_text(encoding="utf-8")
    game = read_record(text)
    assert game.is_over
    assert game.record() == text


def test_goldens_cover_every_use_and_rule_set() -> None:
    """There is one file for each game of the script, every named rule set occurs, and no use is left out."""
    games = [read_record(path.read_text(encoding="utf-8")) for path in PATHS]
    assert [game.rules for game in games] == [rules_from(rules, **options) for rules, options in GAMES]
    assert {rules for rules, _ in GAMES} == set(PRESETS)
    assert set().union(*(uses_of(game) for game in games)) == all_uses()
