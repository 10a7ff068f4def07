r"""Commands of LaTeX: which letters they show, and what becomes of their arguments.

Formulas within a line are shown as people write them in plain text: Greek letters and
operators as characters, fractions with a slash, and other commands, such as ``\log``,
by their names.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from thatch.text.documents.markup import Markup

_HEADINGS = (
    *("title", "part", "chapter", "section", "subsection", "subsubsection"),
    *("paragraph", "subparagraph"),
)
#: Levels of headings, of which a document uses some.
HEADING_LEVELS = {name: level for level, name in enumerate(_HEADINGS, start=1)}
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


_TOKEN = re.compile(r"\\([a-zA-Z]+)\*?[ \t]*|\\(.)|([{}~&])", re.DOTALL)
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho "
    "sigma tau upsilon phi chi psi omega"
)
_OPERATORS = """
    to → rightarrow → longrightarrow → mapsto ↦ leftarrow ← leftrightarrow ↔
    Rightarrow ⇒ implies ⇒ Leftarrow ⇐ Leftrightarrow ⇔ iff ⇔ in ∈ notin ∉ ni ∋
    subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ cup ∪ cap ∩ setminus ∖ emptyset ∅
    times × cdot · div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ oplus ⊕ otimes ⊗ leq ≤ le ≤
    geq ≥ ge ≥ neq ≠ ne ≠ approx ≈ sim ∼ simeq ≃ cong ≅ equiv ≡ propto ∝ ll ≪ gg ≫
    infty ∞ sum ∑ prod ∏ int ∫ partial ∂ nabla ∇ sqrt √ forall ∀ exists ∃ neg ¬
    lnot ¬ land ∧ wedge ∧ lor ∨ vee ∨ top ⊤ bot ⊥ vdash ⊢ models ⊨ langle ⟨ rangle ⟩
    ell ℓ hbar ℏ prime ′ mid | vert | lvert | rvert | Vert ‖ ldots … dots … cdots …
    varepsilon ε varphi φ vartheta ϑ colon : defeq :=
"""  # noqa: RUF001
_MATH_SYMBOLS = dict(re.findall(r"(\w+) (\S+)", _OPERATORS))
for _name in _GREEK.split():
    _letter = unicodedata.lookup(
        f"GREEK SMALL LETTER {_name.replace('lambda', 'lamda').upper()}"
    )
    _MATH_SYMBOLS[_name] = _letter
    _MATH_SYMBOLS[_name.capitalize()] = _letter.upper()
# Fonts, sizes and accents.
_HIDDEN_IN_MATH = re.compile(
    r"math\w+|text\w*|operatorname|mbox|left|right|[bB]igg?[lrm]?|\w*style|n?olimits"
    r"|limits|bm|boldsymbol|pmb|ensuremath|hat|tilde|bar|vec|dot|ddot|overline"
    r"|underline|widehat|widetilde|rm|bf|it|cal"
)
_FRACTION = re.compile(r"[dtc]?frac")
_SPACES = frozenset(("quad", "qquad", "enspace", "thinspace"))


def math_markup(text: str, start: int, end: int) -> Iterator[Markup]:
    r"""Markup of a formula: what is not shown of it, and what is shown instead.

    The formula is given without its dollar signs.

    >>> from thatch.text.documents.markup import ShownText
    >>> formula = r"x_1 \in \mathbb{R}^{n+1}, \frac{\pi}{2} \leq \log y"
    >>> marks = list(math_markup(formula, 0, len(formula)))
    >>> ShownText.of(formula, 0, len(formula), marks).text
    'x_1 ∈ R^(n+1), π/2 ≤ log y'
    """
    # What the closing brace of each open group shows.
    closing: list[str] = []
    # Whether a group that starts here is the argument of a hidden command.
    num_plain, is_fraction = 0, False
    for found in _TOKEN.finditer(text, start, end):
        name, sign, brace = found.groups()
        if brace == "{":
            is_plain = num_plain > 0 or _is_short(text, found.start(), start, end)
            after = "/" if is_fraction else ""
            num_plain, is_fraction = max(num_plain - 1, 0), False
            yield Markup(found.start(), found.end(), "" if is_plain else "(")
            closing.append(("" if is_plain else ")") + after)
        elif brace == "}":
            shown = closing.pop() if closing else ""
            num_plain = 1 if shown.endswith("/") else 0
            yield Markup(found.start(), found.end(), shown)
        else:
            yield _command(text, found, name, sign or brace)
            is_fraction = bool(name and _FRACTION.fullmatch(name))
            num_plain = (
                1 if is_fraction or (name and _HIDDEN_IN_MATH.fullmatch(name)) else 0
            )


def _is_short(text: str, opening: int, start: int, end: int) -> bool:
    """Whether a group needs no brackets: it is one character, or stands on its own."""
    before = text[opening - 1] if opening > start else ""
    closing = text.find("}", opening, end)
    return closing - opening <= 2 or not (before in "^_]}" or before.isalpha())


def _command(text: str, found: re.Match[str], name: str | None, sign: str) -> Markup:
    start, end = found.span()
    if name is None:
        shown = {"{": "{", "}": "}", "|": "‖", "!": "", "&": ""}.get(sign, " ")
        return Markup(start, end, sign if sign in "%$#_" else shown)
    if name in _SPACES:
        return Markup(start, end, " ")
    if _FRACTION.fullmatch(name) or _HIDDEN_IN_MATH.fullmatch(name):
        return Markup(start, end)
    space = " " if text[end - 1].isspace() else ""
    if name in _MATH_SYMBOLS:
        return Markup(start, end, _MATH_SYMBOLS[name] + space)
    is_after_word = start > 0 and text[start - 1].isalnum()
    return Markup(start, start + 1, " " if is_after_word else "")
