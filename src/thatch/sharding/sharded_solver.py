"""Solving a problem in shards: messages, roundings and a dual bound, step by step."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from math import inf
from typing import Any

import numpy as np

from thatch.bounds.dual_bounds import critical_price, proof_tolerance
from thatch.engines import Engine
from thatch.errors import InputError
from thatch.files.locations import Location
from thatch.files.output_lock import LOCK, OutputLock
from thatch.run.progress_bar import TimeLeft
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.sharding.all_shards import AllShards
from thatch.sharding.array_files import remove_if_there
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
from thatch.sharding.steps import perform
from thatch.solvers.auto import Auto
from thatch.solvers.base import Solver
from thatch.solvers.belief_propagation import BeliefPropagation
from thatch.solvers.belief_propagation.priced_problem import MAX_DEGREE_IN_SINGLES
from thatch.solvers.belief_propagation.representations import (
    LARGEST_IN_PRODUCTS,
    LARGEST_IN_SINGLES,
)
from thatch.solvers.belief_propagation.schedule import Precision
from thatch.solvers.effort import Effort

__all__ = ["ShardedSolver"]

_LOG = logging.getLogger("thatch.sharding")
# Folder of the journal and of what the driver publishes. In it and beside the shards,
# the names of all files of a run start with this and its id: a task that outlives its
# driver, as tasks of a cluster can, writes to no other run.
_RUN = "run"
# Up to this many edges, messages and multipliers are written in double precision.
_MAX_EDGES_IN_DOUBLE = 200_000_000


@dataclass(frozen=True)
class ShardedSolver:
    """Belief propagation and a dual bound on shards.

    The messages, their price, the roundings and the multipliers are those that one
    machine would compute, up to rounding errors: each engine, each number of workers
    and each resumed run gives the same bytes.
    """

    #: Settings of the messages; the last items are not replaced greedily.
    messages: BeliefPropagation
    #: Steps of the descent after the messages.
    descent_steps: int

    @classmethod
    def of(cls, solver: Solver) -> ShardedSolver:
        """Do on shards what a solver does in memory."""
        if isinstance(solver, Auto):
            effort: Effort = solver.effort  # type: ignore[assignment]
            messages = BeliefPropagation(
                max_iterations=effort.sharded_message_iterations
            )
            return cls(messages, effort.sharded_descent_iterations)
        if isinstance(solver, BeliefPropagation):
            return cls(solver, Effort().sharded_descent_iterations)
        raise InputError(
            f"{type(solver).__name__} cannot solve a problem in shards; Auto and "
            "BeliefPropagation can.",
            hint="Leave the solver out.",
        )

    @property
    def num_steps(self) -> int:
        """How many steps all shards take, unless the run is stopped."""
        return self.messages.max_iterations + self.descent_steps

    def solve(
        self,
        problem: ShardedProblem,
        run: Run,
        engine: Engine,
        *,
        is_resumed: bool = False,
        time_left: TimeLeft | None = None,
    ) -> Result:
        """Pass messages, round and bound; go on where a run was ended, if asked to.

        Parameters
        ----------
        problem
            What to solve.
        run
            Its clock and stopping rules.
        engine
            Where the steps of shards are computed.
        is_resumed
            Whether to go on where a run was ended.
        time_left
            What shows the time left; it gets the number of steps that are left.
        """
        _require_visible(problem.location, engine)
        settings = self._settings(problem)
        folder = problem.location.child(_RUN)
        with (
            OutputLock(folder, on_notice=_LOG.warning, keeps_empty_folder=False),
            engine.session(perform, num_tasks=len(problem.shards)) as session,
        ):
            if is_resumed:
                journal = Journal.resumed(folder, settings)
            else:
                _remove_runs(problem, folder)
                journal = Journal.begun(folder, settings)
            published = folder.child(f"{_RUN}-{journal.run_id}")
            published.make_folder()
            shards = AllShards(problem, session, published)
            job = _Job(self, problem, shards, journal, run)
            if time_left is not None:
                time_left.num_steps = job.num_steps_left
            result = job.result()
            if result.status is Status.FINISHED or result.status is Status.OPTIMAL:
                _remove_runs(problem, folder)
            return result

    def _settings(self, problem: ShardedProblem) -> dict[str, Any]:
        """What a resumed run must have in common with the one before.

        The names are those that users know: most set an effort, and no iterations.
        """
        settings = asdict(self.messages)
        num_iterations = settings.pop("max_iterations")
        effort = f"{num_iterations} iterations and {self.descent_steps} descent steps"
        return {
            "shards": problem.version,
            "budget": problem.budget,
            "effort": effort,
            **settings,
        }


class _Job:
    """One run of a solver on the shards of a problem."""

    def __init__(
        self,
        solver: ShardedSolver,
        problem: ShardedProblem,
        shards: AllShards,
        journal: Journal,
        run: Run,
    ) -> None:
        self._solver = solver
        self._problem = problem
        self._shards = shards
        self._message_shards = shards.in_stage("bp")
        self._journal = journal
        self._run = run
        settings = solver.messages
        self._inverse_temperature = inverse_temperature_of(
            problem, settings.inverse_temperature, largest_scaled=LARGEST_IN_PRODUCTS
        )
        self._precision = _precision(
            problem, settings.precision, self._inverse_temperature
        )
        first = RunState(MessagesState(settings.price or 0.0), inf)
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
        if self._solver.messages.price is None:
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
        return self._solver.num_steps - done

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
        max_iterations = self._solver.messages.max_iterations
        return self._state.messages.num_iterations >= max_iterations

    @property
    def _descent_shards(self) -> AllShards:
        """The shards with the files of the descent from the present messages.

        A run that is resumed with more messages has another descent, whose files late
        tasks of this one must not replace.
        """
        return self._shards.in_stage(f"descent{self._state.messages.num_iterations}")

    def _pass_messages(self) -> None:
        """Iterate and round, and start the descent from the best rounding."""
        settings = self._solver.messages
        state, rounding = self._state, self._rounding
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
        while descent_state.num_steps < self._solver.descent_steps:
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


def _require_visible(folder: Location, engine: Engine) -> None:
    """Require a folder that the processes of an engine can see."""
    if "memory://" not in folder.address:
        return
    from thatch.engines import DaskEngine, LocalEngine, SparkEngine

    if isinstance(engine, LocalEngine | DaskEngine | SparkEngine):
        raise InputError(
            f"{folder.address} is in the memory of this process; the workers of an "
            "engine are other processes, which cannot see it.",
            hint="Write the shards to a folder on disk, or to an address that all "
            "workers can open, such as s3://bucket/folder.",
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


def _remove_runs(problem: ShardedProblem, folder: Location) -> None:
    """Remove the files of all runs."""
    for number in range(len(problem.shards)):
        shard = problem.shard_folder(number)
        for name in shard.names():
            # The temporary files of killed workers start with a dot.
            if name.removeprefix(".").startswith(f"{_RUN}-"):
                remove_if_there(shard.child(name))
    for name in folder.names() - {LOCK}:
        folder.child(name).remove()
