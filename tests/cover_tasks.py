"""Cover problems as they are searched, for the tests."""

from thatch.solvers.covering.cover_task import CostUnits, CoverTask, Target


def task_of(problem, *, is_presolved=True, **target):
    """The task of a problem, whose budget is ignored."""
    every = problem.with_budget(float(problem.costs.sum()))
    units, asked = CostUnits.of(every), Target.of(every, **target)
    return CoverTask.of(every, units, asked, is_presolved=is_presolved)
