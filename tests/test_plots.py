"""A run's course as a file and as a picture, and the pictures of an evaluation."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from programs import check_refusal, in_process, without_progress
from tiny_runs import figures, run

from agents import pictures
from agents.evaluation import Score
from agents.intervals import wilson_interval
from agents.league import League
from agents.pictures import MOST_POINTS, SELVES, draw_evaluation, draw_progress, recording, win_rate_curves
from agents.progress import PROGRESS_FILE, ProgressLog, ProgressRow, read_progress
from agents.ratings import Rating
from sorry_env.errors import SorryError
from sorry_env.players import load_player
from sorry_env.rules import rules_from

PNG = b"\x89PNG\r\n\x1a\n"
TD = ["train.py", "td", "--rules", "mini-1", "--games", "40", "--block", "10", "--wide", "8", "--narrow", "4",
      "--threads", "1", "--eval-games", "4", "--checks", "2"]  # fmt: skip
PPO = ["train.py", "ppo", "--rules", "mini-1", "--timesteps", "512", "--envs", "8", "--steps", "16", "--epochs", "1",
       "--minibatch", "64", "--opponents", "random", "greedy", "--self-every", "200", "--eval-games", "4"]  # fmt: skip


def rows_of_a_run(count: int = 60) -> list[ProgressRow]:
    """A made-up run that gets better."""
    rng = np.random.default_rng(1)
    rows = []
    for k in range(1, count + 1):
        results = {
            name: (20, int(rng.binomial(20, share + 0.3 * k / count)))
            for name, share in (("random", 0.6), ("greedy", 0.4), (f"self-{k // 20:04d}", 0.5))
        }
        rows.append(ProgressRow(60 * k, 1000 * k, 2.0 * k, 1 / k, results))
    return rows


def written(folder: Path, rows: list[ProgressRow]) -> Path:
    """A folder with a run's progress."""
    log = ProgressLog(folder, 0)
    for row in rows:
        log.add(row)
    return folder


def check_pictures(files: list[Path], *words: str) -> None:
    """A PNG and an SVG of each, whose texts are texts; nothing is left over."""
    for png, svg in zip(files[::2], files[1::2], strict=True):
        assert (png.suffix, svg.suffix, png.stem) == (".png", ".svg", svg.stem)
        assert png.read_bytes().startswith(PNG)
    text = "".join(svg.read_text(encoding="utf-8") for svg in files[1::2])
    assert not [word for word in words if word not in text]
    assert not list(files[0].parent.glob(".*"))


# --- The file ---


def test_progress_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Rows come back as they were, each line is a JSON object with named numbers; without a file there are none."""
    rows = rows_of_a_run(3)
    assert read_progress(tmp_path) == []
    assert read_progress(written(tmp_path / "new" / "run", rows)) == rows
    lines = (tmp_path / "new" / "run" / PROGRESS_FILE).read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])
    assert set(first) == {"games", "timesteps", "seconds", "loss", "results"}
    assert first["results"]["random"][0] == 20


def test_a_resumed_run_drops_what_it_will_do_again(tmp_path: Path) -> None:
    """Rows after the checkpoint are dropped, and all of them where a run begins anew."""
    rows = rows_of_a_run(5)
    written(tmp_path, rows)
    ProgressLog(tmp_path, 3000).add(rows[4])
    assert read_progress(tmp_path) == [*rows[:3], rows[4]]
    ProgressLog(tmp_path, 0)
    assert read_progress(tmp_path) == []


def test_damaged_progress(tmp_path: Path) -> None:
    """A line that a crash has cut off at the end is left out; any other damage is named with its line."""
    rows = rows_of_a_run(3)
    path = written(tmp_path, rows) / PROGRESS_FILE
    text = path.read_text(encoding="utf-8")
    path.write_text(text[:-20], encoding="utf-8")
    assert read_progress(tmp_path) == rows[:2]
    for damaged in ("{}", "[]", "null", "x", '{"games": 1}', text.splitlines()[0].replace("[20,", "[")):
        path.write_text(f"{text}{damaged}\n", encoding="utf-8")
        with pytest.raises(SorryError, match=r"line 4: .* is no row of progress.jsonl"):
            read_progress(tmp_path)


def test_tally() -> None:
    """A league counts games since it was last asked, each once for an opponent, however many seats it had."""
    league = League(rules_from("classic"), [load_player("random"), load_player("greedy")])
    league.report(np.array([0, 0, 1]), won=True)
    league.report(np.array([0, 0, 0]), won=False)
    assert league.take_tally() == {"random": (2, 1), "greedy": (1, 1)}
    assert league.take_tally() == {}


# --- A training's course ---


def test_curves() -> None:
    """All games of a run are in its curve, earlier selves are one, and intervals are Wilson's of what was played."""
    rows = rows_of_a_run()
    curves = win_rate_curves(rows)
    assert set(curves) == {"random", "greedy", SELVES}
    for name, curve in curves.items():
        at, rate, low, high = curve.T
        assert len(curve) == MOST_POINTS
        assert (np.diff(at) > 0).all()
        assert at[-1] == rows[-1].games
        assert ((low < rate) & (rate < high)).all()
        keys = {key for row in rows for key in row.results if name in (key, SELVES if key.startswith("self-") else key)}
        played = [row.results[key] for row in rows for key in keys & set(row.results)]
        assert rate.mean() == pytest.approx(sum(won for _, won in played) / sum(games for games, _ in played))
    first = [rows[k].results["random"] for k in range(3)]
    won, games = sum(won for _, won in first), 60
    assert curves["random"][0].tolist() == [180, won / games, *wilson_interval(won, games)]


