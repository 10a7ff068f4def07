"""Which terms are rare in a whole corpus: counted part by part, on any engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from thatch.corpus.batch import document_texts
from thatch.corpus.places import Place
from thatch.corpus.plan import Part, Plan
from thatch.corpus.rows import Columns
from thatch.corpus.settings import CorpusSettings
from thatch.engines import Engine
from thatch.text.background import Background
from thatch.text.document import Document

__all__ = ["corpus_statistics"]


def corpus_statistics(
    source: Place,
    settings: CorpusSettings,
    engine: Engine,
    *,
    on_plan: Callable[[Plan], None] = lambda plan: None,
    on_part: Callable[[Part], None] = lambda part: None,
) -> Background:
    """How many documents of a corpus hold each term.

    Rows without a text, and those that are not UTF-8, are passed over.

    Parameters
    ----------
    source
        A file, or a folder of them.
    settings
        Which columns matter, and the language.
    engine
        Where the counting is done.
    on_plan, on_part
        Told what there is to do, and of every part that is done.
    """
    plan = Plan.of(source, settings, engine.map)
    on_plan(plan)
    total = Background()
    for part, counted in engine.map(_Count(settings, plan.columns), plan.parts):
        total = total + counted
        on_part(part)
    return total


@dataclass(frozen=True)
class _Count:
    settings: CorpusSettings
    columns: Columns

    def __call__(self, part: Part) -> Background:
        texts = document_texts(part.rows.batch(self.columns), self.settings)
        language = self.settings.summary.language
        return Background.of((Document(text) for text in texts), language=language)
