"""Progress bars on real terminals: what they show, and what they leave behind."""

import re
import sys
import threading

import pytest
from refusals import refused
from systems import posix
from terminals import Terminal

from thatch import Progress, TargetValue, solve, summarize
from thatch.errors import InputTypeError
from thatch.problem.instances import toy, write_instance
from thatch.run.progress_bar import ProgressBar, fields_of, progress_bars

pytestmark = [pytest.mark.slow, posix]

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"


def test_the_bar_shows_value_bound_gap_and_time_and_is_removed():
    shown, printed, code = Terminal("""
        result = solve(
            problem, solver, observers=[slow], progress=True, max_seconds=9
        )
        print(result.selection.value)
    """).end()
    assert (printed, code) == ("13.0\n", 0)
    assert re.search(r"━.* value 13  \d\.\d of 9 s  bp", shown)
    assert shown.count(HIDE) == shown.count(SHOW) == 1
    assert shown.endswith("\x1b[2K"), "the line is erased"


def test_the_bound_and_the_gap_are_shown_where_they_are_known():
    progress = Progress(iteration=1, seconds=1.0, value=9.0, upper_bound=10.0)
    assert fields_of(progress) == {"value": "9", "bound": "10", "gap": "10.00%"}
    assert fields_of(Progress(iteration=1, seconds=1.0)) == {}
    zero = Progress(iteration=1, seconds=1.0, value=0.0, upper_bound=0.0)
    assert fields_of(zero)["gap"] == "0.00%"


def test_a_short_run_shows_nothing_unless_asked():
    assert Terminal("solve(problem)").end() == ("", "", 0)
    assert Terminal("solve(problem, progress=False)").end() == ("", "", 0)


def test_a_long_run_shows_a_bar_by_itself():
    shown, _, code = Terminal("""
        long = lambda progress: slow(progress, seconds=0.4)
        solve(problem, BeliefPropagation(max_iterations=5), observers=[long])
    """).end()
    assert code == 0 and "value 13" in shown


def test_covers_show_cost_bound_and_gap():
    shown, printed, code = Terminal("""
        from thatch import cover
        problem = CoverageProblem.from_sets(
            [{k, (k + 1) % 25, (7 * k) % 25} for k in range(25)], budget=1
        )
        print(cover(problem, observers=[slow], progress=True, max_seconds=9).cost)
    """).end()
    assert code == 0 and printed
    assert re.search(r"cost \d+  bound [\d.]+  gap [\d.]+%  \d\.\d of 9 s", shown)


def test_required_items_count_in_what_is_shown():
    problem = toy.star(12).problem.with_constraints(required=[3])
    seen = []
    result = solve(problem, "ggreedy", observers=[seen.append])
    assert seen[-1].value == result.trace[-1].value == result.selection.value == 13
    stopped = solve(problem, "bp", stop=[TargetValue(12.0)])
    assert stopped.iterations < solve(problem, "bp").iterations


def test_summaries_show_a_bar():
    shown, printed, code = Terminal("""
        summary = summarize(
            "Snow fell. We left.", 2, solver=solver, progress=True
        )
        print(summary.cost)
    """).end()
    assert (printed, code) == ("2\n", 0)
    assert " s  bp" in shown and shown.count(SHOW) == 1


@pytest.mark.parametrize(
    "words", [["solve", "toy.json"], ["summarize", "toy.txt", "--budget", "3"]]
)
def test_commands_show_a_bar_if_asked(tmp_path, words):
    write_instance(toy.greedy_trap().problem, tmp_path / "toy.json")
    (tmp_path / "toy.txt").write_text("Snow fell. Snow fell all day. We left.")
    for option in ("--progress", "--no-progress"):
        shown, printed, code = Terminal(f"""
            import os
            from thatch.cli import main
            os.chdir({str(tmp_path)!r})
            sys.argv = ["thatch", *{words!r}, "--solver", "bp", {option!r}]
            main()
        """).end()
        assert code == 0 and printed
        assert (" s  bp" in shown, HIDE in shown) == ((option == "--progress"),) * 2


