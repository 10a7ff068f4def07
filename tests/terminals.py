"""Programs that run on a terminal."""

import os
import signal
import subprocess
import sys
import textwrap

# What every program starts with.
_START = """
    import sys, time
    # Runs and bars see this clock, so that nothing depends on the speed of the machine.
    clock = [0.0]
    time.perf_counter = lambda: clock[0]
    def slow(progress, seconds=0.1):
        clock[0] += seconds
    from thatch import BeliefPropagation, CoverageProblem, Progress, solve, summarize
    from thatch.problem.instances import toy
    from thatch.run.progress_bar import ProgressBar, progress_bars
    problem = toy.star(40).problem
    solver = BeliefPropagation(max_iterations=30)
"""


class Terminal:
    """A program whose standard error is a terminal."""

    def __init__(self, code, **environment):
        self._main, child = os.openpty()
        script = textwrap.dedent(_START) + textwrap.dedent(code)
        settings = {"TERM": "xterm", "COLUMNS": "120"} | environment
        self._process = subprocess.Popen(
            [sys.executable, "-c", script],
            stdout=subprocess.PIPE,
            stderr=child,
            env=os.environ | settings,
            text=True,
        )
        os.close(child)
        self._shown = ""

    def wait_for(self, text):
        while text not in self._shown and self._read():
            pass

    def interrupt(self):
        self._process.send_signal(signal.SIGINT)

    def end(self):
        """What was shown and printed, and the exit code."""
        while self._read():
            pass
        os.close(self._main)
        printed, _ = self._process.communicate()
        return self._shown, printed, self._process.returncode

    def _read(self):
        try:
            content = os.read(self._main, 65536)
        except OSError:  # the other end is closed
            return False
        self._shown += content.decode()
        return bool(content)
