"""The pages of the server: each is put together from its own file and common parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from string import Template
from textwrap import indent

#: Files of the pages.
FOLDER = Path(__file__).parents[1] / "page"
#: File of each page, by its path.
PAGES = {"/": "index.html", "/context": "context.html", "/coverage": "coverage.html"}
# A part with the values of its variables, all of it indented as it is.
_PART = re.compile(r"^( *)<!-- part: (\w+)\s*(.*?)\s*-->\n", re.MULTILINE | re.DOTALL)
_VALUE = re.compile(r"(\w+)=([\"'])(.*?)\2", re.DOTALL)
_SCRIPT = re.compile(r'^ *<script type="module" src="page/js/([\w.]+)">', re.MULTILINE)
_IMPORT = re.compile(r'from "\./([\w.]+)"')


def page_of(path: str) -> str:
    """Return a page with its parts, as HTML.

    All modules that its script imports are loaded at once, not one after another, and
    its link among the tools is marked.
    """
    own = (FOLDER / PAGES[path]).read_text(encoding="utf-8")
    text = _PART.sub(lambda found: _part(*found.groups()), own)
    link = f'<a href="{path[1:] or "./"}">'
    head, tools, rest = text.partition('<nav class="tools"')
    current = rest.replace(link, f'{link[:-1]} aria-current="page">', 1)
    return _SCRIPT.sub(
        lambda found: _preloads(found[1]) + found[0], head + tools + current, count=1
    )


def _part(indentation: str, name: str, values: str) -> str:
    part = (FOLDER / "parts" / f"{name}.html").read_text(encoding="utf-8")
    given = {name: value for name, _, value in _VALUE.findall(values)}
    return indent(Template(part).substitute(given), indentation)


def _preloads(script: str) -> str:
    modules = sorted({*_imported(script, set())} - {script})
    return "".join(
        f'  <link rel="modulepreload" href="page/js/{module}">\n' for module in modules
    )


def _imported(module: str, known: set[str]) -> Iterator[str]:
    """The module and all that it imports, directly or not."""
    if module in known:
        return
    known.add(module)
    yield module
    text = (FOLDER / "js" / module).read_text(encoding="utf-8")
    for imported in _IMPORT.findall(text):
        yield from _imported(imported, known)
