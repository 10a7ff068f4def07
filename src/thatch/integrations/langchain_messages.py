"""LangChain: which messages of an agent's history fit its budget."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from thatch.context import DropReason, select
from thatch.errors import MissingExtraError
from thatch.integrations.select_calls import logged, query_or_none
from thatch.options import require_integer
from thatch.text.costs.units import Unit

try:
    from langchain_core.messages import (
        AIMessage,
        AnyMessage,
        BaseMessage,
        HumanMessage,
        SystemMessage,
        ToolMessage,
    )
except ImportError as error:
    raise MissingExtraError(
        "thatch.integrations.langchain", package="langchain-core", extra="langchain"
    ) from error

_LOGGER = logging.getLogger("thatch.integrations")

TokenCounter = Callable[[Sequence[BaseMessage]], int]

# Between the texts of candidates; it is no part of any of them.
_SEPARATOR = "\x1e"


@dataclass(frozen=True, slots=True)
class SelectMessagesEdit:
    """A context edit that selects the older messages of an agent by relevance.

    If the history exceeds the budget, system messages and the latest ones are kept, and
    of the others those that are relevant to the latest message of the user. The results
    of tools stay with the message that called them, and answers with their question.
    Pass it to LangChain's ``ContextEditingMiddleware``, which counts the tokens and
    leaves the stored history as it is.

    >>> from langchain_core.messages import AIMessage, HumanMessage
    >>> from langchain_core.messages.utils import count_tokens_approximately
    >>> history = [HumanMessage("Is the disk full?"), AIMessage("The disk is full."),
    ...            HumanMessage("Does it rain?"), AIMessage("It rains."),
    ...            HumanMessage("What did you say about the disk?")]
    >>> edit = SelectMessagesEdit(budget=35, keep=1)
    >>> edit.apply(history, count_tokens=count_tokens_approximately)
    >>> [message.text for message in history][:2]
    ['Is the disk full?', 'The disk is full.']
    """

    #: Maximum number of tokens of the messages.
    budget: int = 100_000
    #: Number of the latest messages that are always kept.
    keep: int = 6
    #: Language code. Default: guessed.
    language: str | None = None
    #: Time limit of the solver.
    max_seconds: float = 0.2
    #: Called with the messages that an edit removes.
    observer: Callable[[Sequence[BaseMessage]], None] | None = None

    def __post_init__(self) -> None:
        hint = "Pass 1 to keep only the latest message."
        require_integer("keep", self.keep, least=1, hint=hint)
        select([], self.budget, max_seconds=self.max_seconds)

    def apply(self, messages: list[AnyMessage], *, count_tokens: TokenCounter) -> None:
        """Remove messages from the list until the others are within the budget.

        Parameters
        ----------
        messages
            The history, which is changed in place.
        count_tokens
            Returns the number of tokens of messages. It is called about once per older
            message.
        """
        if not messages or count_tokens(messages) <= self.budget:
            return
        history = _History.of(messages)
        latest = range(max(len(messages) - self.keep, 0), len(messages))
        kept = self._selected(history, history.protected(latest), count_tokens)
        removed = [each for k, each in enumerate(messages) if k not in kept]
        messages[:] = [each for k, each in enumerate(messages) if k in kept]
        if self.observer is not None:
            self.observer(removed)

    def _selected(
        self, history: _History, kept: frozenset[int], count_tokens: TokenCounter
    ) -> frozenset[int]:
        """Numbers of the messages to keep: those that are kept anyway, and others."""

        def size(numbers: frozenset[int]) -> int:
            return count_tokens([history.messages[k] for k in sorted(numbers)])

        candidates = [each for each in history.candidates() if not each.closed <= kept]
        always = size(kept)
        if always > self.budget:
            _LOGGER.warning(
                "the messages that are always kept have %d tokens, and the budget is "
                "%d: lower keep, or raise the budget",
                always,
                self.budget,
            )
        if always >= self.budget or not candidates:
            return kept
        texts = [history.text_of(each.own - kept) for each in candidates]
        costs = [size(kept | each.closed) - always for each in candidates]
        context = logged(
            select(
                [{"text": text, "turn": k} for k, text in enumerate(texts)],
                self.budget - always,
                query=query_or_none(history.question),
                unit=_unit(texts, costs),
                separator=_SEPARATOR,
                language=self.language,
                max_seconds=self.max_seconds,
            )
        )
        # Costs include what candidates share, so that there may be room for more.
        others = [
            (each.relevance, each.index)
            for each in context.dropped
            if each.reason is not DropReason.REDUNDANT and each.relevance > 0
        ]
        chosen = [(each.relevance, each.index) for each in context.chunks]
        # Counting may be slow: at most this many more candidates are tried.
        best_first = sorted(chosen)[::-1] + sorted(others)[::-1][:8]
        for _, k in best_first:
            larger = kept | candidates[k].closed
            if larger != kept and size(larger) <= self.budget:
                kept = larger
        return kept


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Messages that are kept or removed together."""

    #: The messages that it is about.
    own: frozenset[int]
    #: The same with those that they make no sense without.
    closed: frozenset[int]


