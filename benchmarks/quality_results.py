"""Results of `quality.py`: kept as JSON, summarized as tables."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

from tables import Table

# Numbers that differ by this share are equal.
PROVED_GAP = 1e-9


@dataclass(frozen=True)
class Outcome:
    """One method on one instance with one seed."""

    instance: str
    family: str
    method: str
    seed: int
    #: The limits.
    max_seconds: float
    threads: int
    value: float
    bound: float
    seconds: float
    #: Seconds and best value by then.
    values: Sequence[tuple[float, float]]
    #: Seconds and tightest bound by then, of methods that report them.
    bounds: Sequence[tuple[float, float]] = ()
    #: Whether the bound was checked by its certificate, if there is one.
    is_verified: bool | None = None
    best_known: float = math.nan
    target: float = math.nan
    #: Whether the value is the cost of a cover.
    is_cover: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """What was measured."""
        limits = (self.max_seconds, self.threads)
        return (self.instance, self.method, self.seed, *limits)

    @property
    def gap(self) -> float:
        """Share of its bound that may be missing, or of its cost that can be saved.

        NaN without a bound.
        """
        if not 0 < self.bound < math.inf:
            return math.nan
        if self.is_cover:
            return max(0.0, self.value - self.bound) / self.value
        return max(0.0, self.bound - self.value) / self.bound


class Results:
    """Outcomes in a file, which is written again after each."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.outcomes: list[Outcome] = []
        if path is not None and path.exists():
            fields = json.loads(path.read_text(encoding="utf-8"))
            self.outcomes = [Outcome(**each) for each in fields]

    def add(self, outcome: Outcome) -> None:
        """Keep an outcome."""
        self.outcomes.append(outcome)
        if self._path is not None:
            lines = [json.dumps(asdict(each)) for each in self.outcomes]
            text = "[\n" + ",\n".join(lines) + "\n]\n"
            self._path.write_text(text, encoding="utf-8")

    def has(self, key: tuple[object, ...]) -> bool:
        """Whether this was measured before."""
        return any(outcome.key == key for outcome in self.outcomes)


def best_values(outcomes: Iterable[Outcome]) -> dict[str, float]:
    """Return the best value of each instance, known before or found here."""
    best: dict[str, float] = {}
    for outcome in outcomes:
        known = best.get(outcome.instance, math.nan)
        values = filter(math.isfinite, [known, outcome.value, outcome.best_known])
        best[outcome.instance] = (min if outcome.is_cover else max)(values)
    return best


def shortfall(value: float, best: float) -> float:
    """Share of the best value that is missing, or by which a cover costs more."""
    return abs(best - value) / best if best > 0 else 0.0


def ordered(names: Iterable[str]) -> list[str]:
    """Return each name once, in the order in which they appear."""
    return list(dict.fromkeys(names))


def family_table(outcomes: Sequence[Outcome]) -> Table:
    """Mean shortfall of each method on each family, in percent."""
    best = best_values(outcomes)
    methods = ordered(outcome.method for outcome in outcomes)
    rows = []
    for family in ordered(outcome.family for outcome in outcomes):
        group = [outcome for outcome in outcomes if outcome.family == family]
        count = len({outcome.instance for outcome in group})
        cells = [family_cell(group, method, count, best) for method in methods]
        rows.append([family, str(count), limits_of(group), *cells])
    header = ["family", "instances", "seconds", *methods]
    return Table("quality-families", "Mean shortfall by family", header, rows)


def limits_of(group: Sequence[Outcome]) -> str:
    limits = sorted({outcome.max_seconds for outcome in group})
    return ", ".join(f"{limit:g}" for limit in limits)


def family_cell(
    group: Sequence[Outcome], method: str, count: int, best: dict[str, float]
) -> str:
    mine = [outcome for outcome in group if outcome.method == method]
    solved = len({outcome.instance for outcome in mine})
    if not mine:
        return ""
    # Of an instance with a target, nothing more is asked.
    if all(math.isfinite(outcome.target) for outcome in mine):
        reached = sum(outcome.value >= outcome.target for outcome in mine)
        return f"{reached} of {len(mine)}"
    missing = mean(shortfall(outcome.value, best[outcome.instance]) for outcome in mine)
    # Instances without an answer cannot be averaged, and are not hidden.
    return percent(missing) + (f" ({solved} of {count})" if solved < count else "")


