"""The command that makes a report, as its readers may run it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from thatch.options import Option, options_of
from thatch.text.report.document_names import short_names
from thatch.text.summary_settings import SummaryCall

# Options that change nothing in a report.
_WITHOUT_EFFECT = ("explain",)


def report_command(
    files: Sequence[str],
    *records: Any,
    more: Mapping[str, Iterable[object]] | None = None,
) -> str:
    """Return the command that makes a report of these files with these settings.

    Options that have their default are left out. Paths are shortened to the names of
    the files.

    `more` has values of options that no record declares, by their flags.
    """
    words = ["thatch", "summarize", *_arguments(files)]
    for record in records:
        for option in options_of(type(record)):
            words += _option(option, record)
    for flag, values in (more or {}).items():
        for value in values:
            words += [flag, _shortened(str(value))]
    words += ["--format", "html"]
    return shlex.join(words)


def _arguments(files: Sequence[str]) -> list[str]:
    if not 0 < len(files) <= 8:  # more are not listed
        return ["FILES"]
    names = zip(files, short_names(files), strict=True)
    return [given if given == "-" else short for given, short in names]


def _shortened(value: str) -> str:
    return short_names([value])[0] if value else value


def _option(option: Option, record: Any) -> Iterator[str]:
    value = getattr(record, option.name)
    is_budget = isinstance(record, SummaryCall) and option.name == "budget"
    if is_budget and record.ratio is not None:
        return
    # The length is always of interest.
    if option.name in _WITHOUT_EFFECT or (value == option.default and not is_budget):
        return
    flag = f"--{option.name.replace('_', '-')}"
    if isinstance(value, bool):
        yield flag if value else f"--no-{flag.removeprefix('--')}"
        return
    for each in value if option.is_list else [value]:
        yield flag
        yield _written(option, each)


def _written(option: Option, value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.12g}"
    if option.has_escapes:
        return str(value).replace("\n", "\\n").replace("\t", "\\t")
    return _shortened(str(value)) if option.name == "tokenizer" else str(value)
