import numpy as np
import pytest
from refusals import refused

from thatch import InputError
from thatch.suites.recording import LineGroup, Recording
from thatch.suites.suite import Suite


def suite_with(files, tests, **arguments):
    """Suite whose tests all run one line of each file."""
    every = np.arange(len(tests))
    groups = tuple(LineGroup(every, ((number, 3),)) for number in range(len(files)))
    recording = Recording(tuple(tests), tuple(files), groups)
    return Suite.of(recording, durations={}, **arguments)


def files_that_count(suite):
    return {suite.files[file] for group in suite.groups for file, _ in group.lines}


@pytest.mark.parametrize(
    "test_file",
    ["/project/tests/test_a.py", "C:\\project\\tests\\test_a.py", "tests/test_a.py"],
)
def test_lines_of_test_modules_do_not_count(test_file):
    files = [test_file, "/project/tests/conftest.py", "/project/src/test_a.py"]
    suite = suite_with(files, ["tests/test_a.py::test_b[x.y]"])
    assert files_that_count(suite) == {"/project/src/test_a.py"}
    suite = suite_with(files, ["tests.test_a.TestB.test_c"])
    assert files_that_count(suite) == {"/project/src/test_a.py"}


def test_a_file_with_doctests_is_no_test_module():
    suite = suite_with(["/project/src/a.py"], ["src/a.py::a.function"])
    assert files_that_count(suite) == {"/project/src/a.py"}


def test_data_of_test_modules_alone_are_refused():
    with refused(InputError, "tests"):
        suite_with(["/project/tests/test_a.py"], ["tests/test_a.py::test_b"])


def test_files_below_the_root_are_named_relative_to_it(tmp_path):
    files = [str(tmp_path / "src" / "a.py"), "/elsewhere/b.py"]
    suite = suite_with(files, ["tests/test_a.py::test_b"], root=tmp_path)
    assert suite.files == (
        str(tmp_path / "src" / "a.py")[len(str(tmp_path)) + 1 :],
        "/elsewhere/b.py",
    )


def test_groups_that_differ_only_in_tests_that_were_not_collected_are_merged():
    groups = (
        LineGroup(np.array([0, 1]), ((0, 1),)),
        LineGroup(np.array([0, 2]), ((0, 2), (0, 3))),
        LineGroup(np.array([1, 2]), ((0, 4),)),
    )
    recording = Recording(("t.py::a", "t.py::b", "t.py::c"), ("a.py",), groups)
    suite = Suite.of(recording, node_ids=["t.py::a"], durations={})
    (group,) = suite.groups
    assert (group.tests.tolist(), len(group.lines)) == ([0], 3)
    problem = suite.problem
    assert (problem.num_items, problem.weights.tolist()) == (1, [3.0])


def test_an_empty_suite_has_an_empty_problem():
    recording = Recording(("t.py::a",), ("a.py",), ())
    assert Suite.of(recording, node_ids=[], durations={}).problem.num_items == 0