@dataclass(frozen=True, slots=True)
class _History:
    """Messages in turns: a question of the user with all that follows it."""

    messages: Sequence[BaseMessage]
    #: Numbers of the messages of each turn.
    turns: Sequence[range]
    #: For each message, those that it must stay with: a call and the tools' results.
    blocks: Sequence[frozenset[int]]

    @classmethod
    def of(cls, messages: Sequence[BaseMessage]) -> _History:
        starts = [
            k for k, each in enumerate(messages) if isinstance(each, HumanMessage)
        ]
        bounds = sorted({0, *starts, len(messages)})
        turns = [range(*bound) for bound in pairwise(bounds)]
        return cls(messages, turns, _blocks(messages))

    @property
    def question(self) -> str:
        """What the user said last; empty if there is nothing."""
        first = self.turns[-1][0]
        return str(self.messages[first].text) if self._is_question(first) else ""

    def text_of(self, numbers: Iterable[int]) -> str:
        return "\n".join(_text(self.messages[k]) for k in sorted(numbers))

    def protected(self, latest: Iterable[int]) -> frozenset[int]:
        """The latest messages, those of the system, and all that these need."""
        first = self.turns[-1][0]
        needed = {first} if self._is_question(first) else set()
        for k, message in enumerate(self.messages):
            if isinstance(message, SystemMessage):
                needed.add(k)
        for k in latest:
            number = next(n for n, turn in enumerate(self.turns) if k in turn)
            needed |= self.blocks[k] | self._base(number)
        return frozenset(needed)

    def candidates(self) -> list[_Candidate]:
        """What may be removed, in order: turns without calls, and each call."""
        found = []
        for number, turn in enumerate(self.turns):
            base = self._base(number)
            plain = [k for k in turn if len(self.blocks[k]) == 1]
            if base:
                found.append(_Candidate(base, base))
            else:
                found += [_Candidate(self.blocks[k], self.blocks[k]) for k in plain]
            calls = {self.blocks[k] for k in turn if len(self.blocks[k]) > 1}
            found += [_Candidate(call, call | base) for call in sorted(calls, key=min)]
        return found

    def _base(self, number: int) -> frozenset[int]:
        """Question and answer of a turn, without calls of tools.

        Models expect an answer after a question and none without, so that a past turn
        has them together. In the current turn the question is kept in any case.
        """
        turn = self.turns[number]
        is_past = number < len(self.turns) - 1
        if not is_past or not self._is_question(turn[0]):
            return frozenset()
        return frozenset(k for k in turn if len(self.blocks[k]) == 1)

    def _is_question(self, message: int) -> bool:
        return isinstance(self.messages[message], HumanMessage)


def _blocks(messages: Sequence[BaseMessage]) -> list[frozenset[int]]:
    """For each message, itself, and the call and the results that belong to it."""
    owners, caller_of = list(range(len(messages))), dict[str | None, int]()
    for k, message in enumerate(messages):
        if isinstance(message, AIMessage):
            calls = [*message.tool_calls, *message.invalid_tool_calls]
            caller_of.update({call["id"]: k for call in calls})
        elif isinstance(message, ToolMessage):
            owners[k] = caller_of.get(message.tool_call_id, k)
    members: dict[int, set[int]] = {}
    for k, owner in enumerate(owners):
        members.setdefault(owner, set()).add(k)
    return [frozenset(members[owner]) for owner in owners]


def _text(message: BaseMessage) -> str:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    called = [
        f"{call['name']} {json.dumps(call['args'], ensure_ascii=False, default=str)}"
        for call in calls
    ]
    return "\n".join([str(message.text), *called]).strip().replace(_SEPARATOR, " ")


def _unit(texts: Sequence[str], costs: Sequence[int]) -> Unit:
    """Tokens of candidates, which the agent's counter has counted as messages."""
    cost_of: dict[str, int] = {}
    for text, cost in zip(texts, costs, strict=True):
        cost_of[text] = max(cost, cost_of.get(text, 0))
    cost_of[""] = 0

    def measure(text: str) -> int:
        return sum(cost_of.get(part, 0) for part in text.split(_SEPARATOR))

    return Unit("tokens", measure)
