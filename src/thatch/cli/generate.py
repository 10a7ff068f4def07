"""``thatch generate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thatch.cli.parameters import (
    Seed,
    errors_naming,
    integer_option,
    number_option,
    value_option,
)
from thatch.errors import InputError

if TYPE_CHECKING:
    from thatch.problem.instances.random_graphs import (
        BiregularGraph,
        ErdosRenyiGraph,
        PowerLawGraph,
    )
    from thatch.problem.instances.randomness import Rule

app = typer.Typer(help="Generate a random coverage problem.", no_args_is_help=True)

Items = Annotated[int, integer_option("Number of items.")]
Elements = Annotated[int, integer_option("Number of elements.")]
Budget = Annotated[float, number_option("Maximum total cost.")]
Costs = Annotated[
    str,
    value_option(
        "RULE", "Costs: integers:LOW:HIGH, reals:LOW:HIGH, constant:X or degree:X."
    ),
]
Weights = Annotated[str, value_option("RULE", "Weights, by a rule as for --costs.")]
Output = Annotated[
    Path,
    value_option(
        "FILE", "File to write; its extension decides the format.", "-o", "--output"
    ),
]
Shards = Annotated[
    int | None, integer_option("Write a folder of N shards instead of a file.")
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="With --shards: replace those in FILE.")
]


@app.command("biregular")
def biregular_command(
    output: Output,
    items: Items = 100,
    elements: Elements = 300,
    item_degree: Annotated[int, integer_option("Elements per item.")] = 9,
    element_degree: Annotated[int, integer_option("Items per element.")] = 3,
    budget: Budget = 100.0,
    seed: Seed = 0,
    costs: Costs = "integers:1:10",
    weights: Weights = "integers:1:10",
    shards: Shards = None,
    overwrite: Overwrite = False,
) -> None:
    """The same degree for all items, and for all elements."""
    from thatch.problem.instances.random_graphs import BiregularGraph

    graph = BiregularGraph(
        items, elements, item_degree, element_degree, *_rules(costs, weights)
    )
    if shards is None:
        _write(graph, budget, seed, output)
    else:
        _write_shards(graph, budget, seed, output, shards, overwrite=overwrite)


@app.command("erdos-renyi")
def erdos_renyi_command(
    output: Output,
    items: Items = 100,
    elements: Elements = 300,
    probability: Annotated[float, number_option("Probability of each edge.")] = 0.03,
    budget: Budget = 100.0,
    seed: Seed = 0,
    costs: Costs = "integers:1:10",
    weights: Weights = "integers:1:10",
) -> None:
    """Each item covers each element with the same probability."""
    from thatch.problem.instances.random_graphs import ErdosRenyiGraph

    graph = ErdosRenyiGraph(items, elements, probability, *_rules(costs, weights))
    _write(graph, budget, seed, output)


@app.command("power-law")
def power_law_command(
    output: Output,
    items: Items = 100,
    elements: Elements = 300,
    mean_item_degree: Annotated[
        float, number_option("Mean number of elements per item.")
    ] = 9.0,
    exponent: Annotated[
        float, number_option("Exponent of the degree distribution.")
    ] = 2.5,
    budget: Budget = 100.0,
    seed: Seed = 0,
    costs: Costs = "integers:1:10",
    weights: Weights = "integers:1:10",
) -> None:
    """Degrees follow a power law, as for sentences and words."""
    from thatch.problem.instances.random_graphs import PowerLawGraph

    graph = PowerLawGraph(
        items, elements, mean_item_degree, exponent, *_rules(costs, weights)
    )
    _write(graph, budget, seed, output)


def _write(
    graph: BiregularGraph | ErdosRenyiGraph | PowerLawGraph,
    budget: float,
    seed: int,
    output: Path,
) -> None:
    from thatch.problem.instances import write_instance

    write_instance(graph.problem(budget=budget, seed=seed), output)


def _write_shards(
    graph: BiregularGraph,
    budget: float,
    seed: int,
    output: Path,
    num_shards: int,
    *,
    overwrite: bool,
) -> None:
    """Write the edges shard by shard; they are other ones than those in one file."""
    from thatch.scale import write_biregular

    with errors_naming(num_shards="--shards"):
        write_biregular(
            output,
            num_items=graph.num_items,
            item_degree=graph.item_degree,
            element_degree=graph.element_degree,
            budget=budget,
            num_shards=num_shards,
            seed=seed,
            costs=_range("--costs", graph.costs),
            weights=_range("--weights", graph.weights),
            overwrite=overwrite,
        )


def _range(option: str, rule: Rule) -> tuple[int, int]:
    from thatch.problem.instances.randomness import UniformIntegers

    if not isinstance(rule, UniformIntegers):
        raise InputError(
            f"{option} must be integers:LOW:HIGH with --shards.",
            hint="For 1 each, write integers:1:1.",
        )
    return rule.low, rule.high


def _rules(costs: str, weights: str) -> tuple[Rule, Rule]:
    return _rule("--costs", costs), _rule("--weights", weights)


def _rule(option: str, text: str) -> Rule:
    from thatch.problem.instances.randomness import (
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
    except InputError as error:
        raise InputError(
            f"{option} is {text!r}: {error.message}", hint=error.hint
        ) from None
    except ValueError:
        pass
    raise InputError(
        f"{option} is {text!r}; it must be integers:LOW:HIGH, reals:LOW:HIGH, "
        "constant:X or degree:X.",
        hint="The paper's graphs use integers:1:10.",
    )
