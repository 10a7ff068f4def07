"""LaTeX sources: text without commands, with exact offsets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch.text.documents.readers import document_of

TEXT = r"""\documentclass{article} % a comment
\usepackage[utf8]{inputenc}
\newcommand{\ice}[1]{frozen #1}
\title{The \emph{frozen} Harbor}
\date{2024-05-01}
\begin{document}
\maketitle
\begin{abstract}
It froze.
\end{abstract}
\section[short]{Ice \& Snow}\label{sec:ice}
The harbor froze~\cite{hu} in 1963--64, says % a comment
Br\"uckner\footnote{A note.}: ``it was \textbf{cold}''. The depth is $h = \sqrt{t}$
% another comment
in \href{https://example.org}{meters}.

A second paragraph with \[ x = 1 \] a formula.
\begin{figure}
\includegraphics[width=3cm]{ice.png}
\caption{Ice in \LaTeX{}.}
\end{figure}
\subsection*{Ships}
\begin{itemize}
\item One \verb|x_y|.
\item[b)] Two.
\end{itemize}
\begin{verbatim}
\no{text}
\end{verbatim}
\begin{thebibliography}{9}
\bibitem{hu} A. Hu, Ice (1963).
\end{thebibliography}
\end{document}
Nothing.
"""


def parts(text, *kinds):
    document = document_of(text.encode(), "a.tex")
    return [
        (" ".join(document.shown(b.start, b.end).text.split()), b.kind.value)
        for b in document.blocks
        if not kinds or b.kind.value in kinds
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_text_is_shown_without_commands(end):
    assert parts(TEXT.replace("\n", end)) == [
        ("The frozen Harbor", "heading"),
        ("It froze.", "prose"),
        ("Ice & Snow", "heading"),
        (
            (
                "The harbor froze in 1963\u201364, says Brückner: \u201cit was cold"
                "\u201d. The depth is h = \u221at in meters."
            ),
            "prose",
        ),
        ("A second paragraph with", "prose"),
        ("\\[ x = 1 \\]", "code"),
        ("a formula.", "prose"),
        ("Ice in LaTeX.", "aside"),
        ("Ships", "heading"),
        ("One x_y.", "prose"),
        ("Two.", "prose"),
        ("\\begin{verbatim} \\no{text} \\end{verbatim}", "code"),
        ("A. Hu, Ice (1963).", "aside"),
    ]


def test_headings_have_levels_and_the_date_is_that_of_the_title():
    document = document_of(TEXT.encode(), "a.tex")
    place = document.text.index("One")
    headings = document.headings_at(place)
    assert headings == ("The frozen Harbor", "Ice & Snow", "Ships")
    assert document.line_at(place) == TEXT[:place].count("\n") + 1
    assert document.date == "2024-05-01"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"caf\'e, na\"{\i}ve, \c{c}a, \v{s}, \~nandu", "café, naïve, ça, š, ñandu"),
        (r"stra\ss e, \O{}re, \AA, 5\,\% of \$3", "straße, Øre, Å, 5 % of $3"),
        (r"one --- two \ldots{} three", "one \u2014 two … three"),
        (r"\(a+b\) and \$5", "a+b and $5"),
        (r"{\em nested {\bf groups}} here", "nested groups here"),
        (r"\textcolor{red}{Ice} \unknown{is} \cmd cold", "Ice is cold"),
        (r"50\% of it % not shown", "50% of it"),
        ("See Fig.~\\ref{a} and\n\\citet[p.~3]{b}.", "See Fig. and."),
        (r"An open { brace and $ dollar", "An open brace and dollar"),
        (r"Two\\lines\newline here", "Two lines here"),
    ],
)
def test_what_is_shown(source, shown):
    assert [" ".join(text.split()) for text, _ in parts(source)] == [shown]


def test_a_section_may_have_no_document_around_it():
    assert parts("\\chapter{Ice}\nIt froze.") == [
        ("Ice", "heading"),
        ("It froze.", "prose"),
    ]


@given(
    st.lists(
        st.sampled_from(
            [
                *(
                    "a",
                    " ",
                    "\n",
                    "\n\n",
                    "{",
                    "}",
                    "$",
                    "$$",
                    "\\[",
                    "\\]",
                    "\\(",
                    "\\)",
                    "%",
                ),
                *(
                    "\\section{",
                    "\\cite{a}",
                    "\\begin{figure}",
                    "\\end{figure}",
                    "\\caption{",
                ),
                *(
                    "\\begin{verbatim}",
                    "\\end{verbatim}",
                    "\\'",
                    "\\",
                    "~",
                    "--",
                    "\\verb|",
                ),
                *(
                    "\\begin{document}",
                    "\\end{document}",
                    "\\title{",
                    "[",
                    "]",
                    "\\item",
                    "\\def",
                ),
            ]
        ),
        max_size=40,
    )
)
def test_any_text_is_read(pieces):
    document = document_of("".join(pieces).encode(), "a.tex")
    for block in document.blocks:
        text = document.text[block.start : block.end]
        assert text == text.strip() != ""


@pytest.mark.parametrize("space", [r"\ ", "\\\n", "~", " ", "\n", r"\ \ "])
def test_the_space_before_a_reference_is_hidden_with_it(space):
    assert parts(f"Ice, cf.{space}\\cref{{a}}, froze.") == [
        ("Ice, cf., froze.", "prose")
    ]
