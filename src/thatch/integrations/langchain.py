"""LangChain: select documents behind a retriever, in a chain, or messages of an agent.

>>> from langchain_core.documents import Document
>>> from thatch.integrations.langchain import ContextCompressor
>>> documents = [Document("Snow fell.", id="a"), Document("It rained.", id="b")]
>>> kept = ContextCompressor(budget=5).compress_documents(documents, "snow")
>>> [document.id for document in kept]
['a']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from thatch.context import Context, ContextFormat, Order, SelectOptions, aselect, select
from thatch.errors import InputError, InputTypeError, MissingExtraError
from thatch.integrations.select_calls import logged, select_options

try:
    from langchain_core.callbacks import Callbacks
    from langchain_core.documents import BaseDocumentCompressor, Document
    from langchain_core.runnables import RunnableConfig, RunnableSerializable
    from pydantic import BaseModel, ConfigDict, model_validator
except ImportError as error:
    raise MissingExtraError(
        "thatch.integrations.langchain", package="langchain-core", extra="langchain"
    ) from error

from thatch.integrations.langchain_messages import SelectMessagesEdit

__all__ = ["ContextCompressor", "ContextSelector", "SelectMessagesEdit"]

#: What a `ContextSelector` returns, and the type of each.
_OUTPUT_TYPES = {"text": str, "documents": list[Document], "context": Context[Document]}


# Settings are shared by threads, and a misspelt one must not be ignored.
_CONFIG = ConfigDict(arbitrary_types_allowed=True, extra="forbid", frozen=True)


class _DocumentSelection(BaseModel):
    """Options of `thatch.select` as fields, and how documents are selected by them."""

    model_config = _CONFIG

    budget: float
    unit: Any = "tokens"
    score_field: str | None = None
    printed: Callable[[Document], str] | None = None
    group: str | Callable[[Document], object] | None = None
    per_group: int | None = None
    order: Order | str = Order.SOURCE
    window: int = 0
    separator: str = "\n\n"
    language: str | None = None
    max_seconds: float = 0.2

    @model_validator(mode="after")
    def _require_valid_options(self) -> _DocumentSelection:
        select([], self.budget, **self._options([], None))
        return self

    def _options(
        self, documents: Sequence[Document], query: str | None
    ) -> SelectOptions[Document]:
        scores = self._scores(documents)
        return select_options(self, query, scores=scores, printed=self.printed)

    def _scores(self, documents: Sequence[Document]) -> list[float] | None:
        if self.score_field is None:
            return None
        given = [document.metadata.get(self.score_field) for document in documents]
        scores = [score for score in given if score is not None]
        if len(scores) < len(given):
            raise InputError(
                f"documents[{given.index(None)}] has no {self.score_field!r} in its "
                "metadata.",
                hint="Run a reranker first, or leave out score_field.",
            )
        return scores

    def _selected(
        self, documents: Sequence[Document], query: str | None
    ) -> Context[Document]:
        options = self._options(documents, query)
        return logged(select(documents, self.budget, **options))

    async def _aselected(
        self, documents: Sequence[Document], query: str | None
    ) -> Context[Document]:
        options = self._options(documents, query)
        return logged(await aselect(documents, self.budget, **options))


class ContextCompressor(_DocumentSelection, BaseDocumentCompressor):
    """A document compressor that selects documents within a token budget.

    It returns the documents that it was passed, unchanged. Like all adapters it keeps
    no state, so that threads can share it.

    Parameters
    ----------
    budget, group, per_group, order, window, language, max_seconds
        As in `thatch.select`.
    unit
        As in `thatch.select`: a chat model's ``get_num_tokens``, for example.
    separator
        What your prompt prints between documents.
    score_field
        Field of the metadata with the relevance by a reranker, such as
        ``relevance_score``. Default: relevance to the query as thatch finds it.
    printed
        Function that returns a document as your prompt prints it. Default: its
        ``page_content``.
    relevance_field
        Field of the metadata that the relevance is written to, in copies of the
        documents. Default: none.
    observer
        Called with each `thatch.context.Context`, which has what was dropped and why.

    >>> from langchain_core.documents import Document
    >>> notes = ["The disk was full.", "It rained.", "The disk was full!"]
    >>> compressor = ContextCompressor(budget=20, relevance_field="relevance")
    >>> compressor.compress_documents([Document(note) for note in notes], "full disk")
    [Document(metadata={'relevance': 1.0}, page_content='The disk was full.')]
    """

    relevance_field: str | None = None
    observer: Callable[[Context[Document]], None] | None = None

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,
        callbacks: Callbacks | None = None,
    ) -> list[Document]:
        """The selected documents, in the order of the settings."""
        return self._returned(self._selected(documents, query))

    async def acompress_documents(
        self,
        documents: Sequence[Document],
        query: str,
        callbacks: Callbacks | None = None,
    ) -> list[Document]:
        """The selected documents; the event loop continues meanwhile."""
        return self._returned(await self._aselected(documents, query))

    def _returned(self, context: Context[Document]) -> list[Document]:
        if self.observer is not None:
            self.observer(context)
        field = self.relevance_field
        if field is None:
            return context.objects
        return [
            each.chunk.model_copy(
                update={"metadata": {**each.chunk.metadata, field: each.relevance}}
            )
            for each in context.chunks
        ]


class ContextSelector(_DocumentSelection, RunnableSerializable[dict[str, Any], Any]):
    """A runnable that selects documents for a prompt.

    Its input is a mapping with the query and the documents, so that
    ``RunnablePassthrough.assign(context=selector) | prompt | model`` is a chain.

    Parameters
    ----------
    budget, unit, score_field, printed, group, per_group, order, window
        As in `ContextCompressor`.
    format, header, separator, language, max_seconds
        As in `thatch.select`.
    output
        ``text``: the printed text. ``documents``: the documents. ``context``: the
        `thatch.context.Context`, which also has what was dropped and why.
    query_key, documents_key
        Keys of the input.

    >>> from langchain_core.documents import Document
    >>> documents = [Document("Snow fell."), Document("It rained.")]
    >>> selector = ContextSelector(budget=5)
    >>> selector.invoke({"query": "snow", "documents": documents})
    'Snow fell.'
    """

    # The runnables of LangChain have another one.
    model_config = _CONFIG

    format: ContextFormat | str = ContextFormat.TEXT
    header: str | None = None
    output: Literal["text", "documents", "context"] = "text"
    query_key: str = "query"
    documents_key: str = "documents"

    @property
    def OutputType(self) -> Any:
        """Type of the output, for schemas."""
        return _OUTPUT_TYPES[self.output]

    def invoke(
        self, input: dict[str, Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Any:
        """Select among the documents of the input."""
        return self._call_with_config(self._answer, input, config, **kwargs)

    async def ainvoke(
        self, input: dict[str, Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Any:
        """Select in another thread; the event loop continues meanwhile."""
        return await self._acall_with_config(self._aanswer, input, config, **kwargs)

    def _options(
        self, documents: Sequence[Document], query: str | None
    ) -> SelectOptions[Document]:
        options = super()._options(documents, query)
        return {**options, "format": self.format, "header": self.header}

    def _answer(self, given: dict[str, Any]) -> Any:
        return self._returned(self._selected(*self._parts(given)))

    async def _aanswer(self, given: dict[str, Any]) -> Any:
        return self._returned(await self._aselected(*self._parts(given)))

    def _parts(self, given: object) -> tuple[Sequence[Document], str | None]:
        keys = (self.documents_key, self.query_key)
        if not isinstance(given, Mapping):
            raise InputTypeError(
                f"the input is {given!r:.60}; a mapping was expected.",
                hint=f"Pass a mapping with the keys {keys[0]!r} and {keys[1]!r}.",
            )
        for key in keys:
            if key not in given:
                raise InputError(
                    f"the input has no {key!r}; its keys are {list(given)}.",
                    hint="Set query_key and documents_key to the keys of your chain.",
                )
        documents, query = given[self.documents_key], given[self.query_key]
        if isinstance(documents, str) or not isinstance(documents, Sequence):
            raise InputTypeError(
                f"{self.documents_key} is {documents!r:.60}; a list of documents was "
                "expected.",
                hint="Pass what a retriever returns.",
            )
        if not (query is None or isinstance(query, str)):
            raise InputTypeError(
                f"{self.query_key} is {query!r:.60}; a string was expected.",
                hint="Pass the question, or None if there is none.",
            )
        return documents, query

    def _returned(self, context: Context[Document]) -> Any:
        if self.output == "text":
            return context.text
        return context.objects if self.output == "documents" else context
