"""The methods of `quality.py`, each in a process of its own."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from method_process import Model

from thatch import CoverageProblem, Selection
from thatch.solvers.registry import BUILT_IN

HERE = Path(__file__).parent
PLAIN_SEARCHES = {
    "iterated-local-search": "iterated_local_search.cpp",
    "row-weighting": "row_weighting.cpp",
}
# AC-CFT numbers elements by 16 bits unless compiled otherwise.
MOST_SHORT_ROWS = 2**15 - 2
# Apart from the seeds of a run on several cores.
SEED_STEP = 1_000_003


class LeftOutError(Exception):
    """A method does not apply, is not installed, or failed."""


@dataclass(frozen=True)
class Method:
    """How a method is called."""

    script: str
    #: Methods without threads run once per core, with different seeds.
    has_threads: bool = True
    has_covers: bool = False
    has_budgets: bool = True


METHODS: dict[str, Method] = {
    **{
        name: Method("thatch_methods.py", has_covers=name == "auto")
        for name in BUILT_IN
    },
    "root": Method(
        "root_method.py", has_threads=False, has_covers=True, has_budgets=False
    ),
    "highs": Method("peers.py", has_covers=True),
    "scipy-milp": Method("peers.py"),
    "cp-sat": Method("peers.py", has_covers=True),
    "cp-sat-relaxed": Method("peers.py", has_covers=True),
    "apricot": Method("peers.py"),
    "ac-cft": Method("set_cover_methods.py", has_threads=False),
    "ortools-set-cover": Method("set_cover_methods.py", has_threads=False),
    **{name: Method("plain_searches.py", has_threads=False) for name in PLAIN_SEARCHES},
}


@dataclass(frozen=True)
class Found:
    """What a method found, and its values and bounds over time."""

    value: float
    bound: float
    seconds: float
    values: list[tuple[float, float]]
    bounds: list[tuple[float, float]]
    is_verified: bool | None


@dataclass(frozen=True)
class Limits:
    """What every method gets."""

    seconds: float
    threads: int


@dataclass(frozen=True)
class Sources:
    """Where the programs of others are that no package contains."""

    #: The source code of AC-CFT, or its program.
    cft: Path | None
    plain_searches: Path | None
    #: The source code of team Root's solver, or its program.
    root: Path | None
    #: Where programs are compiled.
    build: Path

    def program_of(self, name: str, num_elements: int) -> Path | None:
        """Return the program that a method needs, if it needs one."""
        if name in PLAIN_SEARCHES:
            if self.plain_searches is None:
                raise LeftOutError("needs --plain-searches FOLDER.")
            source = self.plain_searches / PLAIN_SEARCHES[name]
            return compiled((str(source),), self.build / name)
        if name == "root":
            return self._root()
        if name != "ac-cft":
            return None
        installed = shutil.which("accft")
        if self.cft is None and installed is None:
            raise LeftOutError("needs --cft PATH, or accft on the path.")
        if self.cft is None or self.cft.is_file():
            return self.cft or Path(str(installed))
        kind = "int16_t" if num_elements <= MOST_SHORT_ROWS else "int32_t"
        folder = self.cft / "src"
        options = (
            str(folder / "main.cpp"),
            "-std=c++11",
            f"-I{folder}",
            # Its only dependency, as headers alone.
            "-DFMT_HEADER_ONLY",
            f"-DCFT_RIDX_TYPE={kind}",
        )
        return compiled(options, self.build / f"accft-{kind}")

    def _root(self) -> Path:
        if self.root is None:
            raise LeftOutError(
                "needs --root PATH, a clone of https://github.com/lxily/PACE2025.DS-HS."
            )
        if self.root.is_file():
            return self.root
        parts = [self.root / "solver" / name for name in ("lib", "tools")]
        files = sorted(str(file) for part in parts for file in part.glob("*.cpp"))
        return compiled(("-std=c++2a", f"-I{self.root}", *files), self.build / "root")


@cache
def compiled(options: tuple[str, ...], program: Path) -> Path:
    """Compile a program with the options of its own build."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise LeftOutError("needs g++.")
    common = ["-O3", "-march=native", "-DNDEBUG", "-o", str(program)]
    done = subprocess.run(
        [compiler, *options, *common], check=False, capture_output=True, text=True
    )
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        raise LeftOutError(f"does not compile: {''.join(errors[:1])}")
    return program


