"""Readers take time proportional to the length of a text, whatever it contains.

Each text repeats a fragment on which a pattern might start again at every position. The
text is then made eight times as long: linear time grows by about 8, quadratic by 64.
"""

import io
import time
import zipfile
from math import inf
from pathlib import Path

import pytest

from thatch.context.repository.ignore_rules import compiled, is_matched
from thatch.rouge.stems import porter_stem
from thatch.rouge.text import OriginalTokens, UnicodeTokens
from thatch.text.costs.units import TOKENS
from thatch.text.datasets.sgml import is_sgml, model_summary, stories
from thatch.text.documents.readers import document_of
from thatch.text.language.detection import guess_language
from thatch.text.language.sentences import sentence_spans
from thatch.text.language.words import count_words, words_of

pytestmark = pytest.mark.slow

SCHEMAS = "http://schemas.openxmlformats.org"
GROWTH = 8
# Between 8 and 64; and what takes less than this time cannot be told from noise.
MAX_RATIO, MIN_SECONDS = 24, 0.02
# What else the machine does can lengthen a try, never shorten it: one is enough that is
# as fast as linear time allows. Quadratic time fails all of them.
MAX_TRIES = 20


def sgml(text):
    list(stories(f"<DOC><TEXT>{text}", Path("APW1")))


def sgml_outside_of_text(text):
    list(stories(f"<TEXT></TEXT>{text}", Path("APW1")))


def model_in_html(text):
    model_summary(f"<html>{text}")


def markdown(text):
    document_of(f"{text}\n{text}".encode(), "a.md")


def front_matter(text):
    document_of(f"---\na: b\n{text}".encode(), "a.md")


def plain_text(text):
    document_of(text.encode(), "a.txt")


def html(text):
    document_of(text.encode(), "a.html")


def rst(text):
    document_of(f"{text}\n{text}".encode(), "a.rst")


def asciidoc(text):
    document_of(f"{text}\n{text}".encode(), "a.adoc")


def latex(text):
    document_of(f"{text}\n{text}".encode(), "a.tex")


def subtitles(text):
    document_of(f"00:01.000 --> 00:02.000\n{text}".encode(), "a.srt")


def mail(text):
    document_of(f"Subject: {text}\nFrom: {text}\n\n{text}".encode(), "a.eml")
    document_of(f"From a 2024\n\n{text}".encode(), "a.mbox")


def chat(text):
    document_of(f"13/05/24, 10:31 - Ann: {text}".encode(), "a.txt")


def word(text):
    package, main = f"{SCHEMAS}/package/2006", "a.bin"
    kind = f"{SCHEMAS}/officeDocument/2006/relationships/officeDocument"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships">'
            f'<Relationship Type="{kind}" Target="{main}"/></Relationships>',
        )
        archive.writestr(
            main,
            f'<w:document xmlns:w="{SCHEMAS}/wordprocessingml/2006/main"><w:body>'
            f"{text}</w:body></w:document>",
        )
    document_of(file.getvalue(), "a.docx")


def sentences(text):
    list(sentence_spans(text, language="en"))


def words(text):
    count_words(f"{text}é")
    words_of(text)
    guess_language(text)


def patterns(text):
    """Patterns of .gitignore and of `include`, up to the longest name of a file."""
    is_matched("a" * len(text), compiled([f"{text}b"]))


def scores(text):
    OriginalTokens().of(text)
    UnicodeTokens().of(text)
    porter_stem(text)


