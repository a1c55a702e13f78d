"""Runs one target under atheris (libFuzzer): `python -m tests.fuzz TARGET --minutes 10`; the extra `fuzz` installs it.

Exit code 0: nothing found. Else libFuzzer's, with the traceback on stderr and the input in a file named there, which
`python -m tests.fuzz TARGET --file FILE` tries again.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Final

NAMES: Final = ("position", "move", "rules", "record", "policy")
ROOT: Final = Path(__file__).resolve().parents[2]


def main() -> int:
    """Runs the target; atheris ends the process itself."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("target", choices=NAMES)
    parser.add_argument("--minutes", type=float, default=1, help="how long")
    parser.add_argument("--runs", type=int, default=-1, help="inputs at most")
    parser.add_argument("--findings", default="", help="folder for inputs that are findings (the current one)")
    parser.add_argument("--file", type=Path, help="try this input alone, without atheris")
    told = parser.parse_args()
    if told.file:
        from .targets import TARGETS

        TARGETS[told.target].run(told.file.read_bytes())
        print("nothing found")
        return 0
    import atheris

    # Numba cannot compile instrumented code, and atheris leaves out only what is named in full.
    engine = [f"sorry_env.engine.{path.stem}" for path in (ROOT / "sorry_env" / "engine").glob("*.py")]
    with atheris.instrument_imports(include=["sorry_env"], exclude=engine):
        from .targets import TARGETS
    target = TARGETS[told.target]
    corpus = tempfile.mkdtemp(prefix=f"fuzz-{told.target}-")  # stays: atheris ends the process
    print(f"inputs that reach something new: {corpus}", flush=True)
    for k, seed in enumerate(target.seeds()):
        target.run(seed)
        (Path(corpus) / f"seed-{k}").write_bytes(seed)
    seconds = max(1, round(60 * told.minutes))
    limits = [f"-max_total_time={seconds}", f"-max_len={target.longest}", f"-runs={told.runs}"]
    prefix = f"-artifact_prefix={told.findings}/" if told.findings else "-artifact_prefix=./"
    watch = ["-timeout=30", "-rss_limit_mb=4096", "-print_final_stats=1", "-verbosity=1", prefix]
    atheris.Setup([sys.argv[0], *limits, *watch, corpus], target.run)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
