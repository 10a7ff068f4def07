"""The plan of the guide to facility location, as the code of the guide finds it."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from pathlib import Path
from typing import Any

from thatch.plot import plot_map
from thatch.plot.drawing import save_both_themes

DOCS = Path(__file__).parents[1]
PICTURE = DOCS / "images" / "facilities.png"


def names_of(guide: str) -> dict[str, Any]:
    """The names that the code of a guide defines until there is a result."""
    names: dict[str, Any] = {}
    text = (DOCS / "guides" / guide).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    with contextlib.redirect_stdout(io.StringIO()):
        for code in blocks:
            exec(code, names)
            if "result" in names:
                break
    return names


def main() -> None:
    """Draw into the file given, or into the documentation."""
    axes = plot_map(names_of("facility-location.md")["result"])
    save_both_themes(axes, sys.argv[1] if len(sys.argv) > 1 else PICTURE)


if __name__ == "__main__":
    main()
