"""Check that thatch has the same version everywhere: ``versions.py [TAG]``.

The version is written in ``src/thatch/__init__.py``. The citation and the recipe repeat
it. With a tag, the changelog must have a section for it, and the citation its date.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

HOME = "src/thatch/__init__.py"
CITATION = "CITATION.cff"
CHANGELOG = "CHANGELOG.md"
RECIPE = "packaging/conda-forge/recipe.yaml"
PATTERNS = {
    HOME: r'^__version__ = "(.+)"$',
    CITATION: r"^version: (.+)$",
    RECIPE: r'^  version: "(.+)"$',
}


def differences(root: Path, tag: str | None = None) -> Iterator[str]:
    """One sentence per place that has another version, or another date."""
    version = _found(PATTERNS[HOME], root / HOME)
    for name in (CITATION, RECIPE):
        other = _found(PATTERNS[name], root / name)
        if other != version:
            yield f"{name} has version {other}; {HOME} has {version}."
    if tag is None:
        return
    if tag != f"v{version}":
        yield f"The tag is {tag}; {HOME} has {version}."
    heading = rf"^## {re.escape(version)} \((\d{{4}}-\d\d-\d\d)\)$"
    date = _found(heading, root / CHANGELOG)
    if date == "none":
        yield f"{CHANGELOG} has no section ## {version} (YEAR-MONTH-DAY)."
    released = _found(r"^date-released: (.+)$", root / CITATION)
    if released != date:
        yield f"{CITATION} has date-released {released}; {CHANGELOG} has {date}."


def _found(pattern: str, path: Path) -> str:
    found = re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else "none"


if __name__ == "__main__":
    found = list(differences(Path(__file__).parents[1], *sys.argv[1:]))
    for each in found:
        print(each, file=sys.stderr)
    sys.exit(1 if found else 0)