def test_curves_of_few_measurements() -> None:
    """Reports without games make no points; one measurement is one point."""
    rows = [ProgressRow(k, k, k, 1.0, {"race": (100, 70)} if k == 3 else {}) for k in range(1, 6)]
    assert win_rate_curves(rows)["race"].tolist() == [[3, 0.7, *wilson_interval(70, 100)]]
    assert win_rate_curves([ProgressRow(1, 1, 1.0, 1.0, {"race": (0, 0)})]) == {}


def test_progress_pictures(tmp_path: Path) -> None:
    """A PNG and an SVG with a curve an opponent, the even share, and the loss; the same run is the same bytes."""
    files = draw_progress(written(tmp_path, rows_of_a_run()), "a run", 0.5)
    assert [file.name for file in files] == ["progress.png", "progress.svg"]
    words = ("a run", "against random", "against greedy", "against earlier selves", "even, 50 %", "loss", "games")
    check_pictures(files, *words)
    before = [file.read_bytes() for file in files]
    assert [file.read_bytes() for file in draw_progress(tmp_path, "a run", 0.5)] == before
    written(tmp_path, rows_of_a_run(59))
    assert files[0].read_bytes() == before[0]
    draw_progress(tmp_path, "a run", 0.5)
    assert files[0].read_bytes() != before[0]


def test_nothing_to_draw(tmp_path: Path) -> None:
    """A run without a report has no picture; one report, and one that never met anybody, have."""
    assert draw_progress(tmp_path, "none") == []
    written(tmp_path, [ProgressRow(10, 10, 1.0, 0.5, {})])
    check_pictures(draw_progress(tmp_path, "one"), "one")


def test_picture_of_a_run_that_broke_off(tmp_path: Path) -> None:
    """Ctrl-C in training leaves the picture of what there is."""

    def interrupted() -> None:
        with recording(tmp_path, 0, "title", 0.5, "train.py") as log:
            log.add(rows_of_a_run(1)[0])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    check_pictures([tmp_path / "progress.png", tmp_path / "progress.svg"], "title")


