"""The named errors: ValueErrors whose one-line message quotes the offending part and says what would be right."""

from __future__ import annotations


class SorryError(ValueError):
    """Base of every error that this package raises for wrong input."""


class RulesError(SorryError):
    """A rules name, field or combination of fields that does not make sense (RULES 7)."""


class MalformedError(SorryError):
    """Text that is not written as RULES 8 (or the record format) says."""


class IllegalError(SorryError):
    """Well-formed, but against the rules: an impossible position or a move that is not legal."""


class AmbiguousError(SorryError):
    """An abbreviated move that fits several legal moves."""


class SpecError(SorryError):
    """A player's spec string or option that does not exist."""


class PolicyError(SorryError):
    """A policy file that is missing, damaged or made for another game."""


def quoted(text: object, most: int = 80) -> str:
    """A text from elsewhere as Python would write it, cut where it is long."""
    whole = str(text)
    return repr(whole if len(whole) <= most else whole[: most - 3] + "...")


def one_line(what: object, most: int = 160) -> str:
    """A text from elsewhere as part of a message: its first line, cut, and nothing in it that steers a terminal."""
    return printable((str(what).splitlines() or [""])[0][:most])


def in_short(error: BaseException) -> str:
    """What an error of a library's says, on one line."""
    return one_line(" ".join(str(error).split()), 200)


def printable(text: str) -> str:
    """A text with question marks for what may steer a terminal, line ends too."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