def rival_table(outcomes: Sequence[Outcome]) -> Table:
    """The first method compared with each other one, and what each proved, by family.

    A method without an answer has a worse one. Proved and verified are those bounds
    that equal the value, and that were checked by their certificate.
    """
    best = best_values(outcomes)
    methods = ordered(outcome.method for outcome in outcomes)
    rows = []
    for family in ordered(outcome.family for outcome in outcomes):
        group = [outcome for outcome in outcomes if outcome.family == family]
        count = len({outcome.instance for outcome in group})
        for method in methods:
            mine = [outcome for outcome in group if outcome.method == method]
            cells = ["", "", ""]
            if not mine:
                continue
            if method != methods[0]:
                main = [outcome for outcome in group if outcome.method == methods[0]]
                cells = [str(each) for each in better_equal_worse(main, mine)]
            gaps = [outcome.gap for outcome in mine if math.isfinite(outcome.gap)]
            checks = [each.is_verified for each in mine if each.is_verified is not None]
            cells += [
                family_cell(group, method, count, best),
                f"{sum(gap <= PROVED_GAP for gap in gaps)} of {len(mine)}",
                percent(mean(gaps)) if gaps else "",
                f"{sum(checks)} of {len(checks)}" if checks else "",
            ]
            rows.append([family, method, *cells])
    comparisons = ["better", "equal", "worse"]
    header = ["family", "method", *comparisons, "shortfall", "proved", "gap", "bounds"]
    main_method = methods[0] if methods else ""
    title = f"{main_method} is better than, equal to, or worse than each method"
    return Table("quality-rivals", title, header, rows)


def better_equal_worse(
    main: Sequence[Outcome], others: Sequence[Outcome]
) -> tuple[int, int, int]:
    """Count instances and seeds by how the main method compares."""
    counts = [0, 0, 0]
    values = {(each.instance, each.seed): each.value for each in others}
    for outcome in main:
        value = values.get((outcome.instance, outcome.seed))
        lead = math.inf if value is None else outcome.value - value
        if value is not None and outcome.is_cover:
            lead = -lead
        is_equal = abs(lead) <= PROVED_GAP * abs(outcome.value)
        counts[1 if is_equal else 0 if lead > 0 else 2] += 1
    return counts[0], counts[1], counts[2]


def instance_table(outcomes: Sequence[Outcome]) -> Table:
    """Values of each method on each instance: all seeds, from the worst to the best."""
    best = best_values(outcomes)
    methods = ordered(outcome.method for outcome in outcomes)
    rows = []
    for instance in ordered(outcome.instance for outcome in outcomes):
        cells = []
        for method in methods:
            values = sorted(
                outcome.value
                for outcome in outcomes
                if (outcome.instance, outcome.method) == (instance, method)
            )
            if any(each.is_cover for each in outcomes if each.instance == instance):
                values.reverse()
            cells.append(span(values, best[instance]))
        gaps = [
            outcome.gap
            for outcome in outcomes
            if outcome.instance == instance and outcome.method == methods[0]
        ]
        gap = max((gap for gap in gaps if not math.isnan(gap)), default=math.nan)
        shown_gap = "" if math.isnan(gap) else percent(gap)
        rows.append([instance, *cells, shown_gap])
    header = ["instance", *methods, f"gap of {methods[0]}" if methods else ""]
    return Table("quality-instances", "Values by instance", header, rows)


def span(values: Sequence[float], best: float) -> str:
    """The worst and the best value; bold if every seed reached the best."""
    if not values:
        return ""
    worst, top = shown(values[0]), shown(values[-1])
    text = worst if worst == top else f"{worst} to {top}"
    return f"**{text}**" if abs(values[0] - best) <= 1e-6 * abs(best) else text


def percent(share: float) -> str:
    if share == 0:
        return "0 %"
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"


def shown(number: float) -> str:
    if not math.isfinite(number):
        return ""
    is_whole = abs(number - round(number)) < 1e-6
    return f"{number:,.0f}" if is_whole else f"{number:,.2f}"
