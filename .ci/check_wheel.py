"""Builds wheel and sdist, installs the wheel alone into a new environment, and plays there as a user would.

Holds: the wheel carries all it needs and nothing else; neither torch nor stable-baselines3 is wanted by a user of the
environment; an exported policy and the shipped champion sit down as opponents; wrong input is one line and exit code 2.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

MOST_CHAMPION_BYTES = 1_000_000
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
    champions = [file for file in zipfile.ZipFile(wheel).infolist() if file.filename.endswith(".onnx")]
    assert champions, "no champion is in the wheel"
    assert all(file.file_size < MOST_CHAMPION_BYTES for file in champions), champions


def export_small_policy(folder: Path) -> Path:
    """An untrained policy for the classic game of two, exported by this environment, which has torch."""
    path = folder / "policy.onnx"
    program = (
        "import sys, torch; from pathlib import Path; torch.manual_seed(0);"
        "from agents.export import export_policy; from agents.ppo import PolicyBody;"
        "from sorry_env import Batch; batch = Batch('classic', players=2);"
        "body = PolicyBody(batch.observations.shape[1], batch.masks.shape[1]);"
        "print(export_policy(body, batch.rules, Path(sys.argv[1])))"
    )
    run(sys.executable, "-c", program, path)
    return path


def main() -> None:
    """Builds, installs, plays."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder)
        (wheel,) = folder.glob("*.whl")
        (sdist,) = folder.glob("*.tar.gz")
        check_contents(wheel)
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


if __name__ == "__main__":
    main()
