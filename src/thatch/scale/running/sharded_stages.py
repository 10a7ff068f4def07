"""The loop's backends for shards: what engines and a GPU share, and that of engines."""

from __future__ import annotations

from abc import abstractmethod
from math import inf

import numpy as np

from thatch.arrays import Floats
from thatch.run.certificates import Certificate, ShardPrices
from thatch.run.run import Run
from thatch.scale.running.run_journal import Journal
from thatch.scale.running.shard_steps import AllShards
from thatch.scale.running.sharded_descent import (
    CERTIFICATE,
    EngineDescent,
    ShardedBound,
    ShardedDescent,
    bound_from_sums,
)
from thatch.scale.running.sharded_messages import (
    EngineMessages,
    MessageRules,
    ShardedMessages,
    inverse_temperature_of,
)
from thatch.scale.running.sharded_rounding import (
    EngineRounding,
    ItemWeightsStep,
    ShardedRounding,
)
from thatch.scale.shards.array_files import loaded
from thatch.scale.shards.sharded_problem import ShardedProblem
from thatch.scale.shards.sharded_selection import ShardedSelection
from thatch.solvers.belief_propagation.algorithm import BeliefPropagation
from thatch.solvers.belief_propagation.loop import (
    Backend,
    DescentState,
    MessagesState,
    RunState,
)
from thatch.solvers.belief_propagation.priced_problem import MAX_DEGREE_IN_SINGLES
from thatch.solvers.belief_propagation.representations import (
    LARGEST_IN_PRODUCTS,
    LARGEST_IN_SINGLES,
)
from thatch.solvers.belief_propagation.schedule import Precision
from thatch.solvers.bounds.dual_bounds import critical_price


class ShardedStages(Backend):
    """Messages and roundings of a problem in shards, with the state of their run."""

    problem: ShardedProblem
    _messages: ShardedMessages
    _rounding: ShardedRounding
    _descent: ShardedDescent | None = None
    #: The bound from the weights alone; None in a run that is resumed.
    _first: ShardedBound | None = None

    def __init__(
        self,
        problem: ShardedProblem,
        settings: BeliefPropagation,
        *,
        state: RunState | None = None,
        inverse_temperature: float,
    ) -> None:
        """Go on from a state, or start: then `_start_from` is called next."""
        self.problem = problem
        self._rules = MessageRules(
            settings.schedule, inverse_temperature, settings.price is None
        )
        first = RunState(MessagesState(settings.price or 0.0), inf)
        self.state = state or first

    def _start_from(self, merits: Floats) -> None:
        """Take the first price and bound from what items cover alone."""
        problem, state = self.problem, self.state
        price = critical_price(merits, problem.costs, budget=problem.budget)
        if self._rules.is_price_free:
            state.messages.price = price
        self._first = bound_from_sums(problem, merits, free=0.0, price=price)
        state.upper_bound = self._first.bound

    def iterate(self) -> None:
        self._rounding.learn(self._messages.iterate(self.state.rounding.pending))

    def round(self) -> None:
        self._rounding.round(self._messages.item_fields())

    def finish_messages(self, run: Run) -> None:
        self._rounding.evaluate()
        if self.state.messages.num_iterations > 0:
            self._rounding.round(-self._messages.log_sums)
            self._rounding.evaluate()

    def new_descent(self) -> ShardedDescent:
        """The descent from the best selection.

        After a time limit has ended the messages early, the journal keeps their state:
        a resumed run goes on with them, and starts the descent again.
        """
        state, rounding = self.state, self.state.rounding
        descent = state.descent or DescentState(rounding.best, rounding.value)
        self._descent = self._descent_from(descent, is_new=state.descent is None)
        if self._has_all_messages:
            state.descent = descent
        return self._descent

    def certificate(self) -> Certificate | None:
        """The multipliers beside the shards, or the weights themselves."""
        problem, bound = self.problem, self.state.upper_bound
        shown = None if self._descent is None else self._descent.shown
        if shown is not None and shown.bound <= bound:
            files = [
                problem.shard_folder(number).child(CERTIFICATE)
                for number in range(len(problem.shards))
            ]
            prices = ShardPrices(lambda number: loaded(files[number]), shown.price)
            return Certificate(of_shards=prices)
        if self._first is None or self._first.bound > bound:
            return None
        prices = ShardPrices(
            lambda number: problem.shard(number).weights, self._first.price
        )
        return Certificate(of_shards=prices)

    @abstractmethod
    def _descent_from(self, state: DescentState, *, is_new: bool) -> ShardedDescent:
        """The descent that starts, or goes on, from a state."""

    def selection(self) -> ShardedSelection:
        return self._rounding.selection()

    def save_at_end(self) -> None:
        """Keep what a resumed run needs, after a run that has not finished."""
        return

    @property
    def num_steps(self) -> int:
        """How many steps all shards have taken."""
        state = self.state
        descent_steps = 0 if state.descent is None else state.descent.num_steps
        return state.messages.num_iterations + descent_steps

    @property
    def _has_all_messages(self) -> bool:
        """Whether no time limit has ended the messages early."""
        return self.state.messages.num_iterations >= self._rules.schedule.max_iterations


