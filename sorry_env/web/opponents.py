"""Who may sit down against a person: names from a listing, never a path that a client gives."""

from __future__ import annotations

import contextlib
import stat
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sorry_env.errors import SorryError
from sorry_env.players import Player, load_player
from sorry_env.rules import Rules
from sorry_env.web.refusal import RefusedError

NAMED: Final = {
    "greedy": "runs for Home",
    "random": "any legal move",
    "race": "runs, and hinders",
    "solitaire": "the strongest light player",
    "champion": "trained by self-play",
    "expectimax": "the champion, looking ahead",
    "expectimax:value=solitaire": "solitaire, looking ahead",
    "perfect": "never errs",
}
MOST_FILES: Final = 200
_MOST_LOADED: Final = 64


@dataclass(frozen=True)
class Choice:
    """One entry of the listing.

    Attributes:
        name: what a client sends.
        about: what people read beside it.
        why_not: why it cannot play the rules asked for; empty where it can.
    """

    name: str
    about: str
    why_not: str


class Opponents:
    """The named players, and the `.onnx` files of one folder.

    Args:
        folder: where policy files lie; None for none.

    Raises:
        SorryError: a folder that is none.
    """

    def __init__(self, folder: Path | None) -> None:
        if folder is not None and not folder.is_dir():
            raise SorryError(f"policies: {str(folder)!r} is not a folder")
        self._folder = folder
        self._lock = threading.Lock()
        self._loaded: dict[tuple[str, float, Rules], Player] = {}

    def choices(self, rules: Rules) -> list[Choice]:
        """Everybody, with why some cannot play these rules."""
        found, files = [], self._files()
        for name in (*NAMED, *files):
            why_not = ""
            try:
                self._player(name, rules, files)
            except SorryError as error:
                why_not = str(error)
            found.append(Choice(name, NAMED.get(name, "policy file"), why_not))
        return found

    def player(self, name: str, rules: Rules) -> Player:
        """The player of a listed name, bound to the rules. Raises RefusedError (400), and what the player raises."""
        return self._player(name, rules, {} if name in NAMED else self._files())

    def _player(self, name: str, rules: Rules, files: dict[str, tuple[Path, float]]) -> Player:
        if name not in NAMED and name not in files:
            raise RefusedError(
                400, f"opponent: {name[:80]!r} is not listed; there are: {', '.join((*NAMED, *files))[:800]}"
            )
        path, changed = files.get(name, (name, 0.0))
        spec = str(path)
        key = (spec, changed, rules)
        with self._lock:
            if key in self._loaded:
                return self._loaded[key]
        player = self._load(name, spec, rules)
        with self._lock:
            while len(self._loaded) >= _MOST_LOADED:
                self._loaded.pop(next(iter(self._loaded)))
            self._loaded[key] = player
        return player

    def _load(self, name: str, spec: str, rules: Rules) -> Player:
        try:
            return load_player(spec, rules)
        except SorryError as error:  # the folder's place is nothing that clients need to know
            raise type(error)(str(error).replace(spec, name)) from None

    def _files(self) -> dict[str, tuple[Path, float]]:
        """Path of each policy file by its name, and when it was changed; one that is deleted meanwhile is left out."""
        if self._folder is None:
            return {}
        files: dict[str, tuple[Path, float]] = {}
        for path in sorted(self._folder.absolute().glob("*.onnx")):
            with contextlib.suppress(OSError):
                found = path.stat()
                if stat.S_ISREG(found.st_mode) and path.name.isprintable() and len(files) < MOST_FILES:
                    files[path.name] = path, found.st_mtime
        return files
