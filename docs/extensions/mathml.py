"""Equations as MathML, which browsers draw themselves: no script, no font, no network.

Pages write LaTeX between dollar signs, which GitHub shows as mathematics too.
"""

from __future__ import annotations

from xml.etree import ElementTree

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.writers.html5 import HTML5Translator

# Operators whose limits belong below them, which the converter sometimes forgets.
_LARGE_OPERATORS = {"∑", "∏", "min", "max"}

ElementTree.register_namespace("", "http://www.w3.org/1998/Math/MathML")


def mathml(latex: str, display: str) -> str:
    """MathML of a LaTeX formula.

    The converter copies what it does not know into its output; that is an error here.
    """
    try:
        root = ElementTree.fromstring(convert(latex, display=display))
    except ElementTree.ParseError as error:
        raise SphinxError(f"cannot convert to MathML: {latex}") from error
    if "\\" in "".join(root.itertext()):
        raise SphinxError(f"unknown LaTeX command in: {latex}")
    for node in root.iter():
        if node.tag.endswith("msub") and node[0].text in _LARGE_OPERATORS:
            node.tag = node.tag.replace("msub", "munder")
    return ElementTree.tostring(root, encoding="unicode")


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a sentence."""
    self.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a displayed formula."""
    self.body.append(f'<div class="equation">{mathml(node.astext(), "block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer; ``html_math_renderer = "mathml"`` selects it."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
