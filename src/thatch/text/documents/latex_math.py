r"""Formulas of LaTeX within a line, as people write them in plain text.

Greek letters and operators are shown as characters, fractions with a slash, and other
commands, such as ``\log``, by their names.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from thatch.text.documents.markup import Markup

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
_SYMBOLS = dict(re.findall(r"(\w+) (\S+)", _OPERATORS))
for _name in _GREEK.split():
    _letter = unicodedata.lookup(
        f"GREEK SMALL LETTER {_name.replace('lambda', 'lamda').upper()}"
    )
    _SYMBOLS[_name] = _letter
    _SYMBOLS[_name.capitalize()] = _letter.upper()
# Fonts, sizes and accents.
_HIDDEN = re.compile(
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
            num_plain = 1 if is_fraction or (name and _HIDDEN.fullmatch(name)) else 0


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
    if _FRACTION.fullmatch(name) or _HIDDEN.fullmatch(name):
        return Markup(start, end)
    space = " " if text[end - 1].isspace() else ""
    if name in _SYMBOLS:
        return Markup(start, end, _SYMBOLS[name] + space)
    is_after_word = start > 0 and text[start - 1].isalnum()
    return Markup(start, start + 1, " " if is_after_word else "")
