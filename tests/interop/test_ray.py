"""A Ray cluster plays what one process plays, and a node that dies in the middle changes nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'sorry-env[ray]'")

os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}

from ray.cluster_utils import Cluster  # noqa: E402  # after the settings above

from agents.crews import open_crew  # noqa: E402
from agents.evaluation import Score, evaluate  # noqa: E402
from agents.ray_cluster import RayCluster  # noqa: E402
from agents.td import TDLearner, TDSettings  # noqa: E402
from sorry_env.errors import SorryError  # noqa: E402
from sorry_env.rules import rules_from  # noqa: E402

RULES = rules_from("classic:players=2")
GAMES = 16 * 512  # 16 tasks
SPECS = ["race", "random"]


class Nodes:
    """A head without processors, where this process is, and two nodes that play."""

    def __init__(self) -> None:
        self.cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
        self.workers = [self.cluster.add_node(num_cpus=1) for _ in range(2)]
        self.cluster.wait_for_nodes()

    def kill_one(self) -> None:
        """One of the nodes is gone at once, with what it was playing."""
        if len(self.workers) == 2:
            self.cluster.remove_node(self.workers.pop(), allow_graceful=False)


@pytest.fixture
def nodes() -> Iterator[Nodes]:
    """A cluster of this machine, gone after the test."""
    started = Nodes()
    yield started
    ray.shutdown()
    started.cluster.shutdown()


def table(crew: RayCluster | None = None, **options: Any) -> list[Score]:
    """What a small evaluation tells."""
    return evaluate(SPECS, RULES, GAMES, 3, crew, adjust="champion", **options)


def test_node_killed_in_an_evaluation(nodes: Nodes) -> None:
    """The table is that of one process, although a node dies after the first block."""
    told: list[int] = []

    def progress(done: int, total: int) -> None:
        told.append(done)
        if done < total:
            nodes.kill_one()

    with RayCluster(nodes.cluster.address) as crew:
        assert crew.size == 4
        assert table(crew, progress=progress) == table()
    assert len(nodes.workers) == 1
    assert len(told) == 16


def settings(out: Path, **changes: Any) -> TDSettings:
    """A small run."""
    small = {"rules": "mini-2", "games": 2560, "block": 640, "wide": 16, "narrow": 8, "checks": 0, "seed": 5}
    return TDSettings(**{**small, "out": out, **changes})


def test_node_killed_in_self_play(nodes: Nodes, tmp_path: Path) -> None:
    """Training goes on after a node has died, and learns bit for bit what it learns without Ray."""
    here = TDLearner(settings(tmp_path / "here"))
    here.learn(lambda learner: None)
    far = TDLearner(settings(tmp_path / "far", ray=(nodes.cluster.address,)))
    far.learn(lambda learner: nodes.kill_one())
    assert len(nodes.workers) == 1
    assert far.games == here.games == 2560
    assert np.array_equal(far.model().row, here.model().row)


def test_cluster_of_this_machine() -> None:
    """Without an address a cluster is begun here and ends with the crew."""
    with open_crew(1, ()) as crew:
        assert crew.submit(max, 2, 3).result(timeout=60) == 3
        assert ray.is_initialized()
    assert not ray.is_initialized()


def test_shared_arguments_are_stored_once(nodes: Nodes) -> None:
    """What many pieces share goes to the object store once, also beside others."""
    with RayCluster(nodes.cluster.address) as crew:
        first, second = np.arange(5), np.arange(7)
        futures = [crew.submit(np.append, piece, shared) for piece in range(3) for shared in (first, second)]
        assert [len(future.result(timeout=60)) for future in futures] == [6, 8] * 3
        assert len(crew._stored) == 2


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense", "ray://127.0.0.1:1"])
def test_no_cluster(address: str) -> None:
    """An address where no cluster is is refused on one line."""
    with pytest.raises(SorryError, match="--ray: no cluster at") as caught:
        RayCluster(address)
    assert "\n" not in str(caught.value)
    assert not ray.is_initialized()


def test_two_addresses() -> None:
    """Two addresses are most likely players behind --ray."""
    with pytest.raises(SorryError, match="name players before it"):
        open_crew(1, ("greedy", "random"))
