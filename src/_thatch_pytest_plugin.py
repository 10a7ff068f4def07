"""The pytest plugin of thatch: run the cheapest tests that keep most of the coverage.

pytest imports this module in every run. It is outside of the package, so that nothing
of thatch is imported until one of its options is used: that would slow down each run,
and hide the first lines of thatch from a measurement of its own coverage.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from thatch.errors import ThatchError
    from thatch.suites.recording import Recording
    from thatch.suites.suite_report import SuiteReport

_REQUIRED, _EXCLUDED = "thatch_required", "thatch_excluded"
# What processes of pytest-xdist send.
_REPORT, _ERROR = "thatch_report", "thatch_error"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("thatch", "selection of tests by coverage (thatch)")
    group.addoption(
        "--thatch-cover",
        metavar="SHARE",
        help="Run the cheapest tests that keep this share of the covered lines, such "
        "as 95%% or 0.95.",
    )
    group.addoption(
        "--thatch-seconds",
        metavar="SECONDS",
        help="Run the tests that cover the most lines and take at most this long.",
    )
    group.addoption(
        "--thatch-data",
        metavar="FILE",
        help="Coverage with contexts: a data file, or a report of coverage json "
        "--show-contexts.  [default: .coverage in the root folder]",
    )
    group.addoption(
        "--thatch-durations",
        metavar="FILE",
        help="Durations of the tests: a file from --junit-xml, or JSON with seconds by "
        "node id.  [default: those recorded in pytest's cache]",
    )
    group.addoption(
        "--thatch-record",
        action="store_true",
        help="Record durations in pytest's cache, as --cov-context=test does.",
    )
    group.addoption(
        "--thatch-lost",
        action="store_true",
        help="List all covered lines that the selected tests do not cover.",
    )


# In the old style, which the oldest versions of pytest know, too.
@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    """Refuse to let pytest-cov erase the data before they are read."""
    given = early_config.known_args_namespace
    is_erasing = getattr(given, "cov_source", None) and not given.cov_append
    if _is_selecting(given) and is_erasing:
        path = _data_file(given, early_config)
        erased = Path(os.environ.get("COVERAGE_FILE", ".coverage"))
        if path.resolve() == erased.resolve():
            raise pytest.UsageError(
                f"--cov would erase {path}, which the selection of tests needs.\n"
                "hint: Copy the file, and name the copy with --thatch-data."
            )
    yield


def pytest_configure(config: pytest.Config) -> None:
    """Add markers, and what the options ask for."""
    config.addinivalue_line(
        "markers", f"{_REQUIRED}: thatch always selects the test; its coverage counts."
    )
    config.addinivalue_line("markers", f"{_EXCLUDED}: thatch never selects the test.")
    if _is_selecting(config.option):
        config.pluginmanager.register(_Selector(config), "thatch-selector")
    elif not hasattr(config, "workerinput") and (
        config.option.thatch_record or config.getoption("cov_context", None) == "test"
    ):
        config.pluginmanager.register(_Recorder(config), "thatch-recorder")


def _is_selecting(options: Any) -> bool:
    return options.thatch_cover is not None or options.thatch_seconds is not None


def _data_file(options: Any, config: pytest.Config) -> Path:
    given = options.thatch_data or os.environ.get("COVERAGE_FILE")
    if given:
        return config.invocation_params.dir / str(given)
    return config.rootpath / ".coverage"


def _refuse(error: ThatchError) -> NoReturn:
    raise pytest.UsageError(_text(error)) from error


def _text(error: ThatchError) -> str:
    return f"{error.message}\nhint: {error.hint}"


class _Recorder:
    """Keeps the durations of tests in the cache of pytest."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        seconds = self._seconds.get(report.nodeid, 0.0) + report.duration
        self._seconds[report.nodeid] = seconds

    def pytest_sessionfinish(self) -> None:
        cache = getattr(self._config, "cache", None)
        if cache is None or not self._seconds:
            return
        from thatch.suites.durations import CACHE_KEY

        known = _cached_durations(self._config)
        known |= {name: round(each, 6) for name, each in self._seconds.items()}
        paths = {name.partition("::")[0] for name in known}
        present = {path for path in paths if (self._config.rootpath / path).exists()}
        kept = {
            name: seconds
            for name, seconds in sorted(known.items())
            if name.partition("::")[0] in present
        }
        cache.set(CACHE_KEY, kept)


def _cached_durations(config: pytest.Config) -> dict[str, float]:
    from thatch.suites.durations import CACHE_KEY, valid_durations

    cache = getattr(config, "cache", None)
    return {} if cache is None else valid_durations(cache.get(CACHE_KEY, {}))


