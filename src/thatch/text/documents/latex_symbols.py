"""Commands of LaTeX: which letters they show, and what becomes of their arguments."""

from __future__ import annotations

import re
import unicodedata

#: Levels of headings, of which a document uses some.
HEADING_LEVELS = {
    "title": 1,
    "part": 2,
    "chapter": 3,
    "section": 4,
    "subsection": 5,
    "subsubsection": 6,
    "paragraph": 7,
    "subparagraph": 8,
}
#: What commands without arguments show. Others show nothing.
SYMBOLS = {
    **{name: name for name in "&%$#_{}"},
    **dict.fromkeys((",", ";", ":", " ", ">", "\n", "\t", "quad", "qquad"), " "),
    **dict.fromkeys(("\\", "newline", "linebreak", "hfill", "hspace", "space"), " "),
    **{"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø"},
    **{"l": "ł", "L": "Ł", "aa": "å", "AA": "Å", "dh": "ð"},
    **{"i": "\u0131", "j": "\u0237"},
    **{"DH": "Ð", "th": "þ", "TH": "Þ", "S": "§", "P": "¶", "dag": "†", "ddag": "‡"},
    **{"LaTeX": "LaTeX", "TeX": "TeX", "LaTeXe": "LaTeX2e", "BibTeX": "BibTeX"},
    **dict.fromkeys(("ldots", "dots", "textellipsis", "cdots"), "…"),
    **{"textendash": "\u2013", "textemdash": "\u2014", "textbar": "|"},
    **{"textquoteleft": "\u2018", "textquoteright": "\u2019", "textbackslash": "\\"},
    **{"textquotedblleft": "\u201c", "textquotedblright": "\u201d", "slash": "/"},
    **{"guillemotleft": "«", "guillemotright": "»", "textless": "<"},
    **{"textgreater": ">", "textasciitilde": "~", "textasciicircum": "^"},
    **{"textunderscore": "_", "pounds": "£", "euro": "€", "texteuro": "€"},
    **{"copyright": "©", "textcopyright": "©", "textregistered": "®"},
    **{"texttrademark": "™", "textdegree": "°", "degree": "°", "textmu": "µ"},
    **{"textbullet": "•", "textperiodcentered": "·", "textdollar": "$"},
}
_ACCENTS = {
    **{"'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303"},
    **{"=": "\u0304", ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b"},
    **{"c": "\u0327", "k": "\u0328", "r": "\u030a", "b": "\u0331", "d": "\u0323"},
}
_DOTLESS = {"\\i": "i", "\\j": "j"}
# The letter under an accent, perhaps in braces. Accents that are letters themselves
# need a space or a brace before it.
_LETTER = re.compile(
    r"[ \t]*(?:\{[ \t]*(\\[ij]|[^\W\d_])[ \t]*\}|(\\[ij])\b|([^\W\d_]))"
)
# Commands whose arguments are not shown, and by how many of them.
_DROPPED = re.compile(
    r"(?:no|paren|text|auto|foot|full|super|smart|short|Paren|Text|Auto)?[cC]ite\w*"
    r"|(?:eq|auto|page|name|v|c|C|V|sub|full)?ref|[cC]refrange|label\w*|footnote\w*"
    r"|index\w*|glossary|vspace|hspace|includegraphics|input|include|bibliography\w*"
    r"|usepackage|RequirePackage|documentclass|setlength|addtolength|pagestyle"
    r"|thispagestyle|addcontentsline|hypersetup|color|pagecolor|marginpar|todo|thanks"
    r"|author|date|affil\w*|address|email|institute|institution|titlerunning"
    r"|authorrunning|(?:re)?newcommand|providecommand|DeclareMathOperator|newtheorem"
    r"|(?:re)?newenvironment|setcounter|addtocounter|bibitem|graphicspath|geometry"
    r"|includepdf|lstset|lstinputlisting|orcid|acmConference|acmDOI|ccsdesc|rule"
    r"|newlength|bibinfo|hyphenation|pdfinfo|thanksref|corref|phantom|vphantom|hphantom"
    r"|settopmatter|raisebox|resizebox|scalebox|phantomsection|citestyle"
)
_NUM_HIDDEN = {"textcolor": 1, "href": 1, "colorbox": 1, "parbox": 1, "makebox": 0}


def accented(text: str, start: int, end: int) -> tuple[int, str] | None:
    r"""Return where an accent ends and the letter it shows; None if it is none.

    >>> accented(r"caf\'{e}s", 3, 5)
    (8, 'é')
    """
    name = text[start + 1 : end]
    mark = _ACCENTS.get(name)
    found = _LETTER.match(text, end) if mark else None
    if found is None or mark is None:
        return None
    is_joined = found[3] is not None and found.end() == end + 1
    if name.isalpha() and is_joined:
        return None  # \vs is a command of its own
    letter = found[1] or found[2] or found[3]
    return found.end(), unicodedata.normalize(
        "NFC", _DOTLESS.get(letter, letter) + mark
    )


def is_dropped(command: str) -> bool:
    """Return whether a command is not shown, and none of its arguments.

    >>> is_dropped("citep"), is_dropped("emph")
    (True, False)
    """
    return _DROPPED.fullmatch(command) is not None


def num_hidden(command: str) -> int:
    """Return how many of the arguments of a command, the first ones, are not shown.

    >>> num_hidden("href")
    1
    """
    return _NUM_HIDDEN.get(command, 0)
