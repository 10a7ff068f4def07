"""Functions that the tests of engines run in workers."""

import atexit
import os
import signal
from dataclasses import replace
from pathlib import Path

from processes import wait_until

from thatch import InputError
from thatch.text.concepts.salience import Salience
from thatch.text.summary_settings import SummarySettings

_PATHS = [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]
#: Environment of programs that import this module.
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, _PATHS))}

#: The signal that no process survives; on Windows, this one.
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def squared(number):
    return number * number


def process_of(_):
    return os.getpid()


def process_when_all_run(task):
    """This process, once as many tasks as there should be run at the same time."""
    folder, number, num_tasks = task
    (Path(folder) / str(number)).touch()
    wait_until(lambda: len(list(Path(folder).iterdir())) >= num_tasks)
    return os.getpid()


def squared_or_killed(number):
    """Square a number; but kill this process if it is negative."""
    if number < 0:
        os.kill(os.getpid(), KILL)
    return number * number


def squared_on_second_try(task):
    """Square a number; but kill this process if the task has no marker yet."""
    number, marker = task
    if not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), KILL)
    return number * number


def logged_and_killed(path):
    """Append to a file, then kill this process."""
    with Path(path).open("a") as log:
        log.write("x")
    os.kill(os.getpid(), KILL)


ERROR_ON_3 = InputError("number is 3.", hint="Use 4.")


def fails_on_3(number):
    if number == 3:
        raise ERROR_ON_3
    return number


class UnreadableError(Exception):
    """Can be pickled, but not unpickled."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def raises_unreadable(_):
    raise UnreadableError("this", "that")


def unpicklable(_):
    return lambda: None


def marked(marker):
    """Create a file, to show that this task was started."""
    Path(marker).touch()
    return marker


def marked_at_exit(marker):
    """Create a file when this process ends normally."""
    atexit.register(Path(marker).touch)


def printed(number):
    print("snow", flush=True)
    os.system("echo snow")
    return number


def signalled_and_endless(fifo):
    """Write to a named pipe, which waits for its reader; then never end."""
    Path(fifo).write_text("started")
    while True:
        sum(range(1000))


class DeadlyConcepts(Salience):
    """Concepts of a text; but one word kills this process, and another is an error."""

    def weigh(self, passages):
        text = passages.all[0].text
        if "doom" in text:
            os.kill(os.getpid(), KILL)
        if "broken" in text:
            raise RecursionError("too deep")
        return super().weigh(passages)


class DeadlySettings(SummarySettings):
    """Settings of summaries with these concepts."""

    def summarizer(self, background=None):
        return replace(super().summarizer(), concepts=DeadlyConcepts())
