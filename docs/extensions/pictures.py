"""Pictures for light and dark pages.

Pages name one picture, ``x.png``, as GitHub shows it. The site shows ``x.svg`` instead
if there is one. In dark mode it shows, whichever there is first:

1. ``x-dark.png``, drawn in the dark theme of `thatch.plot`;
2. ``x.svg`` in the colors of that theme, unless it contains a map of values, on which
   the lines would be lost;
3. the same picture as in light mode, on a light card.
"""

from __future__ import annotations

import os
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from thatch.plot.drawing import DARK
from thatch.plot.recoloring import recolored_svg

#: What an SVG file contains if part of it is a raster.
_RASTER = "<image "


class Pictures(SphinxTransform):
    """Replace each picture by what is shown in light and in dark mode."""

    default_priority = 310

    def apply(self, **kwargs: object) -> None:
        """Change the page that was read."""
        for image in list(self.document.findall(nodes.image)):
            if "://" not in image["uri"]:
                self._replace(image)

    def _replace(self, image: nodes.image) -> None:
        folder = Path(self.env.doc2path(self.env.docname)).parent
        picture = folder / image["uri"]
        vector = picture.with_suffix(".svg")
        if vector.exists():
            image["uri"] = os.path.relpath(vector, folder)
        dark = self._dark(picture)
        if dark is None:
            image["classes"].append("on-card")
            return
        twin = image.deepcopy()
        twin["uri"] = os.path.relpath(dark, folder)
        image["classes"].append("only-light")
        twin["classes"].append("only-dark")
        image.parent.insert(image.parent.index(image) + 1, twin)

    def _dark(self, picture: Path) -> Path | None:
        drawn = picture.with_stem(f"{picture.stem}-dark")
        if drawn.exists():
            return drawn
        vector = picture.with_suffix(".svg")
        content = vector.read_text() if vector.exists() else _RASTER
        if _RASTER in content:
            return None
        made = Path(self.env.doctreedir) / "dark" / f"{picture.stem}-dark.svg"
        made.parent.mkdir(exist_ok=True)
        made.write_text(recolored_svg(content, DARK))
        return made


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform."""
    app.add_transform(Pictures)
    return {"parallel_read_safe": True}
