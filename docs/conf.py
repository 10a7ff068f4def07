"""How the documentation is built: ``make docs`` writes it to ``build/docs``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

# Sphinx imports what it documents as type checkers do, and LlamaIndex fails then.
import llama_index.core  # noqa: F401

import thatch

sys.path.insert(0, str(Path(__file__).parent))

project = "thatch"
release = thatch.__version__
html_title = f"thatch {release}"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "extensions.cards",
    "extensions.command_line",
    "extensions.docstrings",
    "extensions.glossary_terms",
    "extensions.mathml",
    "extensions.page_design",
    "extensions.pictures",
]

html_theme = "furo"
templates_path = ["templates"]
html_static_path = ["static"]
html_css_files = ["house.css"]
html_favicon = "../src/thatch/serve/page/mark.svg"
# Typefaces of the page of `thatch serve`, and each color for light and dark.
_PAGE = Path(__file__).parents[1] / "src" / "thatch" / "serve" / "page"
_STYLE = (_PAGE / "colors.css").read_text()
_FONTS = dict(re.findall(r"--(sans|serif): ([^;]+);", _STYLE))
_COLORS = {
    name: (light, dark)
    for name, light, dark in re.findall(
        r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", _STYLE
    )
}


def _variables(theme: int, *, page: str, boxes: str) -> dict[str, str]:
    """Variables of Furo: 0 for the light theme, 1 for the dark one."""
    tokens = {
        "color-background-primary": page,
        "color-background-secondary": boxes,
        "color-background-border": "line",
        "color-background-hover": boxes,
        "color-foreground-primary": "ink",
        "color-foreground-secondary": "soft",
        "color-foreground-muted": "soft",
        "color-foreground-border": "edge",
        "color-brand-primary": "accent",
        "color-brand-content": "accent",
        "color-brand-visited": "accent",
        "color-code-background": boxes,
        "color-card-background": "card",
        "color-sidebar-link-text": "ink",
        "color-sidebar-link-text--top-level": "ink",
        "color-highlight-on-target": "straw-1",
    }
    fonts = {"font-stack": _FONTS["sans"], "font-stack--headings": _FONTS["serif"]}
    return fonts | {name: _COLORS[token][theme] for name, token in tokens.items()}


html_theme_options = {
    "light_css_variables": _variables(0, page="card", boxes="paper"),
    "dark_css_variables": _variables(1, page="paper", boxes="card"),
}
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

# Anchors for headings, named as on GitHub.
myst_heading_anchors = 3
# $...$ and $$...$$ are mathematics, as on GitHub.
myst_enable_extensions = ["dollarmath"]
html_math_renderer = "mathml"

# In a docstring, `PricedProblem` means thatch.PricedProblem.
default_role = "py:obj"
python_use_unqualified_type_names = True
maximum_signature_line_length = 80
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
# Aliases that are clearer than the types they abbreviate.
autodoc_type_aliases = {
    name: name
    for name in (
        "ArrayLike",
        "ConceptsOrName",
        "Flags",
        "Floats",
        "Indices",
        "Ints",
        "Observer",
        "Rule",
        "StoppingRule",
        "Texts",
    )
}
autodoc_preserve_defaults = True
napoleon_google_docstring = False
