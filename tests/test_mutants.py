"""The table of wrong rules fits the source, and the page of the last whole run shows that tests notice each of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from mutants.mutations import MUTATIONS, Mutation, StaleError

HERE = Path(__file__).parent
ALL = pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)


@ALL
def test_mutation_fits_the_source(mutation: Mutation) -> None:
    """The old text stands in its file exactly once, and the new one makes another program by changing one line."""
    wrong = mutation.applied_to((HERE.parent / mutation.file).read_text(encoding="utf-8"))
    compile(wrong, mutation.file, "exec")
    old, new = mutation.old.split("\n"), mutation.new.split("\n")
    assert sum((Counter(old) - Counter(new)).values()) <= 1
    assert mutation.old != mutation.new


def test_stale_mutation_is_named() -> None:
    """A source that has changed is refused with the mutation's name, the file and how often the old text is there."""
    mutation = MUTATIONS[0]
    for source, count in (("", 0), (2 * mutation.old, 2)):
        with pytest.raises(StaleError, match=rf"{mutation.name}.* stale.* {count} times in {mutation.file}"):
            mutation.applied_to(source)


def test_table_of_mutations() -> None:
    """There are many mutations, each with a name of its own and a ruling that RULES has."""
    assert len(MUTATIONS) >= 40
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS)
    rulings = {"7", *(HERE / "rule_numbers.txt").read_text(encoding="utf-8").split()}
    assert {mutation.ruling for mutation in MUTATIONS} <= rulings


def test_no_mutation_survived() -> None:
    """The page of the last whole run names every mutation and the test that noticed it."""
    page = (HERE / "mutants" / "table.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| ")]
    told = {(name, ruling, file.strip("`")): killer for name, ruling, file, killer, _ in rows[1:]}
    assert told.keys() == {(mutation.name, mutation.ruling, mutation.file) for mutation in MUTATIONS}
    for name, killer in told.items():
        assert killer.startswith("`"), f"no test notices {name}"
