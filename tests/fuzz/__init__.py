"""Coverage-guided fuzzing of what reads texts and files from outside: `python -m tests.fuzz TARGET --minutes 10`."""
