"""The plugin in a real project, with coverage that pytest-cov records."""

import json
import shutil

import pytest
from sample_suite import run_pytest, run_pytest_here, write_project

pytestmark = pytest.mark.slow

ALL_KINDS = [f"tests/test_{name}.py::test_all_kinds" for name in ("prices", "stock")]
NUM_TESTS, NUM_LINES = 30, 51


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The project after a run with coverage; no test changes it."""
    folder = tmp_path_factory.mktemp("recorded")
    write_project(folder)
    answer = run_pytest(folder, "-q", "--cov=shop", "--cov-context=test")
    assert "30 passed" in answer, answer.text
    # Equal durations, so that it is known which tests are cheapest.
    path = folder / ".pytest_cache" / "v" / "thatch" / "durations"
    durations = json.loads(path.read_text())
    assert len(durations) == NUM_TESTS
    assert all(seconds > 0 for seconds in durations.values())
    path.write_text(json.dumps(dict.fromkeys(durations, 0.5)))
    return folder


@pytest.fixture
def project(recorded, tmp_path):
    """A copy of the project, to be changed."""
    return shutil.copytree(recorded, tmp_path / "project")


def selected(answer):
    """Node ids that ``--collect-only -q`` lists."""
    return [line for line in answer.text.splitlines() if line.startswith("tests/")]


def test_the_selected_tests_keep_the_share_when_they_are_measured_again(project):
    shutil.copy(project / ".coverage", project / "recorded.coverage")
    answer = run_pytest(
        project,
        *("--thatch-cover", "90%", "--thatch-data", "recorded.coverage"),
        *("--cov=shop", "--cov-report=json"),
    )
    assert "3 passed, 27 deselected" in answer, answer.text
    totals = json.loads((project / "coverage.json").read_text())["totals"]
    # The recorded tests covered every statement.
    assert totals["covered_lines"] >= 0.9 * totals["num_statements"]
    assert totals["covered_lines"] < totals["num_statements"]


def test_the_summary_says_what_is_kept_and_lost_with_the_bound(recorded):
    answer = run_pytest_here(recorded, "--thatch-cover", "0.9")
    assert answer.line("tests") == "tests    3 of 30"
    assert answer.line("time") == "time     1.5 s of 15 s"
    assert "90% takes less than 1.5 s (gap 0.00%)" in answer.line("bound")
    assert answer.line("lines") == "lines    48 of 51 (94.12%)"
    assert answer.line("shop/stock.py").split() == ["shop/stock.py", "1", "17"]
    answer = run_pytest_here(recorded, "--thatch-cover", "90 %", "--thatch-lost")
    assert answer.line("shop/stock.py").split() == ["shop/stock.py", "1", "17", "19"]


def test_a_time_is_a_goal(recorded):
    answer = run_pytest_here(recorded, "--thatch-seconds", "1.2")
    assert "2 passed, 28 deselected" in answer
    assert "within 1.2 s covers more than 32 (gap 0.00%)" in answer.line("lines")


def test_workers_of_xdist_select_the_same_tests(recorded):
    answer = run_pytest(recorded, "--thatch-cover", "100%", "-n", "2")
    assert "6 passed" in answer, answer.text
    assert answer.line("lines") == "lines    51 of 51 (100.00%)"


def test_groups_of_xdist_do_not_hide_the_tests(project):
    module = project / "tests" / "test_stock.py"
    marks = '\npytestmark = pytest.mark.xdist_group("one@two")\n'
    module.write_text(module.read_text() + marks)
    options = "--thatch-cover", "100%", "-n", "1", "--dist", "loadgroup"
    answer = run_pytest(project, *options)
    assert "6 passed" in answer, answer.text
    assert "note" not in answer


def test_only_collected_tests_are_selected(recorded):
    answer = run_pytest_here(recorded, "--thatch-cover", "90%", "-k", "prices")
    assert "1 passed, 29 deselected" in answer
    assert answer.line("tests") == "tests    1 of 10"
    assert answer.line("note").startswith("note     20 tests in the coverage data")


def test_collecting_lists_the_selected_tests(recorded):
    answer = run_pytest_here(recorded, "--thatch-cover", "90%", "--collect-only", "-q")
    assert selected(answer)[:2] == ALL_KINDS


def test_markers_require_and_exclude_tests(project):
    module = project / "tests" / "test_stock.py"
    code = module.read_text().replace(
        "def test_all_kinds", "@pytest.mark.thatch_excluded\ndef test_all_kinds"
    )
    code = code.replace("class Test", "@pytest.mark.thatch_required\nclass Test")
    module.write_text(code)
    answer = run_pytest_here(project, "--thatch-cover", "90%", "--collect-only", "-q")
    chosen = [test for test in selected(answer) if "stock" in test]
    assert "tests/test_stock.py::TestTwice::test_twice" in chosen
    assert "tests/test_stock.py::test_all_kinds" not in chosen
    assert "1 test required" in answer
    assert "1 test excluded" in answer
    assert "thatch_required: " in run_pytest_here(project, "--markers")


def test_new_tests_always_run(project):
    code = (
        "import pytest\n\n@pytest.mark.parametrize('text', ['é', 'a b', '[x]', ''])\n"
    )
    code += "def test_new(text):\n    pass\n"
    (project / "tests" / "test_new.py").write_text(code, encoding="utf-8")
    answer = run_pytest_here(project, "--thatch-cover", "90%")
    assert "7 passed" in answer
    assert "note     4 tests without coverage data: tests/test_new.py::" in answer
    assert " and 1 more\n" in answer


def test_tests_that_failed_in_the_last_run_always_run(project):
    chosen = selected(
        run_pytest_here(project, "--thatch-cover", "90%", "--collect-only", "-q")
    )
    module = project / "tests" / "test_stock.py"
    module.write_text(module.read_text() + "\n\ndef test_broken():\n    assert False\n")
    run_pytest_here(project, "--cov=shop", "--cov-context=test")
    for _ in range(2):
        answer = run_pytest_here(project, "--thatch-cover", "90%")
        assert f"1 failed, {len(chosen)} passed" in answer, answer.text
    assert "1 test failed last time: tests/test_stock.py::test_broken\n" in answer


def test_parameters_with_any_characters_are_recorded_and_selected(project):
    values = ["é", "a b", "x|run", "[y]", "c::d", "e\\f", "g@h"]
    code = "import pytest\nfrom shop import prices\n\n"
    code += f"@pytest.mark.parametrize('text', {values!r})\n"
    code += "def test_strange(text):\n    prices.scale(0, 3)\n"
    (project / "tests" / "test_strange.py").write_text(code, encoding="utf-8")
    run_pytest(project, "-q", "--cov=shop", "--cov-context=test")
    answer = run_pytest_here(project, "--thatch-cover", "100%", "-k", "strange")
    assert "1 passed" in answer, answer.text
    assert "without coverage data" not in answer
    assert "unknown duration" not in answer


def test_deleted_files_and_tests_do_no_harm(project):
    (project / "shop" / "taxes.py").unlink()
    (project / "tests" / "test_taxes.py").unlink()
    answer = run_pytest_here(project, "--thatch-cover", "90%")
    assert "2 passed" in answer


def test_functions_as_contexts_are_matched_where_they_are_unambiguous(project):
    (project / ".coveragerc").write_text("[run]\ndynamic_context = test_function\n")
    assert "30 passed" in run_pytest(project, "-q", "--cov=shop")
    answer = run_pytest_here(project, "--thatch-cover", "100%")
    # Each module has one function with five parameters, whose context they share.
    assert "note     15 tests without coverage data: " in answer
    assert "3 functions in the coverage data shared by several" in answer
    assert "21 passed, 9 deselected" in answer


def test_durations_come_from_a_file(project):
    run_pytest_here(project, "-q", "--junit-xml=junit.xml")
    answer = run_pytest_here(
        project, "--thatch-cover", "90%", "--thatch-durations", "junit.xml"
    )
    assert answer.code == 0
    assert "note" not in answer
    (project / "some.json").write_text(json.dumps({ALL_KINDS[0]: 3.0}))
    answer = run_pytest_here(
        project, "--thatch-cover", "90%", "--thatch-durations", "some.json"
    )
    assert "29 tests of unknown duration" in answer


def test_durations_are_recorded_on_request(project):
    shutil.rmtree(project / ".pytest_cache")
    answer = run_pytest_here(project, "--thatch-cover", "90%")
    assert "no durations are known" in answer
    assert "3 passed" in answer
    answer = run_pytest_here(project, "--thatch-seconds", "60")
    assert (answer.code, "hint: " in answer) == (4, True)
    run_pytest(project, "-q", "-n", "1", "--thatch-record")
    answer = run_pytest_here(project, "--thatch-seconds", "60")
    assert "no durations" not in answer
    assert "lines    51 of 51 (100.00%)" in answer


def test_the_cache_is_not_needed(recorded):
    options = "-p", "no:cacheprovider"
    answer = run_pytest_here(recorded, "--thatch-cover", "90%", *options)
    assert "3 passed" in answer
    assert "no durations are known" in answer
    assert "30 passed" in run_pytest_here(recorded, "--thatch-record", *options)


def test_a_report_is_as_good_as_the_data(project):
    run_pytest(
        project,
        *("-q", "--cov=shop", "--cov-context=test", "--cov-report=json"),
        COVERAGE_RCFILE=str(write_report_settings(project)),
    )
    answer = run_pytest_here(
        project, "--thatch-cover", "90%", "--thatch-data", "coverage.json"
    )
    assert " of 51 (9" in answer.line("lines")


def write_report_settings(project):
    path = project / ".coveragerc"
    path.write_text("[json]\nshow_contexts = True\n")
    return path


def test_no_tests_collected_is_what_pytest_says_it_is(recorded):
    answer = run_pytest_here(recorded, "--thatch-cover", "90%", "-k", "nothing")
    assert answer.code == 5
    assert "30 deselected" in answer


def test_the_plugin_imports_nothing_of_thatch_until_it_is_used(project):
    code = "import sys\n\ndef test_thatch():\n    assert 'thatch' not in sys.modules\n"
    code += "    assert '_thatch_pytest_plugin' in sys.modules\n"
    (project / "tests" / "test_imports.py").write_text(code)
    assert "1 passed" in run_pytest(project, "-k", "test_thatch")


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        (["--thatch-cover", "95"], ["'95'", "95%"]),
        (["--thatch-cover", "most"], ["'most'"]),
        (["--thatch-cover", "101%"], ["'101%'"]),
        (["--thatch-cover", "nan"], ["'nan'"]),
        (["--thatch-seconds", "-3"], ["'-3'"]),
        (["--thatch-seconds", "inf"], ["'inf'"]),
        (["--thatch-cover", "9%", "--thatch-seconds", "3"], ["-cover", "-seconds"]),
        (["--thatch-cover", "9%", "--thatch-data", "none"], ["none", "--cov-context"]),
        (["--thatch-cover", "9%", "--thatch-data", "pytest.ini"], ["pytest.ini"]),
        (["--thatch-cover", "9%", "--thatch-durations", "none"], ["none"]),
        (["--thatch-cover", "9%", "--cov=shop"], ["--cov", "--thatch-data"]),
    ],
    ids=lambda given: " ".join(given[:4]),
)
def test_bad_options_are_errors_with_a_hint(recorded, options, facts):
    before = (recorded / ".coverage").read_bytes()
    run = run_pytest if "--cov=shop" in options else run_pytest_here
    answer = run(recorded, *options)
    assert answer.code == 4, answer.text
    assert "hint: " in answer
    assert "Traceback" not in answer
    for fact in facts:
        assert fact in answer
    assert (recorded / ".coverage").read_bytes() == before


def test_data_without_contexts_are_an_error_with_the_command_that_records_them(project):
    run_pytest(project, "-q", "--cov=shop")
    answer = run_pytest_here(project, "--thatch-cover", "90%")
    assert answer.code == 4
    assert "--cov-context=test" in answer
    # A process of xdist has nobody to tell: the error comes before it starts.
    answer = run_pytest(project, "--thatch-cover", "90%", "-n", "2")
    assert (answer.code, "INTERNALERROR" in answer) == (4, False)


@pytest.mark.parametrize("options", [(), ("-n", "1")], ids=["here", "in a worker"])
def test_required_tests_that_take_too_long_are_an_error(project, options):
    module = project / "tests" / "test_stock.py"
    mark = "@pytest.mark.thatch_required\nclass Test"
    module.write_text(module.read_text().replace("class Test", mark))
    answer = run_pytest(project, "--thatch-seconds", "0.4", *options)
    assert answer.code == 4, answer.text
    assert "(1 test) take 0.5 s; the limit is 0.4 s" in answer
    assert "INTERNALERROR" not in answer
