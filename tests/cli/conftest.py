import json

import pytest

from thatch.cli.app import run


@pytest.fixture
def thatch(monkeypatch, capsys, tmp_path):
    """Run a command in an empty folder: its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments):
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return command


@pytest.fixture
def trap(tmp_path):
    """The toy problem that lures greedy solvers, as a file."""
    path = tmp_path / "trap.json"
    problem = {
        "format": "thatch-coverage",
        "version": 1,
        "budget": 2,
        "weights": [3, 5, 5, 3],
        "sets": [[1, 2], [0, 1], [2, 3]],
        "item_names": ["bait", "left", "right"],
    }
    path.write_text(json.dumps(problem))
    return path