class EngineStages(ShardedStages):
    """Stages whose steps an engine performs, and which its journal can resume."""

    _messages: EngineMessages
    _rounding: EngineRounding
    _descent: EngineDescent | None

    def __init__(
        self,
        problem: ShardedProblem,
        settings: BeliefPropagation,
        *,
        shards: AllShards,
        journal: Journal,
        num_threads: int,
    ) -> None:
        """Start, or go on from the state in the journal."""
        super().__init__(
            problem,
            settings,
            state=journal.state,
            inverse_temperature=checked_inverse_temperature(problem, settings),
        )
        self._shards = shards
        self._message_shards = shards.in_stage("bp")
        self._journal = journal
        self._num_threads = num_threads
        self._precision = _precision(
            problem, settings.precision, self._rules.inverse_temperature
        )
        self._rounding = EngineRounding(problem, shards, self.state.rounding)
        if journal.state is None:
            self._start()
        else:
            self._require_files()
        if self.state.descent is None:
            self._messages = EngineMessages(
                problem,
                self._message_shards,
                self._rules,
                self.state.messages,
                precision=self._precision,
            )

    def _start(self) -> None:
        """Take the first price, bound and selection from what items cover alone."""
        merits = np.zeros(self.problem.num_items)
        self._shards.sums(ItemWeightsStep, "weights", 0, out=merits)
        self._start_from(merits)
        self._rounding.round(merits)
        self._write_journal()
        self._shards.clear()

    def _require_files(self) -> None:
        """Require the files that the run to resume has left."""
        state, shards = self.state, self._shards
        for number in (state.rounding.best, state.rounding.pending):
            if number is not None:
                shards.require_published("selection", number)
        step = state.messages.num_iterations
        if state.descent is not None:
            step = state.descent.num_steps
            self._descent_shards.require_states("multipliers", "sums", step=step)
        elif step > 0:
            shards.require_published("totals", step)
            self._message_shards.require_states("messages", "sums", step=step)

    @property
    def _descent_shards(self) -> AllShards:
        """The shards with the files of the descent from the present messages.

        A run that is resumed with more messages has another descent, whose files late
        tasks of this one must not replace.
        """
        return self._shards.in_stage(f"descent{self.state.messages.num_iterations}")

    def new_descent(self) -> ShardedDescent:
        descent = super().new_descent()
        if self._has_all_messages:
            self._write_journal()
            self._message_shards.clear()
        return descent

    def _descent_from(self, state: DescentState, *, is_new: bool) -> EngineDescent:
        return EngineDescent(
            self.problem,
            self._descent_shards,
            precision=self._precision,
            state=state,
            is_new=is_new,
            num_threads=self._num_threads,
        )

    def save(self) -> None:
        if self._descent is None:
            self._write_journal()
            self._messages.forget_outdated()
            return
        if self._has_all_messages:
            self._write_journal()
        self._descent.forget_outdated()

    def _write_journal(self) -> None:
        self._journal.write(self.state)
        self._rounding.forget_outdated()


def checked_inverse_temperature(
    problem: ShardedProblem, messages: BeliefPropagation
) -> float:
    """The inverse temperature of messages, which products of them must allow."""
    return inverse_temperature_of(
        problem, messages.inverse_temperature, largest_scaled=LARGEST_IN_PRODUCTS
    )


def _precision(
    problem: ShardedProblem, given: str | None, inverse_temperature: float
) -> Precision:
    """Single precision if it is asked for, or the files would be huge, and suffices."""
    is_huge = problem.num_edges > 200_000_000
    wanted = given or (Precision.SINGLE if is_huge else Precision.DOUBLE)
    is_enough = (
        inverse_temperature * problem.largest_weight <= LARGEST_IN_SINGLES
        and problem.largest_item_degree <= MAX_DEGREE_IN_SINGLES
    )
    return Precision(wanted) if is_enough else Precision.DOUBLE
