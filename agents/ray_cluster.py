"""A Ray cluster as a crew: plain tasks, what many share through the object store, lost ones begun anew."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Final

import sorry_env
from agents.crews import Crew
from sorry_env.errors import SorryError

KEPT: Final = 4  # arguments that are remembered as being in the object store
CONNECT_SECONDS: Final = 10
AHEAD: Final = 2  # tasks in hand for each processor, so that none waits for the next
_SOURCES: Final = [str(Path(module).parent) for module in (__file__, sorry_env.__file__)]


class RayCluster(Crew):
    """Ray tasks of one processor each. A task whose node dies is begun anew elsewhere, as often as need be.

    Args:
        address: `HOST:PORT` or `auto` for a cluster that runs, `ray://HOST:10001` for one that is reached through Ray's
            client; "" begins a cluster of this machine alone, which ends with the crew. To other machines the sources
            of `agents` and `sorry_env` are sent along; what those need must be installed there.
        processors: of a cluster that is begun here; by default all of this machine.

    Raises:
        SorryError: Ray is not installed, or there is no such cluster.
    """

    def __init__(self, address: str = "", processors: int | None = None) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            import ray
        except ImportError:
            raise SorryError("--ray: needs Ray: pip install 'sorry-env[ray]', or pip install ray") from None
        self._ray = ray
        if address not in ("", "auto"):
            _check_reachable(address)  # for Ray's own attempts take minutes
        options: dict[str, Any] = {"num_cpus": processors, "include_dashboard": False}
        if address:
            options = {"address": address, "runtime_env": {"py_modules": _SOURCES, "excludes": ["**/__pycache__"]}}
        try:
            ray.init(log_to_driver=False, logging_level="error", **options)
        except Exception as error:  # Ray raises plain ones, too, such as where a node does not start in time
            where = f"at {address!r}" if address else "of this machine"
            raise SorryError(f"--ray: no cluster {where}: {(str(error) or repr(error)).splitlines()[0]}") from None
        self._task = ray.remote(num_cpus=1, max_retries=-1)(_do)
        self._stored: list[tuple[Any, Any]] = []  # an argument and its reference

    @property
    def size(self) -> int:
        """Follows the cluster as it grows and shrinks."""
        return AHEAD * max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        """Begins a task. Arguments behind the first one are shared: each is stored once."""
        shared = [self._store(argument) for argument in arguments[1:]]
        future: Future[Any] = self._task.remote(work, *arguments[:1], *shared, **options).future()
        return future

    def _store(self, argument: Any) -> Any:
        for known, reference in self._stored:
            if known is argument:
                return reference
        self._stored = [*self._stored[1 - KEPT :], (argument, self._ray.put(argument))]
        return self._stored[-1][1]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leaves the cluster; one that was begun here ends."""
        self._ray.shutdown()


def _check_reachable(address: str) -> None:
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        raise SorryError(f"--ray: no cluster at {address!r}: not HOST:PORT, ray://HOST:PORT or auto")
    try:
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise SorryError(f"--ray: no cluster at {address!r}: {error}") from None


def _do(work: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    return work(*arguments, **options)
