"""What is wrong with a case in a file, as the targets of the attack report it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from fuzz.attack.calls import faults
from fuzz.attack.problems import Case
from fuzz.attack.shrinking import as_code, shrunk

# Shrinking takes seconds: a process does it only for this many faults of a kind.
_MAX_SHRUNK = 5
_NUM_SHRUNK: Counter[tuple[str, str]] = Counter()


def failure_of(path: Path) -> str | None:
    """The worst fault of a case, and Python that repeats it, on a smaller one."""
    case = Case.of_bytes(path.read_bytes())
    found = faults(case)
    if not found:
        return None
    function, worst = case.call["function"], found[0]
    key = (function, worst.kind)
    if _NUM_SHRUNK[key] < _MAX_SHRUNK:
        _NUM_SHRUNK[key] += 1
        case = shrunk(case, worst)
        again = (each for each in faults(case) if each.kind == worst.kind)
        worst = next(again, worst)
    return f"{function}: {worst}\n{as_code(case)}"
