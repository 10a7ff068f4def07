"""How the documentation is built: ``make docs`` writes it to ``build/docs``."""

from __future__ import annotations

import sys
from pathlib import Path

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
]

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["house.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

# Links to headings, as GitHub makes them.
myst_heading_anchors = 3

# A docstring writes `PricedProblem`, and means thatch.PricedProblem.
default_role = "py:obj"
python_use_unqualified_type_names = True
maximum_signature_line_length = 80
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
# Names that say more than what they stand for.
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
