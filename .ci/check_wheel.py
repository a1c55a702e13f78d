"""Builds wheel and sdist, installs the wheel alone into a new environment, and plays there as a user would.

Holds: the wheel is pure Python, carries all it needs and nothing else, and says of itself what registries check; the
sdist carries tests and examples and builds the same wheel; neither torch nor stable-baselines3 is wanted by a user of
the environment; an exported policy and the shipped champion sit down as opponents; wrong input is one line and exit
code 2. Other supported Pythons that are here get the wheel too; for those that are not, all it needs is built.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from packaging.metadata import Metadata
from packaging.utils import parse_wheel_filename

ROOT = Path(__file__).resolve().parent.parent

MOST_CHAMPION_BYTES = 1_000_000
PYTHONS = ("3.11", "3.12", "3.13")
IN_SDIST = (
    "sorry_env/champions/classic-2.onnx",
    "agents/ppo.py",
    "tests/conftest.py",
    "tests/stacks/test_gymnasium_stack.py",
    "examples/pettingzoo_aec.py",
    "docs/stacks.md",
    ".ci/stacks.py",
    "train.py",
    "evaluate.py",
    "constraints.txt",
    "Makefile",
    "LICENSE",
)
SCRIPT = """
import sys, gymnasium
from sorry_env import sorry_v0
for opponent in ["greedy", sys.argv[1], "champion"]:
    env, wins = gymnasium.make("sorry_env:Sorry-v0", opponents=[opponent]), 0
    for game in range(100):
        _, info = env.reset(seed=game)
        over = False
        while not over:
            _, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
            over = terminated or truncated
        wins += reward > 0
    print(f"random won {wins} of 100 games against {opponent.split('/')[-1]}")
aec = sorry_v0.env(players=2)
aec.reset(seed=1)
for agent in aec.agent_iter():
    seen, _, terminated, truncated, _ = aec.last()
    aec.step(None if terminated or truncated else aec.action_space(agent).sample(seen["action_mask"]))
assert not [name for name in ("torch", "stable_baselines3") if name in sys.modules]
"""


def run(*command: str | Path, cwd: Path = ROOT, code: int = 0) -> str:
    """Runs a command and returns its output. Raises SystemExit where its exit code is not `code`."""
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise SystemExit(f"{command} ended with {done.returncode}, not {code}:\n{done.stdout}\n{done.stderr}")
    return done.stdout + done.stderr


def check_contents(wheel: Path) -> None:
    """The wheel holds `sorry_env` alone, with its type marker."""
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"sorry_env", wheel.name.split("-py3")[0] + ".dist-info"}, tops
    assert "sorry_env/py.typed" in names, "py.typed is missing"
    pages = {f"sorry_env/web/page/{path.name}" for path in (ROOT / "sorry_env" / "web" / "page").iterdir()}
    assert pages, "there are no pages"
    assert pages <= set(names), f"not in the wheel: {sorted(pages - set(names))}"
    champions = [file for file in zipfile.ZipFile(wheel).infolist() if file.filename.endswith(".onnx")]
    assert champions, "no champion is in the wheel"
    assert all(file.file_size < MOST_CHAMPION_BYTES for file in champions), champions


def check_metadata(wheel: Path) -> None:
    """The wheel is py3-none-any without compiled files; its metadata is valid, its README readable as Markdown."""
    _, _, _, tags = parse_wheel_filename(wheel.name)
    assert [str(tag) for tag in tags] == ["py3-none-any"], tags
    with zipfile.ZipFile(wheel) as archive:
        (about,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = Metadata.from_email(archive.read(about), validate=True)
        assert not [name for name in archive.namelist() if name.endswith((".so", ".pyd", ".nbi", ".nbc", ".pyc"))]
    assert metadata.description_content_type == "text/markdown", metadata.description_content_type
    assert metadata.description == (ROOT / "README.md").read_text(encoding="utf-8")
    told = {line.rpartition(" ")[2] for line in metadata.classifiers or [] if " :: Python :: 3." in line}
    assert told == set(PYTHONS), told
    assert metadata.license_expression == "MIT"


def check_sdist(sdist: Path, wheel: Path, folder: Path) -> None:
    """The sdist holds what a packager runs, and builds the wheel that the checkout builds, byte for byte."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        missing = [name for name in IN_SDIST if name not in names]
        assert not missing, missing
        archive.extractall(folder, filter="data")
    again = folder / "again"
    run(
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--wheel",
        "--outdir",
        again,
        folder / sdist.name[: -len(".tar.gz")],
    )
    assert (again / wheel.name).read_bytes() == wheel.read_bytes(), "the sdist builds another wheel"


