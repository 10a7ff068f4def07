"""LlamaIndex: select nodes behind a retriever or a reranker.

>>> from llama_index.core.schema import NodeWithScore, TextNode
>>> from thatch.integrations.llama_index import ContextPostprocessor
>>> nodes = [NodeWithScore(node=TextNode(text=text, id_=text[:2]))
...          for text in ("Snow fell.", "It rained.")]
>>> kept = ContextPostprocessor(budget=5).postprocess_nodes(nodes, query_str="snow")
>>> [each.node_id for each in kept]
['Sn']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thatch.context import Context, Order, SelectOptions, aselect, select
from thatch.errors import InputTypeError, MissingExtraError
from thatch.integrations.select_calls import complete_scores, logged, select_options

try:
    from llama_index.core.bridge.pydantic import ConfigDict, Field, model_validator
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import (
        BaseNode,
        MetadataMode,
        NodeWithScore,
        QueryBundle,
    )
except ImportError as error:
    raise MissingExtraError(
        "thatch.integrations.llama_index",
        package="llama-index-core",
        extra="llama-index",
    ) from error

__all__ = ["ContextPostprocessor"]


class ContextPostprocessor(BaseNodePostprocessor):
    """A node postprocessor that selects nodes within a token budget.

    What counts is the text that response synthesizers print: nodes with their metadata,
    and a blank line between them. The nodes, their scores and relationships are
    returned unchanged. It keeps no state, so that threads can share it.

    Parameters
    ----------
    budget, group, per_group, order, window, separator, language, max_seconds
        As in `thatch.select`, for nodes.
    unit
        As in `thatch.select`: LlamaIndex's ``get_tokenizer()``, for example.
    use_scores
        Whether the scores of nodes are their relevance, if all of them have one.
        Otherwise relevance to the query is as thatch finds it.
    metadata_mode
        Which metadata the prompt prints with each node.
    observer
        Called with each `thatch.context.Context`, which has what was dropped and why.

    >>> from llama_index.core.schema import NodeWithScore, TextNode
    >>> nodes = [NodeWithScore(node=TextNode(text="Snow fell."), score=0.2),
    ...          NodeWithScore(node=TextNode(text="It rained."), score=0.8)]
    >>> kept = ContextPostprocessor(budget=5).postprocess_nodes(nodes)
    >>> [(each.text, each.score) for each in kept]
    [('It rained.', 0.8)]
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    budget: float
    unit: Any = "tokens"
    use_scores: bool = True
    metadata_mode: MetadataMode = MetadataMode.LLM
    group: str | Callable[[BaseNode], object] | None = None
    per_group: int | None = None
    order: Order | str = Order.SOURCE
    window: int = 0
    separator: str = "\n\n"
    language: str | None = None
    max_seconds: float = 0.2
    observer: Callable[[Context[BaseNode]], None] | None = Field(
        default=None, exclude=True
    )

    @model_validator(mode="after")
    def _require_valid_options(self) -> ContextPostprocessor:
        select([], self.budget, **self._options([], None))
        return self

    @classmethod
    def class_name(cls) -> str:
        """Name of the class, for serialization."""
        return "ContextPostprocessor"

    def to_json(self, **kwargs: Any) -> str:
        """The settings as JSON, without the observer.

        Parameters
        ----------
        **kwargs
            As in LlamaIndex.

        Raises
        ------
        InputTypeError
            If ``unit`` or ``group`` is not a name.

        >>> '"unit": "words"' in ContextPostprocessor(budget=5, unit="words").to_json()
        True
        """
        for name in ("unit", "group"):
            value = getattr(self, name)
            if not (value is None or isinstance(value, str)):
                raise InputTypeError(
                    f"{name} is {value!r:.60}; only names can be saved.",
                    hint=f"Save the other settings, and pass {name} after loading.",
                )
        return super().to_json(**kwargs)

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        options = self._options(nodes, query_bundle)
        # Sources and positions are fields of the nodes in these.
        context = select([each.node for each in nodes], self.budget, **options)
        return self._returned(nodes, context)

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        options = self._options(nodes, query_bundle)
        context = await aselect([each.node for each in nodes], self.budget, **options)
        return self._returned(nodes, context)

    def _options(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None
    ) -> SelectOptions[BaseNode]:
        scores = complete_scores([each.score for each in nodes])
        query = None if query_bundle is None else query_bundle.query_str
        return select_options(
            self,
            query,
            scores=scores if self.use_scores else None,
            text=_content,
            printed=self._printed,
        )

    def _printed(self, node: BaseNode) -> str:
        # A node without text is dropped, even if it has metadata.
        is_empty = not _content(node).strip()
        return "" if is_empty else node.get_content(metadata_mode=self.metadata_mode)

    def _returned(
        self, nodes: list[NodeWithScore], context: Context[BaseNode]
    ) -> list[NodeWithScore]:
        logged(context)
        if self.observer is not None:
            self.observer(context)
        return [nodes[each.index] for each in context.chunks]


def _content(node: BaseNode) -> str:
    return node.get_content(metadata_mode=MetadataMode.NONE)
