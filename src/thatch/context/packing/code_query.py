"""What a question about code asks for: its words, and the places that it names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from thatch.text.language.identifiers import words_of_identifier
from thatch.text.language.terms import Terms

# What templates of issues say to whoever fills them in, and addresses of pages.
_UNSAID = re.compile(r"<!--(?:(?!<!--).)*?-->|https?://\S+", re.DOTALL)
# Names are matched from their first letter only: pasted data may be one long word, and
# a search from each of its letters would take quadratic time.
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
# What tells an identifier from a word: an underscore or a capital within it, or what
# stands around it, as in `name`, name() and .name.
_IN_CODE = re.compile(
    r"(?<!\w)(?:(?<=[`.])[^\W\d]\w*|[^\W\d]\w*(?=[`(])|\w*[a-z][A-Z]\w*|\w+_\w+)"
)
_DOTTED = re.compile(r"(?<!\w)[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_IMPORT = re.compile(r"\bfrom\s+([\w.]+)\s+import\s+\(?([\w, ]+)")
_PATH = re.compile(r"(?<![\w./\\-])[\w./\\-]+\.\w{1,5}\b")
# Frames of Python, then those of other languages: "roof.go:12", "(roof.js:12:7)".
_PYTHON_FRAME = re.compile(r'File "([^"\n]+)", line (\d+)(?:, in (\S+))?')
_OTHER_FRAME = re.compile(r"(?<![\w./\\-])([\w./\\-]+\.\w{1,5}):(\d+)\b")
_KEYWORDS = (
    "self cls return none null true false import def class func function from if elif "
    "else for while try except pass lambda yield with raise assert del print"
)
_UNSAID_WORDS = frozenset(_KEYWORDS.split())
# Words of the title, which says what the question is about, count more by this.
_TITLE_WEIGHT = 4.0
# Pasted logs have more; what comes first says most.
_MAX_TERMS = 200


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in code that a traceback names.

    >>> Frame("roof.py", 12).function
    ''
    """

    path: str
    line: int
    function: str = ""


@dataclass(frozen=True)
class CodeQuery:
    """A question, such as the text of an issue, as code is searched for it.

    >>> query = CodeQuery.of("mendRoof fails in src/roof.py")
    >>> query.weights
    {'mend': 4.0, 'roof': 4.0, 'mendroof': 4.0, 'fail': 4.0, 'src': 4.0, 'py': 4.0}
    >>> query.identifiers, query.paths
    (('mendRoof', 'py'), ('src/roof.py',))
    """

    #: Stems of words and of the words in identifiers, with their weights.
    weights: Mapping[str, float]
    #: Words that look like identifiers; suffixes of files do, too.
    identifiers: Sequence[str]
    #: Names with dots, such as modules, and what is imported from them.
    dotted: Sequence[str]
    #: Files that are named; of those in tracebacks, only absolute paths.
    paths: Sequence[str]
    #: Frames of tracebacks, the one that raised first.
    frames: Sequence[Frame]

    @classmethod
    def of(cls, query: str) -> CodeQuery:
        """Read a question."""
        text = _UNSAID.sub(" ", query).strip()
        title = text.partition("\n")[0]
        frames = _frames(text)
        in_frames = {frame.path for frame in frames}
        paths = dict.fromkeys(path.strip("./\\") for path in _PATH.findall(text))
        dotted = dict.fromkeys(_DOTTED.findall(text))
        for module, names in _IMPORT.findall(text):
            words = (name.split() for name in names.split(","))
            dotted |= dict.fromkeys(f"{module}.{each[0]}" for each in words if each)
        return cls(
            _weights(text, title),
            tuple(dict.fromkeys(_IN_CODE.findall(text))),
            tuple(dotted),
            tuple(path for path in paths if path not in in_frames),
            frames,
        )


def stems_of(names: Sequence[str]) -> list[list[str]]:
    """Stems of the words in identifiers, without words that say nothing.

    >>> stems_of(["files_of", "self"])
    [['file', 'filesof'], []]
    """
    words = [words_of_identifier(name) for name in names]
    terms = Terms("en")
    stop = terms.stop_terms()
    stem_of = {
        word: stem
        for word, stem in terms.of_words({w for each in words for w in each}).items()
        if len(word) > 1 and stem not in stop and word not in _UNSAID_WORDS
    }
    return [[stem_of[word] for word in each if word in stem_of] for each in words]


def _weights(text: str, title: str) -> dict[str, float]:
    """Weight of each term: how often it occurs says little, as in pasted logs."""
    weights: dict[str, float] = {}
    names = list(dict.fromkeys(_IDENTIFIER.findall(text)))
    in_title = set(_IDENTIFIER.findall(title))
    for name, stems in zip(names, stems_of(names), strict=True):
        for stem in stems[: max(_MAX_TERMS - len(weights), 0)]:
            weight = _TITLE_WEIGHT if name in in_title else 1.0
            weights[stem] = max(weight, weights.get(stem, 0.0))
    return weights


def _frames(text: str) -> tuple[Frame, ...]:
    found = [
        Frame(path, int(line), function.strip("<>"))
        for path, line, function in _PYTHON_FRAME.findall(text)
    ]
    # Python prints the call that raised last, others print it first.
    found.reverse()
    return (*found, *(Frame(p, int(k)) for p, k in _OTHER_FRAME.findall(text)))
