import json
import sys

import pytest

from thatch.cli import main


@pytest.fixture
def thatch(monkeypatch, capsys, tmp_path):
    """Run a command in an empty folder: its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["thatch", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            main()
        out, err = capsys.readouterr()
        return caught.value.code or 0, out, err

    return run


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
