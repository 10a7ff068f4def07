"""What the tests of engines have done by workers, who import it from here."""

import os
import signal
from dataclasses import replace
from pathlib import Path

from thatch import InputError
from thatch.text.concepts.salience import Salience
from thatch.text.summary_settings import SummarySettings


def squared(number):
    return number * number


def process_of(_):
    return os.getpid()


def squared_unless_new(task):
    """Square a number; but end this process if the task's marker was not there yet."""
    number, marker = task
    if not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def ended(marker):
    """Leave a sign, and end this process, every time."""
    with Path(marker).open("a") as signs:
        signs.write("x")
    os.kill(os.getpid(), signal.SIGKILL)


def refused(number):
    if number == 3:
        raise InputError("number must not be 3, got 3.", hint="Take 4.")
    return number


class UnreadableError(Exception):
    """Can be pickled, but not read again."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def broken(_):
    raise UnreadableError("this", "that")


def unsendable(_):
    return lambda: None


def marked(marker):
    """Leave a sign that this task was begun."""
    Path(marker).touch()
    return marker


def printed(number):
    print("snow", flush=True)
    os.system("echo snow")
    return number


def begun_for_ever(marker):
    """Leave a sign, then work until somebody ends this process."""
    Path(marker).touch()
    while True:
        sum(range(1000))


class DeadlyConcepts(Salience):
    """Concepts of a text; but one word ends this process, and another is an error."""

    def weigh(self, passages):
        text = passages.all[0].text
        if "doom" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        if "broken" in text:
            raise RecursionError("too deep")
        return super().weigh(passages)


class DeadlySettings(SummarySettings):
    """Settings of summaries that have these concepts."""

    def summarizer(self, background=None):
        return replace(super().summarizer(), concepts=DeadlyConcepts())