def test_an_interrupt_leaves_the_terminal_clean():
    terminal = Terminal("""
        def endless(progress):
            slow(progress)
            time.sleep(600 if progress.iteration == 30 else 0)
        solve(problem, solver, observers=[endless], progress=True)
    """)
    terminal.wait_for("value 13")
    terminal.interrupt()
    shown, _, code = terminal.end()
    assert code != 0
    bar, _, rest = shown.partition(SHOW)
    assert HIDE in bar and "KeyboardInterrupt" in rest and HIDE not in rest


def test_an_exception_leaves_the_terminal_clean():
    shown, _, code = Terminal("""
        def fail(progress):
            if progress.iteration > 20:
                raise RuntimeError("no more")
        solve(problem, solver, observers=[slow, fail], progress=True)
    """).end()
    assert code == 1
    bar, _, rest = shown.partition(SHOW)
    assert HIDE in bar and "no more" in rest and HIDE not in rest


def test_what_is_printed_to_a_pipe_stays_there():
    shown, printed, code = Terminal("""
        say = lambda progress: print(progress.iteration)
        solve(problem, solver, observers=[say, slow], progress=True)
    """).end()
    assert code == 0 and printed.startswith("1\n2\n3\n") and "value 13" in shown


def test_a_bar_that_cannot_be_drawn_does_not_end_the_run():
    _, printed, _ = Terminal("""
        def close(progress):
            if progress.iteration == 15:
                sys.stderr.close()
        result = solve(problem, solver, observers=[close, slow], progress=True)
        print(result.selection.value)
    """).end()
    assert printed == "13.0\n"


def test_a_bar_is_drawn_at_most_ten_times_per_second():
    shown, _, code = Terminal("""
        with ProgressBar(seconds_before_first=0) as bar:
            for iteration in range(1, 1001):
                progress = Progress(iteration=iteration, seconds=0.0, value=7.0)
                bar(progress)
                slow(progress, seconds=0.003)
    """).end()
    assert code == 0
    # rich draws a bar once more when it is removed.
    assert 25 <= shown.count("value 7") <= 31


def test_other_fields_can_be_shown():
    shown, _, _ = Terminal("""
        with progress_bars(True) as (bar,):
            bar.show({"cost": "[bold]174"}, step="cover")
    """).end()
    assert "cost [bold]174  0.0 s  cover" in shown


def test_without_a_terminal_nothing_is_shown(capfd):
    for progress in (None, True, False):
        solve(toy.star(9).problem, progress=progress)
        summarize("Snow fell. We left.", 2, progress=progress)
    with ProgressBar(seconds_before_first=0) as bar:
        bar.show({"value": "1"})
    assert capfd.readouterr() == ("", "")


def test_without_standard_error_nothing_is_shown(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert solve(toy.star(9).problem, progress=True).gap == 0


def test_other_threads_draw_only_when_asked(monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    counts = {}

    def count(progress):
        with progress_bars(progress) as bars:
            counts[progress] = len(bars)

    for progress in (None, True, False):
        thread = threading.Thread(target=count, args=[progress])
        thread.start()
        thread.join()
    assert counts == {None: 0, True: 1, False: 0}


def test_the_result_does_not_depend_on_the_bar():
    problem = toy.path(30).problem
    seen = []
    with ProgressBar() as bar:
        shown = solve(problem, stop=[bar], observers=[seen.append])
    plain = solve(problem, progress=False)
    assert shown.selection.items.tolist() == plain.selection.items.tolist()
    assert len(seen) == len(shown.trace) == len(plain.trace)


@pytest.mark.parametrize("progress", ["yes", 1, 0.5])
def test_other_values_are_refused(progress):
    with refused(InputTypeError, "progress", repr(progress)):
        solve(toy.star(9).problem, progress=progress)
