"""``thatch generate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thatch.cli.options import Seed, number_option, whole_number_option

if TYPE_CHECKING:
    from thatch.instances.random_graphs import (
        BiregularGraph,
        ErdosRenyiGraph,
        PowerLawGraph,
    )
    from thatch.instances.randomness import Rule

app = typer.Typer(help="Draw a random coverage problem.", no_args_is_help=True)

Items = Annotated[int, whole_number_option("How many items.")]
Elements = Annotated[int, whole_number_option("How many elements.")]
Budget = Annotated[float, number_option("Most total cost allowed.")]
Costs = Annotated[
    str, typer.Option(help="integers:LOW:HIGH, reals:LOW:HIGH, constant:X or degree:X.")
]
Weights = Annotated[str, typer.Option(help="As for --costs.")]
Output = Annotated[
    Path,
    typer.Option("-o", "--output", help="File to write; its ending sets the format."),
]


def add_to(program: typer.Typer) -> None:
    """Make these some of the program's commands."""
    program.add_typer(app, name="generate")


@app.command("biregular")
def biregular_command(
    output: Output,
    items: Items = 100,
    elements: Elements = 300,
    item_degree: Annotated[int, whole_number_option("Elements an item covers.")] = 9,
    element_degree: Annotated[int, whole_number_option("Items an element has.")] = 3,
    budget: Budget = 100.0,
    seed: Seed = 0,
    costs: Costs = "integers:1:10",
    weights: Weights = "integers:1:10",
) -> None:
    """All items have one degree, all elements another. So have the paper's."""
    from thatch.instances.random_graphs import BiregularGraph

    graph = BiregularGraph(
        items, elements, item_degree, element_degree, _rule(costs), _rule(weights)
    )
    _write(graph, budget, seed, output)


@app.command("erdos-renyi")
def erdos_renyi_command(
    output: Output,
    items: Items = 100,
    elements: Elements = 300,
    probability: Annotated[float, number_option("Chance of every edge.")] = 0.03,
    budget: Budget = 100.0,
    seed: Seed = 0,
    costs: Costs = "integers:1:10",
    weights: Weights = "integers:1:10",
) -> None:
    """Every item covers every element with the same probability."""
    from thatch.instances.random_graphs import ErdosRenyiGraph

    graph = ErdosRenyiGraph(items, elements, probability, _rule(costs), _rule(weights))
    _write(graph, budget, seed, output)


@app.command("power-law")
def power_law_command(
    output: Output,
    items: Items = 100,
    elements: Elements = 300,
    mean_item_degree: Annotated[float, number_option("Elements an item covers.")] = 9.0,
    exponent: Annotated[float, number_option("How fast degrees fall off.")] = 2.5,
    budget: Budget = 100.0,
    seed: Seed = 0,
    costs: Costs = "integers:1:10",
    weights: Weights = "integers:1:10",
) -> None:
    """Few hubs and many leaves, as sentences and words have."""
    from thatch.instances.random_graphs import PowerLawGraph

    graph = PowerLawGraph(
        items, elements, mean_item_degree, exponent, _rule(costs), _rule(weights)
    )
    _write(graph, budget, seed, output)


def _write(
    graph: BiregularGraph | ErdosRenyiGraph | PowerLawGraph,
    budget: float,
    seed: int,
    output: Path,
) -> None:
    from thatch.instances import write_instance

    write_instance(graph.problem(budget=budget, seed=seed), output)


def _rule(text: str) -> Rule:
    from thatch.errors import InputError
    from thatch.instances.randomness import (
        ByDegree,
        Constant,
        UniformIntegers,
        UniformReals,
    )

    name, *numbers = text.split(":")
    try:
        match name, numbers:
            case "integers", [low, high]:
                return UniformIntegers(int(low), int(high))
            case "reals", [low, high]:
                return UniformReals(float(low), float(high))
            case "constant", [value]:
                return Constant(float(value))
            case "degree", [factor]:
                return ByDegree(float(factor))
    except InputError:
        raise
    except ValueError:
        pass
    raise InputError(
        "costs and weights must be integers:LOW:HIGH, reals:LOW:HIGH, constant:X or "
        f"degree:X, got {text!r}.",
        hint="The paper's graphs have integers:1:10.",
    )
