"""Budgeted maximum coverage: choose items within a budget that cover the most weight.

>>> from thatch import CoverageProblem, solve
>>> problem = CoverageProblem.from_sets(
...     {"north": {"a", "b"}, "south": {"b", "c"}},
...     budget=1,
...     weights={"a": 3, "b": 1, "c": 1},
... )
>>> solve(problem).selection.labels
['north']
"""

from __future__ import annotations

import importlib
import logging

__version__ = "0.1.0"

# Public names, by the module that holds them. They are imported on first use, so that
# the command line can print its help without waiting for NumPy.
_HOMES = {
    "Auto": "thatch.solvers",
    "Background": "thatch.text.background",
    "BeliefPropagation": "thatch.solvers",
    "Beliefs": "thatch.beliefs",
    "Bigrams": "thatch.text.concepts",
    "By": "thatch.text.passages",
    "Cluster": "thatch.text.clusters",
    "Converged": "thatch.run",
    "CoverageProblem": "thatch.problem",
    "Custom": "thatch.text.concepts",
    "Device": "thatch.devices",
    "Document": "thatch.text.document",
    "Edges": "thatch.edges",
    "EngineError": "thatch.errors",
    "Exact": "thatch.solvers",
    "Exhaustive": "thatch.solvers",
    "GeneralizedGreedy": "thatch.solvers",
    "Greedy": "thatch.solvers",
    "InputError": "thatch.errors",
    "InputTypeError": "thatch.errors",
    "InstanceFormatError": "thatch.errors",
    "Layout": "thatch.text.layout",
    "LocalSearch": "thatch.solvers",
    "LostTaskError": "thatch.errors",
    "MaxIterations": "thatch.run",
    "MaxSeconds": "thatch.run",
    "MissingExtraError": "thatch.errors",
    "NoImprovement": "thatch.run",
    "Part": "thatch.solvers.belief_propagation",
    "Precision": "thatch.solvers.belief_propagation",
    "Progress": "thatch.progress",
    "Result": "thatch.result",
    "Rouge": "thatch.rouge",
    "Rules": "thatch.text.rules",
    "Run": "thatch.run",
    "Scores": "thatch.rouge",
    "Selection": "thatch.selection",
    "Solver": "thatch.solvers",
    "SolverFailedError": "thatch.errors",
    "StaticGreedy": "thatch.solvers",
    "Status": "thatch.result",
    "SumEval": "thatch.rouge",
    "Summarizer": "thatch.text.summarizing",
    "Summary": "thatch.text.summary",
    "TargetGap": "thatch.run",
    "TargetValue": "thatch.run",
    "Telling": "thatch.text.telling",
    "ThatchError": "thatch.errors",
    "Unit": "thatch.text.units",
    "Words": "thatch.text.concepts",
    "dual_bound": "thatch.bounds",
    "first_order_bound": "thatch.bounds",
    "lp_bound": "thatch.bounds",
    "propagate": "thatch.solvers.belief_propagation",
    "read_clusters": "thatch.text.clusters",
    "read_document": "thatch.text.readers",
    "read_documents": "thatch.text.readers",
    "read_instance": "thatch.instances",
    "residual_bound": "thatch.bounds",
    "solve": "thatch.solving",
    "summarize": "thatch.text.summarizing",
    "tokens_by": "thatch.text.units",
    "tokens_by_name": "thatch.text.tokenizers",
    "write_instance": "thatch.instances",
}
__all__ = sorted(_HOMES)

logging.getLogger("thatch").addHandler(logging.NullHandler())


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'thatch' has no attribute {name!r}")
    found = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
