"""What runs on shards share on engines and on a GPU: settings, files and locks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

from thatch.files.locations import Location
from thatch.machine.caching import cached_property
from thatch.machine.devices import Device
from thatch.run.progress_bar import TimeLeft
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.scale.running.run_journal import Journal
from thatch.scale.running.sharded_stages import ShardedStages
from thatch.scale.shards.array_files import remove_if_there
from thatch.scale.shards.output_folder import locked
from thatch.scale.shards.sharded_problem import ShardedProblem
from thatch.solvers.belief_propagation.algorithm import BeliefPropagation
from thatch.solvers.belief_propagation.loop import solved

# Folder of the journal and of what the driver publishes. In it and beside the shards,
# the names of all files of a run start with this and its id: a task that outlives its
# driver, as tasks of a cluster can, writes to no other run.
_RUN = "run"


@dataclass(frozen=True)
class ResumableSolver(ABC):
    """Belief propagation and a dual bound on shards, which go on where they ended."""

    #: Settings of the messages; the last items are not replaced greedily.
    messages: BeliefPropagation
    #: Steps of the descent after the messages.
    descent_steps: int
    #: Whether to go on where a run was ended.
    is_resumed: bool = False

    #: Where steps are computed; a run that is resumed stays there.
    device: ClassVar[Device]

    @cached_property
    def progress_fields(self) -> TimeLeft:
        """What a progress bar shows: the steps that are left, and their time."""
        return TimeLeft(self.messages.max_iterations + self.descent_steps)

    def solve(self, problem: ShardedProblem, run: Run) -> Result:
        """Pass messages, round and bound; go on where a run was ended, if asked to."""
        # Before anything is written.
        self._require_solvable(problem)
        settings = self._settings(problem.budget)
        folder = problem.files.child(_RUN)
        with locked(problem.location):
            problem.require_current()
            journal = Journal.resumed(folder, settings) if self.is_resumed else None
            with self._session(problem) as session:
                if journal is None:
                    _remove_runs(problem, folder)
                    folder.make_folder()
                    journal = Journal.begun(folder, settings)
                journal.published.make_folder()
                stages = self._stages(problem, session, journal, run)
                plan = replace(self.messages.plan, descent_steps=self.descent_steps)
                num_steps = plan.message_iterations + plan.descent_steps
                self.progress_fields.num_steps = num_steps - stages.num_steps
                result = solved(stages, plan, run)
                if result.status is Status.FINISHED or result.status is Status.OPTIMAL:
                    _remove_runs(problem, folder)
                else:
                    stages.save_at_end()
                return result

    def _settings(self, budget: float) -> dict[str, Any]:
        """What a resumed run must have in common with the one before.

        The names are those that users know: most set an effort, and no iterations.
        """
        settings = asdict(self.messages)
        num_iterations = settings.pop("max_iterations")
        effort = f"{num_iterations} iterations and {self.descent_steps} descent steps"
        return {
            "device": self.device.value,
            "budget": budget,
            "effort": effort,
            **settings,
        }

    @abstractmethod
    def _require_solvable(self, problem: ShardedProblem) -> None:
        """Refuse what cannot be solved."""

    @abstractmethod
    def _session(self, problem: ShardedProblem) -> AbstractContextManager[Any]:
        """What performs the steps of the run."""

    @abstractmethod
    def _stages(
        self, problem: ShardedProblem, session: Any, journal: Journal, run: Run
    ) -> ShardedStages:
        """The stages, which start or go on from the state in the journal."""


def _remove_runs(problem: ShardedProblem, folder: Location) -> None:
    for number in range(len(problem.shards)):
        shard = problem.shard_folder(number)
        for name in shard.names():
            # The temporary files of killed workers start with a dot.
            if name.removeprefix(".").startswith(f"{_RUN}-"):
                remove_if_there(shard.child(name))
    if folder.exists:
        folder.remove()
