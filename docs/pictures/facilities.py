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
GUIDE = DOCS / "guides" / "facility-location.md"
PICTURE = DOCS / "images" / "facilities.png"


def main() -> None:
    """Draw into the file given, or into the documentation."""
    names: dict[str, Any] = {}
    blocks = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(), re.DOTALL | re.M)
    with contextlib.redirect_stdout(io.StringIO()):
        for code in blocks:
            exec(code, names)
            if "result" in names:
                break
    save_both_themes(
        plot_map(names["result"]), sys.argv[1] if len(sys.argv) > 1 else PICTURE
    )


if __name__ == "__main__":
    main()
