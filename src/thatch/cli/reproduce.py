"""``thatch reproduce``."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from thatch.cli.output import print_or_write
from thatch.cli.parameters import (
    Seed,
    Threads,
    integer_option,
    number_option,
    value_option,
)
from thatch.files.atomic_writes import make_folder
from thatch.machine.devices import num_cores

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(
    help="Make the figures and tables of the documentation.", no_args_is_help=True
)

Out = Annotated[
    Path, value_option("PATH", "Folder for CSV tables, and the figure as PNG and SVG.")
]
Data = Annotated[
    Path,
    value_option(
        "PATH",
        "Document clusters with references: a JSON Lines file, or the DUC2004 "
        "folder as distributed by NIST.",
    ),
]
References = Annotated[
    Path | None, value_option("PATH", "For a folder: path of the reference summaries.")
]
BackgroundData = Annotated[
    Path | None,
    value_option(
        "PATH", "Further clusters to count word frequencies in.", "--background"
    ),
]


class EnsemblePart(enum.StrEnum):
    """A part of the experiment on an ensemble."""

    PHASES = "phases"
    PEAK = "peak"
    SIZES = "sizes"
    ENTROPY = "entropy"


class _Figure(Protocol):
    @property
    def findings(self) -> list[str]: ...

    def write_csv(self, path: str | Path) -> list[Path]: ...

    def write_picture(self, path: str | Path) -> None: ...


class _Experiment(Protocol):
    @property
    def num_steps(self) -> int: ...

    def run(self, *, on_progress: Callable[[int], None] = ...) -> _Figure: ...


@app.callback()
def _reproduce() -> None:
    """Make the figures and tables of the documentation."""


@app.command("fig2")
def fig2_command(
    out: Out,
    graphs: Annotated[int, integer_option("Number of random graphs.")] = 1000,
    seed: Seed = 0,
    damping: Annotated[
        float, number_option("Share of the old message that each update keeps.")
    ] = 0.5,
    threads: Threads = None,
) -> None:
    """Covered weight against price on random biregular graphs."""
    from thatch.paper.fig2 import Fig2Experiment

    experiment = Fig2Experiment(
        num_graphs=graphs, seed=seed, damping=damping, num_threads=_num_threads(threads)
    )
    _run(experiment, out, "fig2")


@app.command("convergence")
def convergence_command(
    out: Out,
    graphs: Annotated[int, integer_option("Number of random graphs.")] = 40,
    seed: Seed = 0,
    threads: Threads = None,
) -> None:
    """Convergence of messages at low prices."""
    from thatch.paper.convergence import ConvergenceExperiment

    _run_on_graphs(ConvergenceExperiment, out, "convergence", graphs, seed, threads)


@app.command("infinite-price")
def infinite_price_command(
    out: Out,
    graphs: Annotated[int, integer_option("Number of random graphs.")] = 100,
    seed: Seed = 0,
    threads: Threads = None,
) -> None:
    """Algorithm 2 at a very high price, and its limit."""
    from thatch.paper.infinite_price import InfinitePriceExperiment

    _run_on_graphs(
        InfinitePriceExperiment, out, "infinite-price", graphs, seed, threads
    )


@app.command("ensemble")
def ensemble_command(
    out: Out,
    only: Annotated[
        EnsemblePart | None,
        typer.Option(help="One part of the experiment; default: all of them."),
    ] = None,
    seed: Seed = 0,
    threads: Threads = None,
) -> None:
    """Large random graphs and their limit."""
    from thatch.paper.ensemble_entropy import EntropyExperiment
    from thatch.paper.ensemble_peak import PeakExperiment
    from thatch.paper.ensemble_phases import PhaseExperiment
    from thatch.paper.ensemble_sizes import SizeExperiment

    num_threads = _num_threads(threads)
    experiments: dict[EnsemblePart, _Experiment] = {
        EnsemblePart.PHASES: PhaseExperiment(seed=seed, num_threads=num_threads),
        EnsemblePart.PEAK: PeakExperiment(seed=seed, num_threads=num_threads),
        EnsemblePart.SIZES: SizeExperiment(seed=seed, num_threads=num_threads),
        EnsemblePart.ENTROPY: EntropyExperiment(seed=seed, num_threads=num_threads),
    }
    for part, experiment in experiments.items():
        if only in (None, part):
            _run(experiment, out, f"ensemble-{part}", what=part)


def _add_text_figure(name: str, help: str) -> None:
    """Add the command of a figure that is made from document clusters."""

    @app.command(name, help=help)
    def command(
        data: Data,
        out: Out,
        references: References = None,
        background: BackgroundData = None,
        threads: Threads = None,
    ) -> None:
        from thatch.paper.text_figure import FIG3, FIG4
        from thatch.paper.text_sweep import TextExperiment
        from thatch.text.datasets.clusters import read_clusters

        setting = FIG3 if name == FIG3.name else FIG4
        experiment = TextExperiment(setting, num_threads=_num_threads(threads))
        clusters = read_clusters(data, references)
        others = [] if background is None else read_clusters(background)
        with _prepared(out, "clusters", len(clusters)) as (console, advance):
            figure = experiment.run(
                clusters,
                background=[d for cluster in others for d in cluster.documents],
                on_progress=advance,
            )
        _save(figure, out, name, console)


_add_text_figure("fig3", "Weight and ROUGE-1 against price, stop words removed.")
_add_text_figure("fig4", "Weight and ROUGE-1 against price, stop words kept.")


@app.command("unit-costs")
def unit_costs_command(
    out: Out,
    graphs: Annotated[int, integer_option("Graphs per ensemble.")] = 20,
    seed: Seed = 0,
    threads: Threads = None,
) -> None:
    """Algorithm 2 with equal costs, and what fixes it."""
    from thatch.paper.unit_costs import UnitCostExperiment

    _run_on_graphs(UnitCostExperiment, out, "unit-costs", graphs, seed, threads)


def _run_on_graphs(
    kind: Callable[..., _Experiment],
    out: Path,
    name: str,
    graphs: int,
    seed: int,
    threads: int | None,
) -> None:
    experiment = kind(num_graphs=graphs, seed=seed, num_threads=_num_threads(threads))
    _run(experiment, out, name)


def _run(
    experiment: _Experiment, out: Path, name: str, *, what: str = "graphs"
) -> None:
    """Run an experiment with a progress bar, and save what it found."""
    with _prepared(out, what, experiment.num_steps) as (console, advance):
        figure = experiment.run(on_progress=advance)
    _save(figure, out, name, console)


def _num_threads(threads: int | None) -> int:
    return num_cores() if threads is None else threads


@contextmanager
def _prepared(
    out: Path, what: str, total: int
) -> Iterator[tuple[Console, Callable[[int], None]]]:
    """Create the folder, require Matplotlib, and show a progress bar."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TimeRemainingColumn,
    )

    from thatch.plot.drawing import require_matplotlib

    require_matplotlib()
    make_folder(out)
    console = Console(stderr=True)
    columns = (what, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=total)
        yield console, lambda finished: bar.advance(task, finished)


def _save(figure: _Figure, out: Path, name: str, console: Console) -> None:
    """Print the findings, and save tables and the figure, for screen and print."""
    for line in figure.findings:
        console.print(line, soft_wrap=True)
    files = figure.write_csv(out / f"{name}.csv")
    for suffix in ("png", "svg"):
        files.append(out / f"{name}.{suffix}")
        figure.write_picture(files[-1])
    print_or_write("".join(f"{file}\n" for file in files), None)
