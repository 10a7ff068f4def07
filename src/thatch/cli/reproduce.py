"""``thatch reproduce``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from thatch.cli.options import Seed, Threads, whole_number_option

app = typer.Typer(help="Repeat an experiment of the paper.", no_args_is_help=True)


@app.callback()
def _reproduce() -> None:
    """Repeat an experiment of the paper."""


@app.command("fig2")
def fig2_command(
    out: Annotated[Path, typer.Option(help="Folder for fig2.csv and fig2.png.")],
    graphs: Annotated[int, whole_number_option("How many random graphs.")] = 1000,
    seed: Seed = 0,
    threads: Threads = None,
) -> None:
    """Covered weight against price on random biregular graphs."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TimeRemainingColumn,
    )

    from thatch.experiments.fig2 import Experiment
    from thatch.plot.price_sweep import require_matplotlib
    from thatch.whole_files import make_folder

    require_matplotlib()
    num_threads = (os.cpu_count() or 1) if threads is None else threads
    experiment = Experiment(num_graphs=graphs, seed=seed, num_threads=num_threads)
    make_folder(out)
    console = Console(stderr=True)
    columns = ("graphs", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("graphs", total=graphs)
        figure = experiment.run(
            on_progress=lambda finished: bar.advance(task, finished)
        )
    figure.write_csv(out / "fig2.csv")
    figure.write_png(out / "fig2.png")
    peak = figure.peak
    console.print(
        f"Belief propagation peaks at price {peak.price:g}: {peak.bp:.1f}, g-greedy "
        f"{peak.ggreedy:.1f}, difference {peak.difference:.2f} "
        f"± {peak.difference_sem:.2f}.",
        soft_wrap=True,
    )
    typer.echo(str(out / "fig2.csv"))
    typer.echo(str(out / "fig2.png"))
