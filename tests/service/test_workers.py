"""Work is done in processes that can be ended, and the others go on."""

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest
from problems import long_problem

from thatch.service.limits import Limits
from thatch.service.replies import Outcome
from thatch.service.requests import ScoreRequest, SolveRequest, SummarizeRequest
from thatch.service.workers import Workers

SHORT = ScoreRequest(summary="Snow.", references=["Snow."])
# Takes the exact solver far longer than any test.
LONG = SolveRequest(problem=long_problem(), solver="exact")
# Takes seconds, before any solver is asked to stop.
LARGE = SummarizeRequest(documents="The old snow fell on the town again. " * 200_000)


def children():
    """Processes that this one has started, and that are still there."""
    tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {int(number) for task in tasks for number in task.read_text().split()}


def with_workers(scenario, **limits):
    """What a scenario returns, which is given workers and a way to list theirs."""
    others = children()

    async def main():
        async with Workers(Limits(**{"num_workers": 1} | limits)) as workers:
            return await scenario(workers, lambda: children() - others)

    return asyncio.run(main())


async def until(condition):
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0)


def test_work_that_nobody_wants_any_more_is_ended():
    async def scenario(workers, processes):
        before = processes()
        work = asyncio.create_task(workers.run("solve", LONG))
        await until(lambda: workers.running)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        reply = await workers.run("score", SHORT)
        return reply.outcome, before & processes()

    outcome, left = with_workers(scenario, max_seconds=60)
    assert outcome is Outcome.DONE
    assert not left


def test_short_work_that_nobody_wants_does_not_cost_a_process():
    async def scenario(workers, processes):
        before = processes()
        work = asyncio.create_task(workers.run("score", SHORT))
        await until(lambda: workers.running)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        return before, processes()

    before, after = with_workers(scenario)
    assert before == after


def test_work_that_takes_too_long_is_ended():
    async def scenario(workers, processes):
        slow = await workers.run("summarize", LARGE)
        # Its process is gone, and the next needs time to start.
        await until(lambda: not workers.idle)
        await until(lambda: workers.idle)
        return slow, await workers.run("score", SHORT)

    slow, next_reply = with_workers(scenario, max_seconds=0.5)
    assert slow.outcome is Outcome.TOO_SLOW
    assert "longer than 0.5 seconds" in json.loads(slow.body)["error"]
    assert next_reply.outcome is Outcome.DONE


def test_those_who_wait_in_a_line_that_is_full_are_turned_away():
    async def scenario(workers, processes):
        asked = [workers.run("score", SHORT) for _ in range(10)]
        return [reply.outcome for reply in await asyncio.gather(*asked)]

    outcomes = with_workers(scenario, max_waiting=3)
    assert outcomes.count(Outcome.BUSY) >= 1
    assert outcomes.count(Outcome.DONE) >= 3
    assert len(set(outcomes)) == 2


def test_a_process_that_dies_takes_only_its_own_work_with_it():
    async def scenario(workers, processes):
        (process,) = processes()
        work = asyncio.create_task(workers.run("solve", LONG))
        await until(lambda: workers.running)
        os.kill(process, signal.SIGKILL)
        return (await work).outcome, (await workers.run("score", SHORT)).outcome

    assert with_workers(scenario) == (Outcome.TOO_LARGE, Outcome.DONE)


def test_work_that_takes_too_much_memory_is_refused():
    request = SolveRequest(problem={"sets": [[99_999_999]]}, budget=1)

    async def scenario(workers, processes):
        return (await workers.run("solve", request)).outcome

    limits = {"max_memory": 2**31}
    assert with_workers(scenario, **limits) is Outcome.TOO_LARGE


def test_bad_input_is_explained():
    async def scenario(workers, processes):
        return await workers.run("score", SHORT.model_copy(update={"metrics": "Q"}))

    reply = with_workers(scenario)
    assert reply.outcome is Outcome.BAD_INPUT
    assert "metrics must be" in json.loads(reply.body)["error"]


def test_half_of_a_surrogate_pair_is_bad_input():
    request = SummarizeRequest(documents="Snow \ud800 fell. It fell on.")

    async def scenario(workers, processes):
        return (await workers.run("summarize", request)).outcome

    assert with_workers(scenario) is Outcome.BAD_INPUT


def test_no_process_is_left_behind():
    async def scenario(workers, processes):
        work = asyncio.create_task(workers.run("solve", LONG))
        await until(lambda: workers.running)
        work.cancel()

    before = children()
    with_workers(scenario, num_workers=2)
    assert children() == before
