"""AsciiDoc: blocks and markup."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch.text.documents.readers import document_of

TEXT = """\
= The Harbor
Ann Hu <ann@example.org>
v1.0, 2024-05-01
:toc: left

The *harbor* froze
on _Monday_.

== Ice

.A listing
[source,python]
----
print("ice")
----

* one `item`
  continued
** nested
. ordered

NOTE: It is https://example.org[cold].

|===
| a | b
|===

term:: Its definition.

____
A quotation.
____

// a comment
////
more of it
////

[[anchor]]
image::ice.png[Ice]

 literal text

Last, see <<anchor,the anchor>>.
"""


def parts(text, *kinds):
    document = document_of(text.encode(), "a.adoc")
    return [
        (" ".join(document.shown(b.start, b.end).text.split()), b.kind.value)
        for b in document.blocks
        if not kinds or b.kind.value in kinds
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blocks(end):
    assert parts(TEXT.replace("\n", end)) == [
        ("The Harbor", "heading"),
        ("The harbor froze on Monday.", "prose"),
        ("Ice", "heading"),
        ("A listing", "aside"),
        ('print("ice")', "code"),
        ("one item continued", "prose"),
        ("nested", "prose"),
        ("ordered", "prose"),
        ("It is cold.", "prose"),
        ("| a | b", "code"),
        ("term", "aside"),
        ("Its definition.", "prose"),
        ("A quotation.", "prose"),
        ("literal text", "code"),
        ("Last, see the anchor.", "prose"),
    ]


def test_headings_have_levels_and_the_header_a_date():
    document = document_of(TEXT.encode(), "a.adoc")
    end = document.text.index("Last")
    assert document.headings_at(end) == ("The Harbor", "Ice")
    assert document.date == "2024-05-01"


def test_titles_may_have_two_lines():
    text = "Harbor\n======\n\nIce\n---\n\nIt froze.\n----\nx = 1\n----\n"
    assert parts(text) == [
        ("Harbor", "heading"),
        ("Ice", "heading"),
        ("It froze.", "prose"),
        ("x = 1", "code"),
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**b**old and _it_ and snake_case_name", "bold and it and snake_case_name"),
        ("2 * 3 * 4 and `a*b`", "2 * 3 * 4 and a*b"),
        ("link:a.html[the page,window=_blank] ends", "the page ends"),
        ("a note.footnote:[Not shown.]", "a note."),
        ("see <<ice>> and {nbsp}C{plus}{plus}", "see ice and C++"),
        ("https://example.org[] and \\*here*", "https://example.org and *here*"),
        ("*never closed", "*never closed"),
    ],
)
def test_inline_markup(text, shown):
    assert parts(text) == [(shown, "prose")]


@given(st.text(alphabet=" \n\t.:*`_|[]-=+/#<>{}a1", max_size=200))
def test_any_text_is_read(text):
    document = document_of(text.encode(), "a.adoc")
    for block in document.blocks:
        assert document.text[block.start : block.end].strip()
