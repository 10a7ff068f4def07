"""Solving a problem in shards on an engine: settings, files and locks of a run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from thatch.engines import Engine
from thatch.errors import InputError
from thatch.files.locations import Location
from thatch.run.progress_bar import TimeLeft
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.sharding.all_shards import AllShards
from thatch.sharding.array_files import remove_if_there
from thatch.sharding.output_folder import locked
from thatch.sharding.run_journal import Journal
from thatch.sharding.sharded_problem import ShardedProblem
from thatch.sharding.sharded_run import ShardedRun, checked_inverse_temperature
from thatch.sharding.steps import perform
from thatch.solvers.auto import Auto
from thatch.solvers.base import Solver
from thatch.solvers.belief_propagation import BeliefPropagation
from thatch.solvers.effort import Effort

__all__ = ["ShardedSolver"]

# Folder of the journal and of what the driver publishes. In it and beside the shards,
# the names of all files of a run start with this and its id: a task that outlives its
# driver, as tasks of a cluster can, writes to no other run.
_RUN = "run"


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
        # Before anything is written.
        _require_visible(problem.location, engine)
        checked_inverse_temperature(problem, self.messages)
        settings = self._settings(problem.budget)
        folder = problem.files.child(_RUN)
        with locked(problem.location):
            problem.require_current()
            journal = Journal.resumed(folder, settings) if is_resumed else None
            num_tasks = len(problem.shards)
            with engine.session(perform, num_tasks=num_tasks) as session:
                if journal is None:
                    _remove_runs(problem, folder)
                    folder.make_folder()
                    journal = Journal.begun(folder, settings)
                published = folder.child(f"{_RUN}-{journal.run_id}")
                published.make_folder()
                shards = AllShards(problem, session, published)
                sharded_run = ShardedRun(
                    self.messages,
                    self.descent_steps,
                    problem=problem,
                    shards=shards,
                    journal=journal,
                    run=run,
                )
                if time_left is not None:
                    time_left.num_steps = sharded_run.num_steps_left
                result = sharded_run.result()
                if result.status is Status.FINISHED or result.status is Status.OPTIMAL:
                    _remove_runs(problem, folder)
                return result

    def _settings(self, budget: float) -> dict[str, Any]:
        """What a resumed run must have in common with the one before.

        The names are those that users know: most set an effort, and no iterations.
        """
        settings = asdict(self.messages)
        num_iterations = settings.pop("max_iterations")
        effort = f"{num_iterations} iterations and {self.descent_steps} descent steps"
        return {
            "budget": budget,
            "effort": effort,
            **settings,
        }


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


def _remove_runs(problem: ShardedProblem, folder: Location) -> None:
    """Remove the files of all runs."""
    for number in range(len(problem.shards)):
        shard = problem.shard_folder(number)
        for name in shard.names():
            # The temporary files of killed workers start with a dot.
            if name.removeprefix(".").startswith(f"{_RUN}-"):
                remove_if_there(shard.child(name))
    if folder.exists:
        folder.remove()
