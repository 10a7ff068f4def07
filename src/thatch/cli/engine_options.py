"""Options of commands that run on an engine."""

from __future__ import annotations

from typing import Annotated

import typer

from thatch.cli.parameters import integer_option

__all__ = ["EngineName", "Resume", "Scheduler", "Workers"]

EngineName = Annotated[
    str,
    typer.Option("--engine", metavar="NAME", help="Engine: local, dask or spark."),
]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Address of a running dask or spark cluster."),
]
Workers = Annotated[
    int | None,
    integer_option("Number of worker processes.  [default: one per core]"),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Resume a job that was interrupted.")
]
