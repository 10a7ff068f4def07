"""Methods that `summaries.py` compares: thatch and its settings, Lead, and sumy."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any
from unittest.mock import patch

import numpy as np

from thatch import Summarizer
from thatch.arrays import Floats
from thatch.solvers import GeneralizedGreedy
from thatch.text import Cluster
from thatch.text.concepts.occurrences import ConceptTable
from thatch.text.concepts.salience import Salience
from thatch.text.concepts.schemes import Bigrams, TfIdf
from thatch.text.language.words import count_words, words_of
from thatch.text.passages.flaws import Flaw, flaw_of
from thatch.text.passages.passages import Passages

SUMY = {
    "lex-rank": "lex_rank.LexRankSummarizer",
    "text-rank": "text_rank.TextRankSummarizer",
    "lsa": "lsa.LsaSummarizer",
    "kl": "kl.KLSummarizer",
    "sum-basic": "sum_basic.SumBasicSummarizer",
    "luhn": "luhn.LuhnSummarizer",
}
#: Needs clusters with queries.
QUERY = "thatch, query"


@dataclass(frozen=True)
class Question:
    """What a method gets: a cluster, its query or none, and a budget in words."""

    cluster: Cluster
    query: str
    budget: int


@dataclass(frozen=True)
class Answer:
    """A summary, the sentences chosen for it, and the time that it took."""

    text: str
    passages: Passages
    #: Indices of the sentences.
    chosen: Sequence[int]
    seconds: float

    @property
    def num_flawed(self) -> int:
        """Number of chosen sentences with a flaw.

        One that refers to the sentence before has none where that one is chosen.
        """
        languages, chosen = self.passages.languages, set(self.chosen)
        num_flawed = 0
        for p in chosen:
            passage = self.passages.all[p]
            flaw = flaw_of(passage, language=languages[passage.document])
            has_antecedent = flaw is Flaw.DANGLING and p - 1 in chosen
            num_flawed += flaw is not None and not has_antecedent
        return num_flawed


Method = Callable[[Question], Answer]


@dataclass(frozen=True)
class SalienceWithoutPlaces:
    """The default concept scheme, for which all places in a document are equal."""

    def weigh(self, passages: Passages) -> ConceptTable:
        """Words and pairs of words of the passages, with their weights."""
        with patch("thatch.text.concepts.salience.prominence", no_prominence):
            return Salience().weigh(passages)


def no_prominence(passages: Passages) -> Floats:
    return np.zeros(len(passages))


def methods() -> dict[str, Method]:
    thatch = {
        "thatch": Summarizer(),
        QUERY: Summarizer(),
        "thatch, readability 0": Summarizer(readability=0.0),
        "thatch, readability 1": Summarizer(readability=1.0),
        "thatch, no position": Summarizer(concepts=SalienceWithoutPlaces()),
        "thatch, g-greedy": Summarizer(solver=GeneralizedGreedy()),
        "thatch, bigrams": Summarizer(concepts=Bigrams()),
        "thatch, words": Summarizer(concepts=TfIdf()),
    }
    return {
        "lead": by_lead,
        **{
            name: partial(by_thatch, settings, uses_query=name == QUERY)
            for name, settings in thatch.items()
        },
        **{f"sumy, {name}": partial(by_sumy, path) for name, path in SUMY.items()},
    }


def by_thatch(
    summarizer: Summarizer, question: Question, *, uses_query: bool
) -> Answer:
    start = time.perf_counter()
    if uses_query:
        summarizer = replace(summarizer, query=question.query)
    summary = summarizer.summarize(question.cluster.documents, question.budget)
    text = summary.text
    seconds = time.perf_counter() - start
    return Answer(text, summary.task.passages, summary.passages, seconds)


def by_lead(question: Question) -> Answer:
    """The first sentence of each document, then the second; the last one is cut."""
    start = time.perf_counter()
    passages = Passages.of(question.cluster.documents)
    order = sorted(range(len(passages)), key=lambda p: passages.all[p].position)
    chosen, texts, num_left = [], [], question.budget
    for p in order:
        if num_left <= 0:
            break
        chosen.append(p)
        text, num_words = passages.all[p].text, passages.num_words[p]
        is_whole = num_words <= num_left
        texts.append(text if is_whole else " ".join(text.split()[:num_left]))
        num_left -= num_words
    return Answer(" ".join(texts), passages, chosen, time.perf_counter() - start)


class SumyTokenizer:
    """Words as thatch splits them: sumy's own tokenizer needs data."""

    def to_words(self, sentence: str) -> list[str]:
        return words_of(sentence)


def by_sumy(path: str, question: Question) -> Answer:
    """The best sentences by the ranking of sumy, as many as fit, at least one."""
    module, name = path.split(".")
    summarizer_class: Any = getattr(import_module(f"sumy.summarizers.{module}"), name)
    models: Any = import_module("sumy.models.dom")
    start = time.perf_counter()
    passages = Passages.of(question.cluster.documents)
    tokenizer = SumyTokenizer()
    sentences = [models.Sentence(passage.text, tokenizer) for passage in passages]
    document = models.ObjectDocumentModel([models.Paragraph(sentences)])
    summarizer = summarizer_class(stemmer(passages.language))
    if module == "kl":
        best = first_by_kl(summarizer, document, question.budget)
    else:
        best = summarizer(document, partial(fitting, budget=question.budget))
    seconds = time.perf_counter() - start
    indices = {id(sentence): p for p, sentence in enumerate(sentences)}
    chosen = [indices[id(sentence)] for sentence in best]
    return Answer(" ".join(map(str, best)), passages, chosen, seconds)


class EnoughChosenError(Exception):
    """Ends a ranking of which the rest does not matter."""


def first_by_kl(summarizer: Any, document: Any, budget: int) -> Sequence[Any]:
    """The best sentences by KL, which ranks all of them, one after the other.

    That takes cubic time, so it is ended once the budget is exceeded.
    """
    remaining, chosen, num_words = list(document.sentences), [], 0
    find = summarizer._find_index_of_best_sentence  # noqa: SLF001

    def find_and_stop(divergences: Sequence[float]) -> int:
        nonlocal num_words
        k: int = find(divergences)
        num_words += count_words(str(remaining[k]))
        if chosen and num_words > budget:
            raise EnoughChosenError
        chosen.append(remaining.pop(k))
        return k

    summarizer._find_index_of_best_sentence = find_and_stop  # noqa: SLF001
    with suppress(EnoughChosenError):
        summarizer(document, len(remaining))
    order = {id(sentence): k for k, sentence in enumerate(document.sentences)}
    return sorted(chosen, key=lambda sentence: order[id(sentence)])


def stemmer(language: str) -> Any:
    stemmers: Any = import_module("sumy.nlp.stemmers")
    return stemmers.Stemmer("english") if language == "en" else stemmers.null_stemmer


def fitting(ranked: Sequence[Any], *, budget: int) -> Sequence[Any]:
    """The longest start of a ranking that fits the budget; at least one sentence."""
    num_words = np.cumsum([count_words(str(each.sentence)) for each in ranked])
    return ranked[: max(1, int(np.searchsorted(num_words, budget, side="right")))]
