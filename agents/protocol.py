"""Fixed, named evaluations, so that two papers can be compared: everything but the player under test is data here.

A protocol never changes once it is published; a better one gets a new name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from agents.crews import Crew
from agents.evaluation import Played, Score, Terms, play_matches
from agents.intervals import mean_interval
from agents.luck import Adjuster, open_adjuster
from agents.matches import alone_against
from sorry_env.errors import PolicyError, RulesError, SorryError
from sorry_env.players import Player, load_player
from sorry_env.players.value import CHAMPION
from sorry_env.rules import rules_from
from sorry_env.values import num_sides


@dataclass(frozen=True)
class Protocol:
    """What is played.

    Attributes:
        name: also what `evaluate.py --protocol` takes.
        seeds: seed of decks and players, by rule set.
        opponents: spec strings; the player meets each in each rule set, alone against a field of them.
        games: games against each opponent.
        pins: sha256 of the shipped champion by which results are adjusted, by rule set; rule sets without one are told
            raw.
    """

    name: str
    seeds: Mapping[str, int]
    opponents: tuple[str, ...]
    games: int
    pins: Mapping[str, str]


PROTOCOLS: Final = {
    "sorry-bench-1": Protocol(
        name="sorry-bench-1",
        seeds={"classic:players=2": 1, "classic": 2, "teams": 3, "points:players=2": 4},
        opponents=("random", "greedy", "race", "solitaire"),
        games=4000,
        pins={
            "classic:players=2": "ba2a4fa270de341b09c004040b75d868364857fda5cfc47ff5a9223d2ac7710a",
            "classic": "e7edd78c64d80b4d83f87b8d88b2216615e00dd03c466c1e7a614d2f79e5eb3d",
            "teams": "dbf7a9ec58fc6646f42b039068fa4e2caada54dcd0deb052203b27e061444e7a",
        },
    )
}


@dataclass(frozen=True)
class Mean:
    """A mean win rate over several rows of the score table.

    Attributes:
        win_rate: 0 to 1, each row counting alike, adjusted where the rule set is.
        low: lower end of the 95 % interval.
        high: upper end.
    """

    win_rate: float
    low: float
    high: float


@dataclass(frozen=True)
class Section:
    """What a player did in one rule set.

    Attributes:
        rules: spec string of the rules record.
        adjuster: whose luck was taken out, or None.
        scores: one against each opponent; none where the player cannot play these rules.
        mean: over the opponents.
        reason: why the player cannot play, or "".
    """

    rules: str
    adjuster: Adjuster | None
    scores: tuple[Score, ...] = ()
    mean: Mean | None = None
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "rules": self.rules,
            "adjuster": self.adjuster.as_dict() if self.adjuster else None,
            "scores": [score.as_dict() for score in self.scores],
            "mean": asdict(self.mean) if self.mean else None,
            "reason": self.reason,
        }


def find_protocol(name: str) -> Protocol:
    """The protocol of a name. Raises SorryError."""
    if name not in PROTOCOLS:
        raise SorryError(f"--protocol: no {name!r}; known: {', '.join(PROTOCOLS)}")
    return PROTOCOLS[name]


def open_pinned(protocol: Protocol) -> dict[str, Adjuster]:
    """The adjuster of each rule set that has one.

    Raises:
        SorryError: a champion that is not shipped, or is another than the protocol's.
    """
    opened = {}
    for spec, pin in protocol.pins.items():
        try:
            adjuster = open_adjuster(CHAMPION, rules_from(spec))
        except PolicyError:
            adjuster = None
        if adjuster is None:
            raise SorryError(f"{protocol.name}: it adjusts {spec!r} by the champion, and none is shipped here")
        if adjuster.sha256 != pin:
            raise SorryError(
                f"{protocol.name}: the champion for {spec!r} has the sha256 {adjuster.sha256[:12]}, the protocol's has "
                f"{pin[:12]}"
            )
        opened[spec] = adjuster
    return opened


def open_everywhere(protocol: Protocol, spec: str) -> dict[str, Player | str]:
    """The player under test for each rule set, or why it cannot play it.

    Raises:
        SpecError: no such player.
        SorryError: a player that can play none of the rule sets.
    """
    found: dict[str, Player | str] = {}
    load_player(spec)  # refuses what is no player at all
    for name in protocol.seeds:
        try:
            found[name] = load_player(spec, rules_from(name))
        except (PolicyError, RulesError) as error:
            found[name] = str(error)
    reasons = [reason for reason in found.values() if isinstance(reason, str)]
    if len(reasons) == len(found):
        raise SorryError(f"{protocol.name}: {spec!r} can play none of its rule sets: {reasons[0]}")
    return found


def run_protocol(
    protocol: Protocol,
    spec: str,
    seated: Mapping[str, Player | str],
    adjusters: Mapping[str, Adjuster],
    crew: Crew | None = None,
    progress: Callable[[float, str], None] | None = None,
) -> list[Section]:
    """Plays a protocol.

    Args:
        protocol: what is played.
        spec: spec string of the player under test.
        seated: see `open_everywhere`.
        adjusters: see `open_pinned`.
        crew: who plays; by default this process. The results do not depend on it.
        progress: called with the part that is done, 0 to 1, and the rule set.
    """
    sections = []
    for k, (name, seed) in enumerate(protocol.seeds.items()):
        player, adjuster, rules = seated[name], adjusters.get(name), rules_from(name)
        if isinstance(player, str):
            sections.append(Section(name, adjuster, reason=player))
            continue

        def show(done: int, total: int, k: int = k, name: str = name) -> None:
            if progress:
                progress((k + done / total) / len(protocol.seeds), name)

        terms = Terms((spec, *protocol.opponents), rules, protocol.games, seed, adjuster)
        sections.append(_play_section(terms, crew, show))
    return sections


def _play_section(terms: Terms, crew: Crew | None, progress: Callable[[int, int], None]) -> Section:
    sides = num_sides(terms.rules)
    matches = [alone_against(0, other, sides) for other in range(1, len(terms.specs))]
    played = play_matches(matches, terms, crew, progress)
    scores = tuple(score for match in played for score in match.scores(terms.specs, terms.seed))
    return Section(terms.rules.spec(), terms.adjuster, scores, _mean_of(played))


def _mean_of(played: Sequence[Played]) -> Mean:
    """Over matches of the same decks, which hang together."""
    fair = np.mean([match.outcome(0).fair for match in played], axis=0)
    return Mean(float(fair.mean()), *mean_interval(fair))


def headline(sections: Sequence[Section]) -> Mean | None:
    """The mean win rate over all rows; None where the player could not play every rule set."""
    means = [section.mean for section in sections if section.mean]
    if len(means) < len(sections):
        return None
    win_rate = float(np.mean([mean.win_rate for mean in means]))
    # Decks of different rule sets have nothing to do with each other: half widths add as squares.
    reach = float(np.sqrt(np.sum([((mean.high - mean.low) / 2) ** 2 for mean in means]))) / len(means)
    return Mean(win_rate, win_rate - reach, win_rate + reach)
