import json
import sqlite3
import subprocess
import sys

import coverage
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from refusals import refused

from thatch.errors import FileFormatError, InputError
from thatch.suites.coverage_files import read_recording

CONTEXTS = [
    "",
    "tests/test_a.py::test_one|setup",
    "tests/test_a.py::test_one|run",
    "tests/test_a.py::test_two[x|y]|run",
    "tests/test_a.py::test_two[é ::]|teardown",
    "linux|tests/test_b.py::TestC::test_three|run",
]
TESTS = {
    "tests/test_a.py::test_one": CONTEXTS[1:3],
    "tests/test_a.py::test_two[x|y]": CONTEXTS[3:4],
    "tests/test_a.py::test_two[é ::]": CONTEXTS[4:5],
    "tests/test_b.py::TestC::test_three": CONTEXTS[5:6],
}
lines = st.sets(st.integers(1, 300), min_size=1, max_size=20)
measurements = st.dictionaries(
    st.tuples(st.sampled_from(CONTEXTS), st.sampled_from(["/src/a.py", "C:\\b.py"])),
    lines,
    max_size=12,
)


def write_lines(path, measured):
    data = coverage.CoverageData(str(path))
    for (context, file), found in measured.items():
        data.set_context(context)
        data.add_lines({file: found})
    data.close()
    return data


def lines_by_test(recording):
    """Every test, and the lines that it runs."""
    found = {test: set() for test in recording.tests}
    for group in recording.groups:
        for test in group.tests.tolist():
            places = {(recording.files[file], line) for file, line in group.lines}
            assert not places & found[recording.tests[test]]
            found[recording.tests[test]] |= places
    return found


def expected_from(data):
    """The same by the package coverage, without lines that run outside of tests."""
    found = {test: set() for test in TESTS}
    for file in data.measured_files():
        for line, contexts in data.contexts_by_lineno(file).items():
            for test, names in TESTS.items():
                if "" not in contexts and set(names) & set(contexts):
                    found[test].add((file, line))
    return found


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(measurements)
def test_lines_are_those_that_coverage_reads(tmp_path_factory, measured):
    path = tmp_path_factory.mktemp("data") / ".coverage"
    data = write_lines(path, measured)
    if not any(context for context, _ in measured):
        with refused(InputError, path):
            read_recording(path)
        return
    read = lines_by_test(read_recording(path))
    assert read == {test: expected_from(data)[test] for test in read}
    assert all(not expected_from(data)[test] for test in set(TESTS) - set(read))


arcs = st.sets(st.tuples(st.integers(-3, 40), st.integers(-3, 40)), min_size=1)


@settings(max_examples=20)
@given(st.dictionaries(st.sampled_from(CONTEXTS[1:]), arcs, min_size=1))
def test_branches_are_read_as_lines(tmp_path_factory, measured):
    path = tmp_path_factory.mktemp("data") / ".coverage"
    data = coverage.CoverageData(str(path))
    for context, found in measured.items():
        data.set_context(context)
        data.add_arcs({"/src/a.py": found})
    data.close()
    read = lines_by_test(read_recording(path))
    assert read == {test: expected_from(data)[test] for test in read}


def test_lines_of_the_same_tests_are_one_group(tmp_path):
    one, two = CONTEXTS[2], CONTEXTS[3]
    write_lines(
        tmp_path / ".coverage",
        {(one, "a.py"): [1, 2, 3], (two, "a.py"): [3], (one, "b.py"): [7]},
    )
    recording = read_recording(tmp_path / ".coverage")
    assert sorted(len(group.lines) for group in recording.groups) == [1, 3]
    assert recording.num_lines == 4


def test_a_report_of_coverage_gives_the_same_as_its_data(tmp_path):
    (tmp_path / "a.py").write_text(
        "def f(x):\n    if x:\n        x = 2\n    return x\n"
    )
    file = str(tmp_path / "a.py")
    write_lines(
        tmp_path / ".coverage",
        {("", file): [1], (CONTEXTS[2], file): [1, 2, 4], (CONTEXTS[3], file): [2, 3]},
    )
    command = [sys.executable, "-m", "coverage", "json", "--show-contexts", "-q"]
    subprocess.run(command, cwd=tmp_path, check=True)
    report = read_recording(tmp_path / "coverage.json")
    found = lines_by_test(report)
    assert {test: {line for _, line in found[test]} for test in found} == {
        "tests/test_a.py::test_one": {2, 4},
        "tests/test_a.py::test_two[x|y]": {2, 3},
    }


def test_a_missing_file_is_refused_with_the_command_that_records_it(tmp_path):
    with refused(InputError, tmp_path / ".coverage") as caught:
        read_recording(tmp_path / ".coverage")
    assert "--cov-context=test" in caught.value.hint


def test_data_without_contexts_are_refused(tmp_path):
    path = tmp_path / ".coverage"
    write_lines(path, {("", "a.py"): [1, 2]})
    with refused(FileFormatError, path) as caught:
        read_recording(path)
    assert "--cov-context=test" in caught.value.hint


def test_a_report_without_contexts_is_refused(tmp_path):
    path = tmp_path / "coverage.json"
    path.write_text(json.dumps({"files": {"a.py": {"executed_lines": [1]}}}))
    with refused(FileFormatError, path) as caught:
        read_recording(path)
    assert "--show-contexts" in caught.value.hint


def test_another_schema_is_refused(tmp_path):
    path = tmp_path / ".coverage"
    write_lines(path, {(CONTEXTS[2], "a.py"): [1]})
    database = sqlite3.connect(path)
    database.execute("update coverage_schema set version = 99")
    database.commit()
    database.close()
    with refused(FileFormatError, path, 99):
        read_recording(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"SQLite format 3\0" + b"\xff" * 200,
        b"\x00\x01binary",
        b"[1, 2]",
        b'{"files": 3}',
        b'{"files": {"a.py": {"contexts": {"x": ["t::a"]}}}}',
        b'{"files": {"a.py": 3}}',
        b"[" * 100_000,
    ],
    ids=range(8),
)
def test_damaged_files_are_refused(tmp_path, content):
    path = tmp_path / ".coverage"
    path.write_bytes(content)
    with refused(FileFormatError, path):
        read_recording(path)


def test_a_truncated_data_file_is_refused(tmp_path):
    path = tmp_path / ".coverage"
    write_lines(path, {(CONTEXTS[2], f"{k}.py"): range(1, 900) for k in range(30)})
    path.write_bytes(path.read_bytes()[:9000])
    with refused(FileFormatError, path):
        read_recording(path)


def test_a_folder_is_refused(tmp_path):
    with refused(InputError, tmp_path):
        read_recording(tmp_path)


def test_other_databases_are_refused(tmp_path):
    path = tmp_path / "other.db"
    database = sqlite3.connect(path)
    database.execute("create table notes (text)")
    database.commit()
    database.close()
    with refused(FileFormatError, path):
        read_recording(path)
