"""The mark and the typefaces of the page that ``thatch serve`` shows, for this site."""

from __future__ import annotations

import shutil
from pathlib import Path

from sphinx.application import Sphinx

_PAGE = Path(__file__).parents[2] / "src" / "thatch" / "web" / "page"
_MARK, _FONTS, _FONTS_STYLE = "mark.svg", "fonts", "fonts.css"


def stage(app: Sphinx) -> None:
    """Copy the files to a folder of static files, in which Sphinx finds them."""
    folder = Path(app.doctreedir) / "page"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(_PAGE / _MARK, folder)
    if (_PAGE / _FONTS_STYLE).exists():
        shutil.copy(_PAGE / _FONTS_STYLE, folder)
        shutil.copytree(_PAGE / _FONTS, folder / _FONTS, dirs_exist_ok=True)
        app.add_css_file(_FONTS_STYLE)
    app.config.html_static_path.append(str(folder))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the handler."""
    app.connect("builder-inited", stage)
    return {"parallel_read_safe": True}