def write_arrays(problem: CoverageProblem, path: Path, *, is_cover: bool) -> None:
    np.savez(
        path,
        is_cover=is_cover,
        costs=problem.costs,
        weights=problem.weights,
        budget=problem.budget,
        element_start=problem.edges.element_start,
        element_items=problem.edges.element_items,
    )


def found_by(
    name: str,
    problem: CoverageProblem,
    path: Path,
    *,
    limits: Limits,
    seed: int,
    sources: Sources,
) -> Found:
    """Run a method on the problem, whose arrays are in the file; use every core."""
    method, model = METHODS[name], Model.read(path)
    if not (method.has_covers if model.is_cover else method.has_budgets):
        kind = "covers" if model.is_cover else "selections within a budget"
        raise LeftOutError(f"does not look for {kind}.")
    program = sources.program_of(name, problem.num_elements)
    runs = 1 if method.has_threads else limits.threads

    def run(k: int) -> Found:
        numbers = (
            f"{limits.seconds:g}",
            str(seed + k * SEED_STEP),
            str(limits.threads if method.has_threads else 1),
        )
        command = [sys.executable, str(HERE / method.script), name, str(path), *numbers]
        if program is not None:
            command.append(str(program))
        return checked(problem, model, called(command, limits.seconds))

    with ThreadPoolExecutor(runs) as pool:
        return best_of(list(pool.map(run, range(runs))), is_cover=model.is_cover)


def called(command: list[str], seconds: float) -> dict[str, Any]:
    try:
        # Extra time to start, and for methods that rarely check the clock.
        done = subprocess.run(
            command,
            check=True,
            capture_output=True,
            text=True,
            timeout=3 * seconds + 30,
        )
    except subprocess.TimeoutExpired:
        raise LeftOutError("it exceeded the time limit by far.") from None
    except subprocess.CalledProcessError as error:
        reason = error.stderr.strip().splitlines()[-1:]
        raise LeftOutError("".join(reason) or "it failed.") from error
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def checked(problem: CoverageProblem, model: Model, answer: dict[str, Any]) -> Found:
    """Compute the value of the items by thatch; programs may print a value alone.

    Covers are checked without thatch.
    """
    value, bound = float(answer["value"]), float(answer["bound"])
    if answer["items"] is not None:
        items = np.array(answer["items"], dtype=np.int64)
        if model.is_cover:
            value = cost_of_cover(model, items)
        else:
            selection = Selection.of(problem, items)
            if not selection.is_feasible:
                raise LeftOutError("it exceeded the budget.")
            value = selection.value
    if model.is_cover and (model.costs == np.round(model.costs)).all():
        # What no cover of whole costs can be below; NaN stays NaN.
        bound = np.ceil(bound - 1e-6)
    values, bounds = (
        [(float(seconds), float(each)) for seconds, each in answer[name]]
        for name in ("values", "bounds")
    )
    # A value found while it ended, or of a method that reports none on the way.
    values.append((float(answer["seconds"]), value))
    sign = -1 if model.is_cover else 1
    if math.isfinite(bound):
        # What the method does not claim in the end does not count.
        weaker = min if model.is_cover else max
        bounds = [(seconds, weaker(each, bound)) for seconds, each in bounds]
        bounds.append((float(answer["seconds"]), bound))
    return Found(
        value,
        float(bound),
        float(answer["seconds"]),
        improving(values, sign),
        improving(bounds, -sign),
        answer["is_verified"],
    )


def cost_of_cover(model: Model, items: np.ndarray) -> float:
    if np.unique(items).size < items.size or not model.is_covered_by(items):
        raise LeftOutError("it found no cover.")
    return float(model.costs[items].sum())


def best_of(runs: list[Found], *, is_cover: bool) -> Found:
    """Join runs at the same time: the best value of any of them."""
    sign = -1 if is_cover else 1
    best = max(runs, key=lambda run: sign * run.value)
    values = improving((point for run in runs for point in run.values), sign)
    bounds = improving((point for run in runs for point in run.bounds), -sign)
    known = [run.bound for run in runs if math.isfinite(run.bound)]
    bound = (max if is_cover else min)(known, default=math.nan)
    seconds = max(run.seconds for run in runs)
    return Found(best.value, bound, seconds, values, bounds, best.is_verified)


def improving(
    points: Iterable[tuple[float, float]], sign: int
) -> list[tuple[float, float]]:
    """Those, by time, that are better than all before; a sign of -1 means lower."""
    kept: list[tuple[float, float]] = []
    for seconds, value in sorted(points):
        if not kept or sign * value > sign * kept[-1][1]:
            kept.append((seconds, value))
    return kept
