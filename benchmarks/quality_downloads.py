"""Published instances for `quality.py`, read from clones of their repositories.

Nothing of them is part of this repository. Their families:

- `ds-heuristic`, `hs-heuristic`, `ds-exact`, `hs-exact`: smallest dominating and
  hitting sets of PACE 2025. Of the 100 of each, those with a number divisible by 5.
- `bds`, `bds-1000`: the most demand within a radius of 3.25 of 20 sites, out of 100 and
  of 1000 sites. All instances whose name ends in a letter.
"""

from __future__ import annotations

import lzma
import tarfile
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from quality_instances import Case
from quality_methods import LeftOutError

from thatch import CoverageProblem, ThatchError, read_instance

NUMBERS = range(5, 101, 5)
SIZES, LETTERS = (10_000, 50_000, 100_000), "ABCDE"
RADIUS, NUM_SITES = 3.25, 20


def covers(path: str) -> dict[str, str]:
    """Names of the chosen instances of a family of PACE, and their files."""
    return {f"{number:03}": path.format(number) for number in NUMBERS}


def locations(folder: str) -> dict[str, str]:
    sizes = [f"{size}{letter}" for size in SIZES for letter in LETTERS]
    return {size: f"data/{folder}/BDS{size}.txt" for size in sizes}


COVERS = {
    "ds-heuristic": covers("ds/heuristic/heuristic_{:03}.gr"),
    "hs-heuristic": covers("hs/heuristic/heuristic_{:03}.hgr"),
    "ds-exact": covers("ds/exact/exact_{:03}.gr"),
    "hs-exact": covers("hs/exact/exact_{:03}.hgr"),
}
LOCATIONS = {"bds": locations("BDS"), "bds-1000": locations("BDS1000")}
DOWNLOADS = {**COVERS, **LOCATIONS}
DOWNLOADED = tuple(
    f"{family}-{name}" for family, files in DOWNLOADS.items() for name in files
)
_DAMAGES = (ThatchError, OSError, EOFError, tarfile.TarError, lzma.LZMAError)


def downloaded_cases(
    names: set[str], *, pace: Path | None, sites: Path | None
) -> Iterator[Case]:
    """Return the named instances; a family without its folder says what is missing."""
    for family, files in DOWNLOADS.items():
        is_cover = family in COVERS
        folder, read = (pace, cover_in) if is_cover else (sites, locations_in)
        chosen = {
            f"{family}-{name}": file
            for name, file in files.items()
            if names & {family, f"{family}-{name}"}
        }
        if folder is None and chosen:
            option, source = (
                ("--pace", "MarioGrobler/PACE2025-instances")
                if is_cover
                else ("--sites", "INFORMSJoC/2024.0611")
            )
            reason = f"needs {option} FOLDER, a clone of https://github.com/{source}."
            yield Case(family, family, partial(left_out, reason))
            continue
        for name, file in chosen.items():
            build = partial(read, Path(folder or ""), file)
            yield Case(name, family, build, is_cover=is_cover)


def left_out(reason: str) -> CoverageProblem:
    raise LeftOutError(reason)


def cover_in(clone: Path, file: str) -> CoverageProblem:
    """Read an instance of PACE, which may be packed."""
    path = clone / file
    packed = path.with_name(f"{path.name}.tar.xz")
    with tempfile.TemporaryDirectory() as folder:
        try:
            if not path.exists():
                with tarfile.open(packed) as archive:
                    archive.extractall(folder, filter="data")
                path = Path(folder) / path.name
            return read_instance(path, budget=0.0)
        except FileNotFoundError:
            raise LeftOutError(f"is missing from {clone}.") from None
        except _DAMAGES as error:
            raise LeftOutError(f"cannot be read: {error}") from error


def locations_in(clone: Path, file: str) -> CoverageProblem:
    """Read sites (F) and customers (C): number, coordinates, and cost or demand."""
    try:
        text = (clone / file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise LeftOutError(f"is missing from {clone}.") from None
    lines = [line.split() for line in text.splitlines()]
    sites, customers = (
        np.array([line[2:5] for line in lines if line[:1] == [kind]], dtype=float)
        for kind in "FC"
    )
    return CoverageProblem.from_points(
        sites[:, :2],
        customers[:, :2],
        radius=RADIUS,
        metric="euclidean",
        weights=customers[:, 2],
        budget=NUM_SITES,
    )