def without(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a library were not installed."""
    monkeypatch.setattr(pictures, "find_spec", lambda name: None if name == library else object())


def test_training_without_matplotlib(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without matplotlib one line names it, training goes on, and the file is there to be drawn later."""
    without("matplotlib", monkeypatch)
    code, stdout, stderr = in_process([*TD, "--out", str(tmp_path)], capsys, monkeypatch)
    assert code == 0
    told = "train.py: warning: no progress.png: matplotlib is not installed: pip install matplotlib\n"
    assert without_progress(stderr) == told
    assert "progress.png" not in stdout
    assert len(read_progress(tmp_path)) == 4
    assert not (tmp_path / "progress.png").exists()


def test_td_tells_its_course(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row a block with the loss that TensorBoard shows, and each measurement against race; then the picture."""
    code, stdout, stderr = in_process([*TD, "--out", str(tmp_path)], capsys, monkeypatch)
    assert (code, without_progress(stderr)) == (0, "")
    rows = read_progress(tmp_path)
    assert [row.games for row in rows] == [10, 20, 30, 40]
    logged = figures(tmp_path)["td/loss"]
    assert {row.games: row.loss for row in rows} == pytest.approx(logged, rel=1e-6)
    assert [row.results["race"][0] for row in rows if row.results] == [1000] * sum(bool(row.results) for row in rows)
    assert sum(bool(row.results) for row in rows) >= 2
    check_pictures([tmp_path / "progress.png", tmp_path / "progress.svg"], "against race", "mini-1")
    assert "progress.png" in stdout.replace("\n", "")
    resumed = [*TD, "--resume", "--games", "60", "--out", str(tmp_path)]
    assert in_process(resumed, capsys, monkeypatch)[0] == 0
    assert [row.games for row in read_progress(tmp_path)] == [10, 20, 30, 40, 50, 60]


def test_ppo_tells_its_course(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row an update; over the run every game against the league is counted once."""
    code, _, stderr = in_process([*PPO, "--out", str(tmp_path)], capsys, monkeypatch)
    assert (code, without_progress(stderr)) == (0, "")
    rows = read_progress(tmp_path)
    assert [row.timesteps for row in rows] == [128, 256, 384, 512]
    assert sum(games for row in rows for games, _ in row.results.values()) == rows[-1].games > 0
    assert {"random", "greedy", "self-0001"} <= {name for row in rows for name in row.results}
    check_pictures([tmp_path / "progress.png", tmp_path / "progress.svg"], "against random", "against earlier selves")


def test_loss_of_an_update(tmp_path: Path) -> None:
    """PPO's loss is that of the whole update: the means of its parts by their weights."""
    learner = run(tmp_path, timesteps=128, entropy="0.05")
    found = {tag: values[128] for tag, values in figures(tmp_path).items()}
    parts = [found[f"train/{part}_loss"] for part in ("policy_gradient", "entropy", "value")]
    assert learner.loss == pytest.approx(parts[0] + 0.05 * parts[1] + 0.5 * parts[2], rel=1e-5)
    assert math.isfinite(learner.loss)


def test_drawing_again(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m agents.pictures FOLDER` draws a run anew; a folder without a run is refused in one line."""
    written(tmp_path / "run", rows_of_a_run(5))
    monkeypatch.setattr("sys.argv", ["pictures", str(tmp_path / "run")])
    pictures.main()
    files = [Path(line) for line in capsys.readouterr().out.splitlines()]
    check_pictures(files, "against random")
    for arguments, words in (([str(tmp_path)], "there is no progress.jsonl"), ([], "give one folder")):
        monkeypatch.setattr("sys.argv", ["pictures", *arguments])
        with pytest.raises(SorryError, match=words):
            pictures.main()


# --- An evaluation ---


def test_evaluation_pictures(tmp_path: Path) -> None:
    """Ratings with or without bounds, and the cross-table with each cell's number and interval."""
    ratings = [Rating("weak", -1.0, -1.2, -0.8, 0.27, 0.2, 0.3), Rating("runs/a/very/long/path/policy.onnx", 1.0, None,
               None, 0.73, None, None)]  # fmt: skip
    score = Score("a", "b", 100, 50, 0.6, 0.55, 0.65, 0.5, 10, 100, 0, 0.612, 0.58, 0.644, 2.0)
    cells = [(0, 1, score), (1, 0, score)]
    files = draw_evaluation(tmp_path / "new", "title", ratings, ["weak", "other"], cells)
    assert [file.name for file in files] == ["ratings.png", "ratings.svg", "cross-table.png", "cross-table.svg"]
    check_pictures(files, "title", "weak", "-1.00   27 %", "open   73 %", "61.2", "± 3.2", "other", "…")
    assert draw_evaluation(tmp_path, "title", ratings, ["weak", "other"], []) == [
        tmp_path / "ratings.png",
        tmp_path / "ratings.svg",
    ]


@pytest.mark.parametrize(
    ("players", "more", "names"),
    [
        ("random greedy", (), ["ratings"]),
        ("random greedy race", (), ["cross-table", "ratings"]),
        ("random greedy race", ("--rules", "classic:pawns=1", "--players", "4", "--tables", "mixed"), ["ratings"]),
        ("random greedy race", ("--rules", "classic:pawns=1", "--players", "3", "--tables", "field"),
         ["cross-table", "ratings"]),
    ],
)  # fmt: skip
def test_evaluate_plots(
    players: str,
    more: tuple[str, ...],
    names: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`evaluate.py --plot FOLDER` draws ratings, and of three players in pairs or fields the cross-table."""
    folder = tmp_path / "pictures"
    rules = () if more else ("--rules", "mini-1")
    line = ["evaluate.py", *players.split(), *rules, *more, "--games", "40", "--plot", str(folder)]
    code, stdout, stderr = in_process(line, capsys, monkeypatch)
    assert (code, without_progress(stderr)) == (0, "")
    assert sorted(file.name for file in folder.iterdir()) == [f"{name}.{form}" for name in names for form in ("png",
                                                              "svg")]  # fmt: skip
    check_pictures([folder / f"{name}.{form}" for name in names for form in ("png", "svg")], *players.split())
    assert "pictures in" in stdout


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("evaluate.py random --rules mini-1 --regret --plot x", "--regret: plays against perfect play alone"),
        ("evaluate.py greedy --protocol sorry-bench-1 --plot x", "leave out --plot"),
        ("evaluate.py greedy random --plot pyproject.toml", "pyproject.toml"),
    ],
)
def test_plot_is_refused(
    line: str, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is nothing to draw, or no folder to draw it to, nothing is played."""
    monkeypatch.chdir(Path(__file__).parent.parent)
    check_refusal(*in_process(line.split(), capsys, monkeypatch), "evaluate.py", words)


@pytest.mark.parametrize("library", ["matplotlib", "choix"])
def test_plot_without_a_library(
    library: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library that is missing is named before anything is played."""
    without(library, monkeypatch)
    line = ["evaluate.py", "greedy", "random", "--plot", str(tmp_path)]
    words = f"--plot: needs {library}: pip install {library}"
    check_refusal(*in_process(line, capsys, monkeypatch), "evaluate.py", words)
