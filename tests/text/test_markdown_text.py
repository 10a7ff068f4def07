"""Text in Markdown, against a parser of CommonMark."""

from html import unescape

import pyromark
from hypothesis import given
from hypothesis import strategies as st

from thatch.text.markdown_text import as_markdown_text

PARTS = ["<b>", "&lt;", "&", "*", "_", "`", "[x](y)", "![", "# ", "- ", "1. ", "~~~"]
PARTS += ["\\", "|", "> ", "+ ", "===", "---", "a", "b c", ".", "<!--", "https://x.y"]


@given(st.lists(st.sampled_from(PARTS), min_size=1).map("".join))
def test_a_line_is_shown_as_it_is(line):
    text = f"a\n{line.strip()}"
    html = pyromark.html(as_markdown_text(text))
    assert html.count("<") == len(["<p>", "</p>"])
    assert unescape(html.removeprefix("<p>").removesuffix("</p>\n")) == text.strip()
