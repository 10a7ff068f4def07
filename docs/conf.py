"""How the documentation is built: ``make docs`` writes it to ``build/docs``."""

from __future__ import annotations

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
    "extensions.command_line",
    "extensions.docstrings",
    "extensions.glossary_terms",
    "extensions.mathml",
]

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["house.css"]
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
