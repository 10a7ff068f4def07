"""Cover problems as they are searched, for the tests."""

from thatch.solvers.covering.cover_task import CostUnits, CoverTask, Target


def task_of(problem, **target):
    """The task of a problem, whose budget is ignored."""
    every = problem.with_budget(float(problem.costs.sum()))
    return CoverTask.of(every, CostUnits.of(every), Target.of(every, **target))