class _Selector:
    """Deselects tests, and reports what is lost."""

    def __init__(self, config: pytest.Config) -> None:
        from thatch.errors import ThatchError

        self._config = config
        self._report: SuiteReport | None = None
        self._error = ""
        try:
            self._share, self._seconds = _goal(config.option)
            self._recording = self._read()
            self._durations = self._read_durations()
        except ThatchError as error:
            _refuse(error)

    def _read(self) -> Recording:
        from thatch.suites.coverage_files import read_recording

        return read_recording(_data_file(self._config.option, self._config))

    def _read_durations(self) -> dict[str, float]:
        from thatch.suites.durations import read_durations

        given = self._config.option.thatch_durations
        if given is None:
            return _cached_durations(self._config)
        return read_durations(self._config.invocation_params.dir / given)

    def pytest_report_header(self) -> str:
        path = _data_file(self._config.option, self._config)
        goal = self._config.option.thatch_cover
        if goal is not None:
            return f"thatch: cheapest tests that keep {goal} of the lines in {path}"
        seconds = self._config.option.thatch_seconds
        return f"thatch: most lines of {path} in {seconds} s"

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        from thatch.errors import ThatchError

        if not items:
            return
        recorded = set(self._recording.tests)
        names = [_name(item, recorded) for item in items]
        try:
            self._report = self._selected(items, names)
        except ThatchError as error:
            if not hasattr(self._config, "workeroutput"):
                _refuse(error)
            # The process of pytest-xdist that started this one raises the error.
            self._error = _text(error)
        chosen = set() if self._report is None else set(self._report.selected)
        pairs = list(zip(items, names, strict=True))
        deselected = [item for item, name in pairs if name not in chosen]
        if deselected:
            self._config.hook.pytest_deselected(items=deselected)
            items[:] = [item for item, name in pairs if name in chosen]

    def _selected(self, items: list[pytest.Item], names: list[str]) -> SuiteReport:
        from thatch.suites.selecting import select_tests
        from thatch.suites.suite import Suite

        suite = Suite.of(
            self._recording,
            node_ids=list(dict.fromkeys(names)),
            durations=self._durations,
            root=self._config.rootpath,
        )
        return select_tests(
            suite,
            share=self._share,
            seconds=self._seconds,
            required=_marked(_REQUIRED, items, names),
            excluded=_marked(_EXCLUDED, items, names),
            failed=self._failed(items, names),
        )

    def _failed(self, items: list[pytest.Item], names: list[str]) -> list[str]:
        """Names of the tests that failed last time, or whose file or class did."""
        cache = getattr(self._config, "cache", None)
        failed = {} if cache is None else cache.get("cache/lastfailed", {})
        pairs = zip(items, names, strict=True)
        return [
            name
            for item, name in pairs
            if name in failed or any(node.nodeid in failed for node in item.listchain())
        ]

    def pytest_report_collectionfinish(self) -> list[str]:
        if self._report is None:
            return []
        line = (
            f"thatch: {len(self._report.selected)} of {self._report.num_tests} tests "
            f"keep {self._report.kept_share:.2%} of the covered lines"
        )
        return [line]

    def pytest_sessionfinish(self) -> None:
        if hasattr(self._config, "workeroutput"):
            sent = None if self._report is None else asdict(self._report)
            self._config.workeroutput |= {_REPORT: sent, _ERROR: self._error}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Receive the report of a process of pytest-xdist: all have the same."""
        sent = getattr(node, "workeroutput", {})
        if sent.get(_ERROR):
            raise pytest.UsageError(sent[_ERROR])
        if sent.get(_REPORT) is not None:
            from thatch.suites.suite_report import LostLines, SuiteReport

            lost = [LostLines(**each) for each in sent[_REPORT].pop("lost")]
            self._report = SuiteReport(lost=lost, **sent[_REPORT])

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        if self._report is None:
            return
        terminalreporter.section("tests selected by thatch")
        has_all_lines = self._config.option.thatch_lost
        for line in self._report.as_lines(has_all_lines=has_all_lines):
            terminalreporter.write_line(line)


def _goal(options: Any) -> tuple[float | None, float | None]:
    """The share and the number of seconds that the options ask for."""
    from thatch.suites.goals import parsed_seconds, parsed_share

    share, seconds = options.thatch_cover, options.thatch_seconds
    if share is not None and seconds is not None:
        raise pytest.UsageError(
            "--thatch-cover and --thatch-seconds cannot be combined.\n"
            "hint: Leave one of them out."
        )
    if share is not None:
        return parsed_share("--thatch-cover", share), None
    return None, parsed_seconds("--thatch-seconds", seconds)


def _name(item: pytest.Item, recorded: set[str]) -> str:
    """Node id of a test, without the group that pytest-xdist may have added to it."""
    is_in_group = item.get_closest_marker("xdist_group") is not None
    if is_in_group and item.nodeid not in recorded:
        return item.nodeid.rpartition("@")[0] or item.nodeid
    return item.nodeid


def _marked(
    marker: str, items: Iterable[pytest.Item], names: Iterable[str]
) -> list[str]:
    pairs = zip(items, names, strict=True)
    return [name for item, name in pairs if item.get_closest_marker(marker)]
