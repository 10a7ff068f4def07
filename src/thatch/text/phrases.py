"""Key phrases: words that belong together and cover much of what a text says.

They are found like a summary. The items are phrases of the text, each of cost 1; the
elements are its concepts, with the same weights. So a phrase that says what another one
says already is not chosen.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from unicodedata import normalize

import numpy as np

from thatch.options import require_integer
from thatch.problem.coverage_problem import CoverageProblem
from thatch.solvers import Auto
from thatch.solvers.effort import Effort
from thatch.solvers.solving import solve
from thatch.text.concepts.occurrences import ConceptTable
from thatch.text.language.words import surface_words
from thatch.text.passages.passages import Passages
from thatch.text.task import SummaryTask

_Phrase = tuple[str, ...]

# A phrase must occur in two passages, and in one more for every hundred, up to five.
_LEAST, _PASSAGES_PER_MORE, _MOST = 2, 100, 5
# Within a phrase, these are the only stop words: Bank of England, Rio de Janeiro.
_CONNECTORS = frozenset(
    ("of", "de", "del", "des", "di", "do", "du", "da", "van", "von")
)
# Phrases that weigh less than this share of the heaviest say little: a phrase of
# several words or a name, and a single word in lower case.
_MIN_WEIGHT, _MIN_WEIGHT_OF_WORD = 0.02, 0.25
# Phrases end at punctuation, but not at the hyphen or the apostrophe of a word, nor at
# the point of an abbreviation, as in U.S. Army.
_BREAK = re.compile(
    r"[^\w\s'\u2019./&+#-]+|(?<!\b\w)[./'\u2019](?=\s|\Z)|(?<=\s)[^\w\s]+(?=\s)"
)


@dataclass(frozen=True)
class KeyPhrase:
    """A phrase of a text, as it is written there most often."""

    #: The phrase.
    text: str
    #: Weight of the concepts that only this one of the phrases covers.
    weight: float
    #: Number of passages in which it occurs.
    num_passages: int


def key_phrases(
    task: SummaryTask, count: int = 10, *, within: Iterable[int] | None = None
) -> tuple[KeyPhrase, ...]:
    """Return phrases that together cover the most, the heaviest first.

    Parameters
    ----------
    task
        The passages and concepts of the text.
    count
        Maximum number of phrases.
    within
        Indices of the passages to take phrases from. Default: all.

    >>> from thatch import Summarizer
    >>> text = "Heavy snow fell. The heavy snow lay for days. Trains stood still."
    >>> [phrase.text for phrase in key_phrases(Summarizer().task(text, 0), count=2)]
    ['heavy snow', 'Trains']
    """
    require_integer("count", count, least=1, hint="Pass 1 or more.")
    found = _Phrases.of(task.passages, None if within is None else set(within))
    weight_of = _weights(task.table)
    covers = {
        phrase: weight_of.keys() & {*phrase, *pairwise(phrase)}
        for phrase in _longest(found.candidates())
    }
    totals = {
        phrase: sum(weight_of[concept] for concept in covered)
        for phrase, covered in covers.items()
    }
    heaviest = max(totals.values(), default=0.0)
    phrases = [
        phrase
        for phrase, total in totals.items()
        if _says_enough(found.spelling(phrase), total, heaviest=heaviest)
    ]
    sets = [covers[phrase] for phrase in phrases]
    problem = CoverageProblem.from_sets(sets, weights=weight_of, budget=count)
    chosen = solve(
        problem, Auto(Effort.fast()), progress=False
    ).selection.without_redundant_items()
    weights = chosen.contributions
    ranked = [
        KeyPhrase(
            text=found.spelling(phrases[chosen.items[k]]),
            weight=float(weights[k]),
            num_passages=found.num_passages[phrases[chosen.items[k]]],
        )
        for k in np.argsort(-weights, kind="stable").tolist()
    ]
    return tuple(
        phrase
        for phrase in ranked
        if _says_enough(phrase.text, phrase.weight, heaviest=ranked[0].weight)
    )


def _longest(phrases: Sequence[_Phrase]) -> list[_Phrase]:
    """Phrases that are not part of another one, which covers as much at the same cost.

    >>> _longest([("core", "team"), ("core", "team", "members"), ("vote",)])
    [('core', 'team', 'members'), ('vote',)]
    """
    parts = {
        phrase[i:j]
        for phrase in phrases
        for i, j in combinations(range(len(phrase) + 1), 2)
        if j - i < len(phrase)
    }
    return [phrase for phrase in phrases if phrase not in parts]


def _weights(table: ConceptTable) -> dict[Hashable, float]:
    """Weight of each concept that is shown; readability divides some into parts."""
    weights: dict[Hashable, float] = defaultdict(float)
    for concept, weight, is_shown in zip(
        table.concepts, table.weights.tolist(), table.shown.tolist(), strict=True
    ):
        if is_shown:
            weights[concept] += weight
    return dict(weights)


def _says_enough(text: str, weight: float, *, heaviest: float) -> bool:
    is_word = text.islower() and text.isalpha()
    share = _MIN_WEIGHT_OF_WORD if is_word else _MIN_WEIGHT
    return weight >= share * heaviest


@dataclass(frozen=True, eq=False)
class _Phrases:
    """Runs of words of the passages, by their terms."""

    stop_terms: frozenset[str]
    #: Number of passages that contain each run.
    num_passages: Counter[_Phrase]
    #: How often each run is written in each way.
    spellings: dict[_Phrase, Counter[str]]
    #: Minimum number of passages of a single word.
    min_passages: int

    @classmethod
    def of(cls, passages: Passages, within: set[int] | None) -> _Phrases:
        stop = passages.stop_terms
        counts: Counter[_Phrase] = Counter()
        spellings: dict[_Phrase, Counter[str]] = defaultdict(Counter)
        allowed: set[_Phrase] = set()
        for p, (text, terms) in enumerate(
            zip(passages.contents, passages.terms, strict=True)
        ):
            found = dict(_runs(normalize("NFC", text), terms, stop))
            counts.update(found.keys())
            if within is None or p in within:
                allowed.update(found)
            for phrase, written in found.items():
                spellings[phrase][written] += 1
        kept = spellings if within is None else {f: spellings[f] for f in allowed}
        least = min(_LEAST + len(passages) // _PASSAGES_PER_MORE, _MOST)
        # In texts of few passages, once is enough.
        return cls(stop, counts, kept, 1 if len(passages) < 5 else least)

    def candidates(self) -> list[_Phrase]:
        """Phrases that are frequent enough, alone and compared with their parts."""
        return [phrase for phrase in self.spellings if self._is_candidate(phrase)]

    def _is_candidate(self, phrase: _Phrase) -> bool:
        count = self.num_passages[phrase]
        if len(phrase) == 1:
            return count >= self.min_passages
        parts = [
            self.num_passages[part]
            for part in (phrase[1:], phrase[:-1])
            if part in self.num_passages
        ]
        # Of two words, one may have many other companions. A longer phrase must be what
        # its most frequent part usually belongs to.
        most = min(parts, default=0) if len(phrase) == 2 else max(parts, default=0)
        least = max(_LEAST, self.min_passages)
        # A longer phrase takes the place of a shorter one that it contains if it occurs
        # at least half as often.
        return count >= least and count >= most / 2

    def spelling(self, phrase: _Phrase) -> str:
        """The phrase as it is written most often, in lower case if it is a tie."""
        ways = self.spellings[phrase]
        return max(ways, key=lambda text: (ways[text], text.islower(), text))


def _runs(
    text: str, terms: list[str], stop: frozenset[str]
) -> Iterator[tuple[_Phrase, str]]:
    """Runs of words of a text that neither begin nor end with a stop word."""
    spans = list(_word_spans(text))
    if len(spans) != len(terms):
        return  # a few letters become two in lower case
    is_end = [
        term not in stop and (len(term) > 1 or not term.isascii()) for term in terms
    ]
    breaks = [match.start() for match in _BREAK.finditer(text)]
    segment = np.searchsorted(breaks, [start for start, _ in spans]).tolist()
    for i in range(len(terms)):
        for j in range(i, min(i + 4, len(terms))):
            is_inside = j == i or is_end[j - 1] or terms[j - 1] in _CONNECTORS
            if segment[i] != segment[j] or not is_inside:
                break
            if is_end[i] and is_end[j]:
                yield tuple(terms[i : j + 1]), text[spans[i][0] : spans[j][1]]


def _word_spans(text: str) -> Iterator[tuple[int, int]]:
    end = 0
    for word in surface_words(text):
        start = text.find(word, end)
        if start < 0:
            return  # a mark that is not seen is inside the word
        end = start + len(word)
        yield start, end
