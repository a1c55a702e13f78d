"""Games a second on a Ray cluster of this machine, by the number of worker processes.

    python bench/cluster.py    # needs Ray: pip install 'sorry-env[ray]'

Evaluation is champion against race, self-play that of the champion as `train.py td --ray` asks for it.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from agents.evaluation import evaluate  # the checkout is not installed
from agents.ray_cluster import RayCluster
from sorry_env.players.value import CHAMPION, load_value
from sorry_env.rules import rules_from
from sorry_env.value_games import ValueGames


def rates(processes: int, games: int) -> tuple[float, float]:
    """Games a second of evaluation and of self-play, the workers warm."""
    rules = rules_from("classic:players=2")
    model = load_value(CHAMPION, rules)
    with RayCluster(processors=processes) as crew:
        self_play = ValueGames(1, crew)
        evaluate([CHAMPION, "race"], rules, 1024 * processes, 1, crew)
        self_play.play(model, 128 * processes, 0.9)
        begun = time.perf_counter()
        evaluate([CHAMPION, "race"], rules, 10 * games, 1, crew)
        middle = time.perf_counter()
        self_play.play(model, games, 0.9)
        return 10 * games / (middle - begun), games / (time.perf_counter() - middle)


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--games", type=int, default=4000, help="of self-play; ten times as many are evaluated")
    arguments = parser.parse_args()
    print(f"{'processes':>9}{'evaluation':>14}{'self-play':>14}   games a second")
    for processes in arguments.processes:
        evaluated, played = rates(processes, arguments.games)
        print(f"{processes:>9}{evaluated:>14,.0f}{played:>14,.0f}", flush=True)


if __name__ == "__main__":
    main()
