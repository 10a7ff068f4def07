"""A run on shards: messages, roundings and a dual bound, step by step."""

from __future__ import annotations

from math import inf

import numpy as np

from thatch.bounds.dual_bounds import critical_price, proof_tolerance
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.sharding.all_shards import AllShards
from thatch.sharding.covering import ItemWeightsStep
from thatch.sharding.message_settings import (
    MESSAGES_TIME_SHARE,
    STEPS_PER_BOUND,
    inverse_temperature_of,
)
from thatch.sharding.run_journal import Journal, RunState
from thatch.sharding.sharded_descent import (
    DescentState,
    ShardedDescent,
    bound_from_sums,
)
from thatch.sharding.sharded_messages import MessagesState, ShardedMessages
from thatch.sharding.sharded_problem import ShardedProblem
from thatch.sharding.sharded_rounding import ShardedRounding
from thatch.solvers.belief_propagation import BeliefPropagation
from thatch.solvers.belief_propagation.priced_problem import MAX_DEGREE_IN_SINGLES
from thatch.solvers.belief_propagation.representations import (
    LARGEST_IN_PRODUCTS,
    LARGEST_IN_SINGLES,
)
from thatch.solvers.belief_propagation.schedule import Precision

__all__ = ["ShardedRun", "checked_inverse_temperature"]

# Up to this many edges, messages and multipliers are written in double precision.
_MAX_EDGES_IN_DOUBLE = 200_000_000


