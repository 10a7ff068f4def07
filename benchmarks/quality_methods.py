"""The methods of `quality.py`, each in a process of its own."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

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


METHODS: dict[str, Method] = {
    **{name: Method("thatch_methods.py") for name in BUILT_IN},
    "highs": Method("peers.py"),
    "scipy-milp": Method("peers.py"),
    "cp-sat": Method("peers.py"),
    "cp-sat-relaxed": Method("peers.py"),
    "apricot": Method("peers.py"),
    "ac-cft": Method("set_cover_methods.py", has_threads=False),
    "ortools-set-cover": Method("set_cover_methods.py", has_threads=False),
    **{name: Method("plain_searches.py", has_threads=False) for name in PLAIN_SEARCHES},
}


@dataclass(frozen=True)
class Found:
    """What a method found: its value, bound, seconds, and the values over time."""

    value: float
    bound: float
    seconds: float
    values: list[tuple[float, float]]


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
    #: Where programs are compiled.
    build: Path

    def program_of(self, name: str, num_elements: int) -> Path | None:
        """Return the program that a method needs, if it needs one."""
        if name in PLAIN_SEARCHES:
            if self.plain_searches is None:
                raise LeftOutError("needs --plain-searches FOLDER.")
            source = self.plain_searches / PLAIN_SEARCHES[name]
            return compiled((str(source),), self.build / name)
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


def write_arrays(problem: CoverageProblem, path: Path) -> None:
    np.savez(
        path,
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
    method = METHODS[name]
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
        return checked(problem, called(command, limits.seconds))

    with ThreadPoolExecutor(runs) as pool:
        return best_of(list(pool.map(run, range(runs))))


def called(command: list[str], seconds: float) -> dict[str, object]:
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
    answer: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return answer


def checked(problem: CoverageProblem, answer: dict[str, object]) -> Found:
    """Compute the value of the items by thatch; programs may print a value alone."""
    value = float(answer["value"])
    if answer["items"] is not None:
        items = np.array(answer["items"], dtype=np.int64)
        selection = Selection.of(problem, items)
        if not selection.is_feasible:
            raise LeftOutError("it exceeded the budget.")
        value = selection.value
    values = [(float(seconds), float(each)) for seconds, each in answer["values"]]
    # A value found while it ended, or of a method that reports none on the way.
    if not values or value > values[-1][1]:
        values.append((float(answer["seconds"]), value))
    return Found(value, float(answer["bound"]), float(answer["seconds"]), values)


def best_of(runs: list[Found]) -> Found:
    """Join runs at the same time: the best value of any of them."""
    best = max(runs, key=lambda run: run.value)
    values: list[tuple[float, float]] = []
    for seconds, value in sorted(point for run in runs for point in run.values):
        if not values or value > values[-1][1]:
            values.append((seconds, value))
    bounds = [run.bound for run in runs if math.isfinite(run.bound)]
    seconds = max(run.seconds for run in runs)
    return Found(best.value, min(bounds, default=math.nan), seconds, values)
