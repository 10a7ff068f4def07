"""Haystack: a component that selects documents between a retriever and a prompt.

>>> from haystack import Document
>>> from thatch.integrations.haystack import ContextSelector
>>> documents = [Document(content="Snow fell."), Document(content="It rained.")]
>>> ContextSelector(budget=5).run(documents, query="snow")["text"]
'Snow fell.'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from thatch.context import Context, ContextFormat, Order, SelectOptions, aselect, select
from thatch.errors import InputTypeError, MissingExtraError
from thatch.integrations.select_calls import complete_scores, logged, query_or_none

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.utils import deserialize_callable, serialize_callable
except ImportError as error:
    raise MissingExtraError(
        "thatch.integrations.haystack", package="haystack-ai", extra="haystack"
    ) from error

__all__ = ["ContextSelector", "SelectorOutput"]


class SelectorOutput(TypedDict):
    """What `ContextSelector` returns."""

    #: The selected documents, unchanged.
    documents: list[Document]
    #: The same as printed: it is within the budget.
    text: str
    #: All other documents, unchanged.
    dropped: list[Document]
    #: Why each of those was dropped.
    reasons: list[str]


_with_outputs = component.output_types(
    documents=list[Document], text=str, dropped=list[Document], reasons=list[str]
)


@component
class ContextSelector:
    """A component that selects documents within a token budget.

    It keeps no state, so that threads can share it.

    Parameters
    ----------
    budget, group, per_group, order, window, format, header, separator
        As in `thatch.select`.
    language, max_seconds
        As in `thatch.select`.
    unit
        As in `thatch.select`. A pipeline with this component can be saved if it is a
        name or a function of a module.
    use_scores
        Whether the scores of documents are their relevance, if all of them have one.
        Otherwise relevance to the query is as thatch finds it.

    >>> from haystack import Document
    >>> notes = ["The disk was full.", "It rained.", "The disk was full!"]
    >>> found = ContextSelector(budget=20).run(
    ...     [Document(content=note) for note in notes], query="full disk")
    >>> found["text"], found["reasons"]
    ('The disk was full.',
     ['less relevant than the others', 'repeats chunk 0'])
    """

    def __init__(
        self,
        budget: float,
        *,
        unit: Any = "tokens",
        use_scores: bool = True,
        group: str | None = None,
        per_group: int | None = None,
        order: Order | str = Order.SOURCE,
        window: int = 0,
        format: ContextFormat | str = ContextFormat.TEXT,
        header: str | None = None,
        separator: str = "\n\n",
        language: str | None = None,
        max_seconds: float = 0.2,
    ) -> None:
        self._budget = budget
        self._use_scores = use_scores
        self._options = SelectOptions[Document](
            text=_text,
            unit=unit,
            group=group,
            per_group=per_group,
            order=order,
            window=window,
            format=format,
            header=header,
            separator=separator,
            language=language,
            max_seconds=max_seconds,
        )
        select([], budget, **self._options)  # raises if an option is invalid

    @_with_outputs
    def run(
        self,
        documents: list[Document],
        query: str | None = None,
        budget: float | None = None,
    ) -> SelectorOutput:
        """Select documents.

        Parameters
        ----------
        documents
            The documents to select from. Those without text are dropped.
        query
            The question. Without one, or if it contains no word: documents that say
            what many others say.
        budget
            Maximum size of the text. Default: that of the component.
        """
        options = self._with_relevance(documents, query)
        return _output(select(documents, self._budget_or(budget), **options))

    @_with_outputs
    async def run_async(
        self,
        documents: list[Document],
        query: str | None = None,
        budget: float | None = None,
    ) -> SelectorOutput:
        """Select documents in another thread; the event loop continues meanwhile.

        Parameters
        ----------
        documents, query, budget
            As in `run`.
        """
        options = self._with_relevance(documents, query)
        return _output(await aselect(documents, self._budget_or(budget), **options))

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain data, for the files of pipelines."""
        given: dict[str, Any] = {**self._options}
        del given["text"]
        return default_to_dict(
            self,
            **given
            | {
                "budget": self._budget,
                "unit": _named(given["unit"]),
                "use_scores": self._use_scores,
                "order": str(given["order"]),
                "format": str(given["format"]),
            },
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ContextSelector:
        """The component with the settings of a dictionary as `to_dict` returns."""
        settings = dict(data["init_parameters"])
        # Names of units have no dots, and paths of functions do.
        unit = settings.get("unit")
        if isinstance(unit, str) and "." in unit:
            settings["unit"] = deserialize_callable(unit)
        found: ContextSelector = default_from_dict(
            cls, {**data, "init_parameters": settings}
        )
        return found

    def _budget_or(self, budget: float | None) -> float:
        return self._budget if budget is None else budget

    def _with_relevance(
        self, documents: Sequence[Document], query: str | None
    ) -> SelectOptions[Document]:
        scores = complete_scores([document.score for document in documents])
        return {
            **self._options,
            "query": query_or_none(query),
            "scores": scores if self._use_scores else None,
        }


def _text(document: Document) -> str:
    # Images and tables have none.
    return document.content or ""


def _output(context: Context[Document]) -> SelectorOutput:
    logged(context)
    return SelectorOutput(
        documents=context.objects,
        text=context.text,
        dropped=[each.chunk for each in context.dropped],
        reasons=[each.explanation for each in context.dropped],
    )


def _named(unit: Any) -> str:
    """The name of a unit, or the path of a function that counts tokens."""
    if isinstance(unit, str):
        return unit
    if not hasattr(unit, "__qualname__"):
        raise InputTypeError(
            f"unit is {unit!r:.60}; only names and functions can be saved.",
            hint="Pass a function of a module that counts with the tokenizer.",
        )
    path: str = serialize_callable(unit)
    return path
