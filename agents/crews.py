"""Who does the work: this process, more of them, or a Ray cluster (`ray_cluster.py`). Results never depend on it.

A crew is an executor of the standard library that also says how many pieces of work it likes to have in hand. A piece
is a function and arguments that can be pickled, and playing it twice gives the same: whoever dies, another plays it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeVar

from sorry_env.errors import SorryError

Piece = TypeVar("Piece")


class Crew(Executor):
    """An executor that says how much it likes to have in hand."""

    @property
    def size(self) -> int:
        """Pieces of work that it is given ahead of the one whose result is waited for."""
        return 0


class Here(Crew):
    """This process: `submit` does the work itself."""

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        """Does a piece of work; what it raises is raised here."""
        future: Future[Any] = Future()
        future.set_result(work(*arguments, **options))
        return future


class Processes(ProcessPoolExecutor, Crew):
    """Further processes of this machine.

    Args:
        number: how many.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number, get_context("spawn"))
        self._number = number

    @property
    def size(self) -> int:
        """See `Crew.size`."""
        return self._number


def work_through(crew: Crew, work: Callable[..., Any], pieces: Iterable[Piece], *arguments: Any) -> Iterator[Any]:
    """Pairs of piece and result, in order.

    Args:
        crew: does it.
        work: called with a piece and `arguments`.
        pieces: may be lazy: the next one is asked for when the crew is about to need it.
        *arguments: what all pieces share.
    """
    ahead: deque[tuple[Piece, Future[Any]]] = deque()
    for piece in pieces:
        ahead.append((piece, crew.submit(work, piece, *arguments)))
        if len(ahead) > crew.size:
            first, future = ahead.popleft()
            yield first, future.result()
    for first, future in ahead:
        yield first, future.result()


def open_crew(workers: int, ray: Sequence[str] | None) -> Crew:
    """The crew that a program's settings mean.

    Args:
        workers: processes of this machine, 1 or more; 1 is this process.
        ray: None, or the address of a Ray cluster, or nothing for one of this machine.

    Raises:
        SorryError: several addresses, no Ray, or no such cluster.
    """
    if ray is None:
        return Here() if workers == 1 else Processes(workers)
    from agents.ray_cluster import RayCluster

    if len(ray) > 1:
        raise SorryError(f"--ray: takes one address, not {' '.join(ray)!r}; name players before it")
    return RayCluster(ray[0] if ray else "")
