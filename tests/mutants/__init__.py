"""Wrong rules, one at a time, to show that the tests notice each: `python -m tests.mutants`."""
