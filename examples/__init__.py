"""One short file for each framework; docs/stacks.md shows them all."""
