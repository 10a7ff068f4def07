"""Solving a problem in shards on an engine, and the choice between it and a GPU."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import ClassVar

from thatch.errors import InputError, InputTypeError
from thatch.files.locations import Location
from thatch.machine.devices import Device, device_named
from thatch.machine.engines import Engine, Session
from thatch.run.run import Run
from thatch.scale import LocalEngine
from thatch.scale.running.resumable_solver import ResumableSolver
from thatch.scale.running.run_journal import Journal
from thatch.scale.running.shard_steps import AllShards, perform
from thatch.scale.running.sharded_stages import (
    EngineStages,
    checked_inverse_temperature,
)
from thatch.scale.shards.sharded_problem import ShardedProblem
from thatch.solvers.auto import Auto
from thatch.solvers.base import Solver
from thatch.solvers.belief_propagation.algorithm import BeliefPropagation
from thatch.solvers.effort import Effort


@dataclass(frozen=True)
class ShardedSolver(ResumableSolver):
    """Belief propagation and a dual bound on shards, whose steps an engine performs.

    The messages, their price, the roundings and the multipliers are those that one
    machine would compute, up to rounding errors: each engine, each number of workers
    and each resumed run gives the same bytes.
    """

    #: Where the steps of shards are computed.
    engine: Engine = field(default_factory=LocalEngine)

    device: ClassVar[Device] = Device.CPU

    def _require_solvable(self, problem: ShardedProblem) -> None:
        _require_visible(problem.location, self.engine)
        checked_inverse_temperature(problem, self.messages)

    def _session(self, problem: ShardedProblem) -> AbstractContextManager[Session]:
        return self.engine.session(perform, num_tasks=len(problem.shards))

    def _stages(
        self, problem: ShardedProblem, session: Session, journal: Journal, run: Run
    ) -> EngineStages:
        return EngineStages(
            problem,
            self.messages,
            shards=AllShards(problem, session, journal.published),
            journal=journal,
            num_threads=run.num_threads,
        )


def solver_like(
    solver: Solver, *, device: str, engine: Engine | None, resume: bool
) -> ResumableSolver:
    """What does on shards what `Auto` or belief propagation does in memory.

    All shards pass through a GPU, or steps are computed on the processors of an engine.
    """
    messages, descent_steps = _settings_like(solver)
    if engine is not None and (
        isinstance(engine, type) or not callable(getattr(engine, "session", None))
    ):
        raise InputTypeError(
            f"engine is {engine!r}; it must be an engine object.",
            hint="Pass LocalEngine(), for example, or leave it out.",
        )
    if device_named(device) is Device.GPU:
        if engine is not None:
            raise InputError(
                "engine is not available on device gpu: one GPU runs all steps.",
                hint="Leave it out, or solve on the CPU.",
            )
        from thatch.scale.running.gpu_sharded_solver import GpuShardedSolver

        return GpuShardedSolver(messages, descent_steps, resume)
    return ShardedSolver(messages, descent_steps, resume, engine or LocalEngine())


def _settings_like(solver: Solver) -> tuple[BeliefPropagation, int]:
    """Settings of the messages, and steps of the descent after them."""
    if isinstance(solver, Auto):
        effort: Effort = solver.effort  # type: ignore[assignment]
        messages = BeliefPropagation(max_iterations=effort.sharded_message_iterations)
        return messages, effort.sharded_descent_iterations
    if isinstance(solver, BeliefPropagation):
        return solver, Effort().sharded_descent_iterations
    raise InputError(
        f"{type(solver).__name__} cannot solve a problem in shards; Auto and "
        "BeliefPropagation can.",
        hint="Leave the solver out.",
    )


def _require_visible(folder: Location, engine: Engine) -> None:
    """Require a folder that the processes of an engine can see."""
    if "memory://" not in folder.address:
        return
    from thatch.scale import DaskEngine, SparkEngine

    if isinstance(engine, LocalEngine | DaskEngine | SparkEngine):
        raise InputError(
            f"{folder.address} is in the memory of this process; the workers of an "
            "engine are other processes, which cannot see it.",
            hint="Write the shards to a folder on disk, or to an address that all "
            "workers can open, such as s3://bucket/folder.",
        )