class ShardedRun:
    """One run on the shards of a problem: messages, roundings and a dual descent."""

    def __init__(
        self,
        messages: BeliefPropagation,
        descent_steps: int,
        *,
        problem: ShardedProblem,
        shards: AllShards,
        journal: Journal,
        run: Run,
    ) -> None:
        """Start, or go on from the state in the journal."""
        self._settings = messages
        self._descent_steps = descent_steps
        self._problem = problem
        self._shards = shards
        self._message_shards = shards.in_stage("bp")
        self._journal = journal
        self._run = run
        self._inverse_temperature = checked_inverse_temperature(problem, messages)
        self._precision = _precision(
            problem, messages.precision, self._inverse_temperature
        )
        first = RunState(MessagesState(messages.price or 0.0), inf)
        self._state = journal.state or first
        self._rounding = ShardedRounding(problem, shards, self._state.rounding)
        if journal.state is None:
            self._start()
        else:
            self._require_files()

    def _start(self) -> None:
        """Take the first price, bound and selection from what items cover alone."""
        problem, state = self._problem, self._state
        merits = np.zeros(problem.num_items)
        self._shards.sums(ItemWeightsStep, "weights", 0, out=merits)
        if self._settings.price is None:
            costs, budget = problem.costs, problem.budget
            state.messages.price = critical_price(merits, costs, budget=budget)
        state.upper_bound = bound_from_sums(problem, merits, free=0.0)
        self._rounding.round(merits)
        self._save()
        self._shards.clear()

    def _require_files(self) -> None:
        """Require the files that the run to resume has left."""
        state, shards = self._state, self._shards
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
    def num_steps_left(self) -> int:
        """How many steps all shards take from now on, unless the run is stopped."""
        state = self._state
        descent_steps = 0 if state.descent is None else state.descent.num_steps
        done = state.messages.num_iterations + descent_steps
        return self._settings.max_iterations + self._descent_steps - done

    def result(self) -> Result:
        """Go through all steps, as far as the run allows."""
        state, run = self._state, self._run
        if state.descent is None:
            self._pass_messages()
        status = None
        if not self._is_proved:
            status = run.check_stop() or self._descend()
        if not self._has_all_messages:
            status = status or Status.TIME_LIMIT
        if self._is_proved:
            status = Status.OPTIMAL
        result = run.result(
            self._rounding.selection(),
            status or Status.FINISHED,
            upper_bound=state.upper_bound,
        )
        return result.with_bound(state.upper_bound)

    @property
    def _is_proved(self) -> bool:
        """Whether the best selection so far is as good as the bound, as in memory."""
        value = self._state.rounding.value
        tolerance = proof_tolerance(self._problem, value)  # type: ignore[arg-type]
        return self._state.upper_bound <= value + tolerance

    @property
    def _has_all_messages(self) -> bool:
        """Whether no time limit has ended the messages early."""
        return self._state.messages.num_iterations >= self._settings.max_iterations

    @property
    def _descent_shards(self) -> AllShards:
        """The shards with the files of the descent from the present messages.

        A run that is resumed with more messages has another descent, whose files late
        tasks of this one must not replace.
        """
        return self._shards.in_stage(f"descent{self._state.messages.num_iterations}")

    def _pass_messages(self) -> None:
        """Iterate and round, and start the descent from the best rounding."""
        settings, state, rounding = self._settings, self._state, self._rounding
        messages = ShardedMessages(
            self._problem,
            self._message_shards,
            settings.schedule,
            precision=self._precision,
            inverse_temperature=self._inverse_temperature,
            is_price_free=settings.price is None,
            state=state.messages,
        )
        run = self._run.with_time_share(MESSAGES_TIME_SHARE)
        every = settings.iterations_per_rounding
        while not (self._has_all_messages or self._is_proved):
            rounding.learn(messages.iterate(state.rounding.pending))
            if every > 0 and state.messages.num_iterations % every == 0:
                rounding.round(messages.item_fields())
            self._save()
            messages.forget_before_last()
            status = run.report(
                value=state.rounding.value,
                upper_bound=state.upper_bound,
                largest_change=state.messages.largest_change
                / self._inverse_temperature,
                price=state.messages.price,
                step="bp",
            )
            if status is not None:
                break
        if self._is_proved:
            return
        rounding.evaluate()
        if state.messages.num_iterations > 0:
            rounding.round(-messages.log_sums)
            rounding.evaluate()

    def _descend(self) -> Status | None:
        """Lower the bound; return a status if the run was stopped.

        After a time limit has ended the messages early, the journal keeps their state:
        a resumed run goes on with them, and starts the descent again.
        """
        state, run = self._state, self._run
        best = state.rounding.best
        assert best is not None
        is_new = state.descent is None
        descent_state = state.descent or DescentState(best, state.rounding.value)
        descent = ShardedDescent(
            self._problem,
            self._descent_shards,
            precision=self._precision,
            state=descent_state,
            is_new=is_new,
            num_threads=run.num_threads,
        )
        if self._has_all_messages:
            state.descent = descent_state
            self._save()
            self._message_shards.clear()
        status, last_step = None, run.seconds
        while descent_state.num_steps < self._descent_steps:
            if status is not None or not descent.can_descend:
                break
            began = run.seconds
            descent.step()
            if self._has_all_messages:
                self._save()
            descent.forget_last()
            last_step = run.seconds - began
            status = run.report(
                value=state.rounding.value,
                upper_bound=state.upper_bound,
                step="dual descent",
            )
            if run.seconds_left < STEPS_PER_BOUND * last_step:
                status = status or Status.TIME_LIMIT
        state.upper_bound = min(state.upper_bound, descent.bound())
        run.report(
            value=state.rounding.value,
            upper_bound=state.upper_bound,
            step="dual descent",
        )
        return status

    def _save(self) -> None:
        self._journal.write(self._state)
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
    is_huge = problem.num_edges > _MAX_EDGES_IN_DOUBLE
    wanted = given or (Precision.SINGLE if is_huge else Precision.DOUBLE)
    is_enough = (
        inverse_temperature * problem.largest_weight <= LARGEST_IN_SINGLES
        and problem.largest_item_degree <= MAX_DEGREE_IN_SINGLES
    )
    return Precision(wanted) if is_enough else Precision.DOUBLE