def export_small_policy(folder: Path) -> Path:
    """An untrained policy for the classic game of two, exported by this environment, which has torch."""
    path = folder / "policy.onnx"
    program = (
        "import sys, torch; from pathlib import Path; torch.manual_seed(0);"
        "from agents.export import export_policy; from agents.policies import PolicyBody;"
        "from sorry_env import Batch; batch = Batch('classic', players=2);"
        "body = PolicyBody(batch.observations.shape[1], batch.masks.shape[1]);"
        "print(export_policy(body, batch.rules, Path(sys.argv[1])))"
    )
    run(sys.executable, "-c", program, path)
    return path


def find_python(version: str) -> Path | None:
    """An interpreter of that version that answers, from the path or from pyenv; None where there is none."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}"))]
    for python in filter(None, found):
        if subprocess.run([python, "--version"], capture_output=True, check=False).returncode == 0:
            return Path(python)
    return None


def check_python(version: str, wheel: Path, folder: Path) -> None:
    """Installs the wheel on one Python and plays; where it is not here, asks whether all it needs is built for it."""
    python = find_python(version)
    if python is None:
        ask = (
            "install",
            "--quiet",
            "--dry-run",
            "--ignore-installed",
            "--only-binary=:all:",
            "--python-version",
            version,
        )
        run(sys.executable, "-m", "pip", *ask, "--target", folder / "nowhere", wheel)
        print(f"Python {version} is not here; all that the wheel needs is built for it")
        return
    venv = folder / f"venv-{version}"
    run(python, "-m", "venv", venv)
    run(venv / "bin" / "python", "-m", "pip", "install", "--quiet", wheel, cwd=folder)
    told = run(venv / "bin" / "python", "-m", "sorry_env", "--version", cwd=folder)
    run(venv / "bin" / "sorry-env", "watch", "--players", "2", "greedy", "random", "--seed", "1", cwd=folder)
    print(f"Python {version}: installed and played, {', '.join(told.splitlines()[4:])}")


def main() -> None:
    """Builds, installs, plays."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder)
        (wheel,) = folder.glob("*.whl")
        (sdist,) = folder.glob("*.tar.gz")
        check_contents(wheel)
        check_metadata(wheel)
        check_sdist(sdist, wheel, folder)
        print(f"built {wheel.name} and {sdist.name}")
        venv = folder / "venv"
        run(sys.executable, "-m", "venv", venv)
        python = venv / "bin" / "python"
        run(python, "-m", "pip", "install", "--quiet", f"{wheel}[policy]", cwd=folder)
        policy = export_small_policy(folder)
        print(run(python, "-W", "error", "-c", SCRIPT, policy, cwd=folder).strip())
        print(run(python, "-m", "sorry_env", "--version", cwd=folder).strip())
        run(venv / "bin" / "sorry-env", "perft", "nonsense", "2", cwd=folder, code=2)
        packages = run(python, "-m", "pip", "list", cwd=folder)
        assert "torch" not in packages, packages
        for version in PYTHONS:
            if version != f"{sys.version_info.major}.{sys.version_info.minor}":
                check_python(version, wheel, folder)


if __name__ == "__main__":
    main()
