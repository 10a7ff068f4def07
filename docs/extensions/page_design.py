"""The mark and the typefaces of the page that ``thatch serve`` shows, for this site."""

from __future__ import annotations

import shutil
from pathlib import Path

from sphinx.application import Sphinx

_PAGE = Path(__file__).parents[2] / "src" / "thatch" / "serve" / "page"
_FONTS_STYLE = "fonts.css"


def stage(app: Sphinx) -> None:
    """Copy the files to a folder of static files, in which Sphinx finds them."""
    folder = Path(app.doctreedir) / "page"
    folder.mkdir(parents=True, exist_ok=True)
    for file in ("mark.svg", _FONTS_STYLE):
        shutil.copy(_PAGE / file, folder)
    shutil.copytree(_PAGE / "fonts", folder / "fonts", dirs_exist_ok=True)
    app.add_css_file(_FONTS_STYLE)
    app.config.html_static_path.append(str(folder))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the handler."""
    app.connect("builder-inited", stage)
    return {"parallel_read_safe": True}