TAGS = ["<DOC ", "<DOCNO>", "<DOCNO> ", "<TEXT ", "<ANNOTATION>", "<P ", "</S ", "\n "]
MARKS = [
    "[",
    "![",
    "![](",
    "[a](",
    "[a]:",
    "[^a]: ",
    "> ",
    "- ",
    "1. ",
    "`",
    "```",
    "#",
]
MORE_MARKS = ["#", " #", "|", "|-", "-", "=\n", "<a>", "<!--", "<!--`", " ", "\t- "]
QUOTES = ['"', "“ ", "“A. ", "„A. ", "« A. ", "` ", "'' ", '"No." "', "Dr. “"]
UNSPACED = ["一。", "一“。", "「A。", "a.", "一"]
OPEN_TAGS = [
    "<a ",
    "<a b='",
    "<!--",
    "<?",
    "</",
    "<a",
    "<div>",
    "<ul><li>",
    "&",
    "<![a",
]
DIRECTIVES = [
    *(".. ", ".. a::\n", ":a:`", "`", "``", "*a ", "**a ", "|a ", "|a\n", "a_ ", "a-"),
    *(
        "[1]_",
        "[a",
        "\\",
        "=\n",
        "== ==\n",
        "+-+\n",
        ":a:\n",
        "a\n b\n",
        "a::\n\n",
        "- ",
    ),
    *(".. |a| replace:: b\n", "1. ", "-a  b\n", ".. [a] ", " ", "(a) ", "A: b\n"),
]
ASCIIDOC_MARKS = [
    *("*a ", "_a", "`", "[", "[[", "<<a", "{a", "a::", "----\n", "|===\n", "* ", ". "),
    *("link:a[", "(((", "https://", ".a\n", "= a\n", "a\n=\n", "////\n", " a\n", "#a "),
]
COMMANDS = [
    *("\\", "{", "}", "$", "$$", "\\[", "\\(", "%", "%\n", "~", "--", "`", "\n\n", "["),
    *("\\a[", "\\cite", "\\cite{", "\\section{", "\\begin{figure}", "\\verb|", "\\'"),
    *(
        "\\begin{verbatim}",
        "\\begin{document}",
        "\\title{",
        "\\item",
        "\\def",
        " \\ref{a}",
    ),
]
CUES = [
    *("00:01.000 --> 00:02.000\n", "<a", "<v A>", "&a", "A: ", "A: b\n", "(", "[a] "),
    *("- ", "{\\", "\n\n", "a ", "<00:01.0>a\n"),
]
HEADERS = [
    *("> ", "> \n", "a wrote:\n", "-- \n", "(", "=?", "=?utf-8?q?a?= ", "<a", '"', ","),
    *("\nFrom a 2024\n", "Content-Type: multipart/mixed; boundary=b\n\n--b\n", "--b\n"),
    *("this e-mail ", "_", "---", "a@", "13/05/24, 10:31 - A: b\n", "1/1/24, 1:11 "),
]
ELEMENTS = [
    "<w:p/>",
    "<w:p><w:r><w:t>a</w:t><w:tab/></w:r></w:p>",
    "<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>",
    "<w:p><w:r><w:t>&lt;\n</w:t></w:r></w:p>",
    "<!-- -->",
]
LETTERS = ["a", "!", "・!", ".。", "ก", "e\u0301", "y", "ational", " ", "\u0661"]

# The segmenter gets long texts in pieces, so that its texts must be long.
CASES = [
    *((sgml, fragment, 4_000) for fragment in TAGS),
    *((sgml_outside_of_text, fragment, 4_000) for fragment in TAGS),
    *((model_in_html, each, 4_000) for each in ["<a ", "<a id=", "<a id=x>", "<head>"]),
    *((markdown, fragment, 4_000) for fragment in MARKS + MORE_MARKS),
    *((front_matter, fragment, 4_000) for fragment in ["---\n", "a", "- "]),
    *(
        (plain_text, fragment, 4_000)
        for fragment in ["-", "- ", "•\n", "=\n", "a:\n- "]
    ),
    *((html, fragment, 2_000) for fragment in OPEN_TAGS),
    *((rst, fragment, 4_000) for fragment in DIRECTIVES),
    *((asciidoc, fragment, 4_000) for fragment in ASCIIDOC_MARKS),
    *((latex, fragment, 4_000) for fragment in COMMANDS),
    *((subtitles, fragment, 4_000) for fragment in CUES),
    *((mail, fragment, 4_000) for fragment in HEADERS),
    *((chat, fragment, 4_000) for fragment in HEADERS),
    *((word, fragment, 40_000) for fragment in ELEMENTS),
    *((sentences, fragment, 20_000) for fragment in QUOTES),
    *((sentences, fragment, 8_000) for fragment in UNSPACED),
    (sentences, "![](", 32_000),
    *((words, fragment, 4_000) for fragment in LETTERS),
    *((scores, fragment, 4_000) for fragment in LETTERS),
    *((patterns, fragment, 8_000) for fragment in ["*a", "*?", "*[!b]"]),
    *((TOKENS.measure, fragment, 4_000) for fragment in LETTERS),
    (is_sgml, " ", 4_000),
]


def seconds(function, text):
    """Processor time of a call."""
    start = time.process_time()
    function(text)
    return time.process_time() - start


def is_linear(function, short, long):
    """Whether the least time for the long text is in proportion to the short one's."""
    least_short = least_long = inf
    for _ in range(MAX_TRIES):
        least_short = min(least_short, seconds(function, short))
        least_long = min(least_long, seconds(function, long))
        if least_long <= max(MAX_RATIO * least_short, MIN_SECONDS):
            return True
    return False


@pytest.mark.parametrize("function", dict.fromkeys(case[0] for case in CASES))
def test_time_grows_with_the_length_of_a_text_and_not_faster(function):
    for each, fragment, length in CASES:
        if each == function:
            short, long = (
                fragment * (num_characters // len(fragment))
                for num_characters in (length, GROWTH * length)
            )
            function(short)  # imports and compiles what is needed
            assert is_linear(function, short, long), fragment
