"""Resuming runs on shards: what is refused, and how it is said."""

import pytest
from refusals import refused
from shard_tools import SHORT, ThisProcess, graph_problem, sharded

from thatch import Auto, BeliefPropagation, solve
from thatch.errors import FileFormatError, InputError
from thatch.solvers.effort import Effort


@pytest.fixture
def killed(tmp_path):
    """Shards on which a run was killed during its messages."""
    return _killed(tmp_path, 20)


def _killed(folder, fails_at):
    problem = sharded(graph_problem(), folder)
    with pytest.raises(KeyboardInterrupt):
        solve(problem, SHORT, engine=ThisProcess(fails_at))
    return problem


def resumed(problem, solver=SHORT):
    return solve(problem, solver, engine=ThisProcess(), resume=True)


def test_other_settings_are_refused_with_both_values(killed):
    with refused(InputError, "the budget differs", "(300, now 9)"):
        resumed(killed.with_budget(9))
    other = BeliefPropagation(max_iterations=12, damping=0.25, price=2.0)
    with refused(InputError, "damping", "(0.5, now 0.25)", "(the default, now 2)"):
        resumed(killed, other)


def test_another_effort_is_refused_in_the_words_of_users(killed):
    effort = Effort(sharded_message_iterations=12, sharded_descent_iterations=9)
    with refused(InputError, "effort", "8 descent steps", "9 descent steps") as error:
        resumed(killed, Auto(effort))
    assert "max_iterations" not in error.value.message


def test_shards_that_have_changed_are_refused(killed, tmp_path):
    again = sharded(graph_problem(seed=6), tmp_path)
    with refused(InputError, "shards have changed"):
        resumed(again)


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"settings": {}}'])
def test_a_damaged_journal_is_refused(killed, tmp_path, content):
    journal = tmp_path / "run" / "journal.json"
    journal.write_bytes(content)
    with refused(FileFormatError, journal.as_posix()):
        resumed(killed)


@pytest.mark.parametrize(
    ("fails_at", "pattern"),
    [
        (20, "shard-00001/run-*-messages-*.npy"),
        (20, "run/run-*/totals-*.npy"),
        (20, "run/run-*/selection-*.npy"),
        (50, "shard-00001/run-*-multipliers-*.npy"),
        (50, "shard-00002/run-*-sums-*.npy"),
    ],
)
def test_a_missing_file_of_the_run_is_refused(tmp_path, fails_at, pattern):
    problem = _killed(tmp_path, fails_at)
    files = list(tmp_path.glob(pattern))
    for file in files:
        file.unlink()
    with refused(InputError, "cannot resume", "missing") as error:
        resumed(problem)
    assert any(file.as_posix() in error.value.message for file in files)


def test_without_a_run_there_is_nothing_to_resume(tmp_path):
    problem = sharded(graph_problem(), tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with refused(InputError, "no run to resume", tmp_path.as_posix()):
        resumed(problem)
    solve(problem, SHORT, engine=ThisProcess())
    with refused(InputError, "no run to resume"):
        resumed(problem)
    assert sorted(tmp_path.rglob("*")) == before
