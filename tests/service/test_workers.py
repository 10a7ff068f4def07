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
from thatch.service.workers import Workers

SHORT = "score", json.dumps({"summary": "Snow.", "references": ["Snow."]}).encode()
# Takes the exact solver far longer than any test.
LONG = "solve", json.dumps({"problem": long_problem(), "solver": "exact"}).encode()
# Takes seconds, before any solver is asked to stop.
LARGE = "read", b"<p>The old snow fell on the town again. " * 300_000, "large.html"


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
        work = asyncio.create_task(workers.run(*LONG))
        await until(lambda: workers.running)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        reply = await workers.run(*SHORT)
        return reply.outcome, before & processes()

    outcome, left = with_workers(scenario, max_seconds=60)
    assert outcome is Outcome.DONE
    assert not left


def test_short_work_that_nobody_wants_does_not_cost_a_process():
    async def scenario(workers, processes):
        before = processes()
        work = asyncio.create_task(workers.run(*SHORT))
        await until(lambda: workers.running)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        return before, processes()

    before, after = with_workers(scenario)
    assert before == after


def test_work_that_takes_too_long_is_ended():
    async def scenario(workers, processes):
        slow = await workers.run(*LARGE)
        # Its process is gone, and the next needs time to start.
        await until(lambda: not workers.idle)
        await until(lambda: workers.idle)
        return slow, await workers.run(*SHORT)

    slow, next_reply = with_workers(scenario, max_seconds=0.5)
    assert slow.outcome is Outcome.TOO_SLOW
    assert "longer than 0.5 seconds" in json.loads(slow.body)["error"]
    assert next_reply.outcome is Outcome.DONE


def test_those_who_wait_in_a_line_that_is_full_are_turned_away():
    async def scenario(workers, processes):
        asked = [workers.run(*SHORT) for _ in range(10)]
        return [reply.outcome for reply in await asyncio.gather(*asked)]

    outcomes = with_workers(scenario, max_waiting=3)
    assert outcomes.count(Outcome.BUSY) >= 1
    assert outcomes.count(Outcome.DONE) >= 3
    assert len(set(outcomes)) == 2


def test_a_process_that_dies_takes_only_its_own_work_with_it():
    async def scenario(workers, processes):
        (process,) = processes()
        work = asyncio.create_task(workers.run(*LONG))
        await until(lambda: workers.running)
        os.kill(process, signal.SIGKILL)
        return (await work).outcome, (await workers.run(*SHORT)).outcome

    assert with_workers(scenario) == (Outcome.BUSY, Outcome.DONE)


def test_a_process_that_died_idle_is_replaced_before_anybody_notices():
    async def scenario(workers, processes):
        (process,) = processes()
        os.kill(process, signal.SIGKILL)
        await until(lambda: not workers.present)
        return (await workers.run(*SHORT)).outcome

    assert with_workers(scenario) is Outcome.DONE


def test_a_process_that_dies_while_it_starts_is_started_again():
    async def scenario(workers, processes):
        (first,) = processes()
        os.kill(first, signal.SIGKILL)
        await until(lambda: not workers.present)
        asked = asyncio.create_task(workers.run(*SHORT))
        await until(lambda: processes() - {first})
        for process in processes():
            os.kill(process, signal.SIGKILL)
        return (await asked).outcome

    assert with_workers(scenario) is Outcome.DONE


def test_those_who_wait_are_told_when_all_is_over():
    async def scenario(workers, processes):
        asked = [asyncio.create_task(workers.run(*LONG)) for _ in range(3)]
        await until(lambda: workers.waiting == 2)
        await workers.close()
        return [json.loads((await each).body)["error"] for each in asked]

    assert with_workers(scenario) == ["The server is stopping."] * 3


def test_work_that_takes_too_much_memory_is_refused():
    body = b'{"problem": {"sets": [[99999999]]}, "budget": 1}'

    async def scenario(workers, processes):
        return (await workers.run("solve", body)).outcome

    limits = {"max_memory": 2**31}
    assert with_workers(scenario, **limits) is Outcome.TOO_LARGE


def test_bad_input_is_explained():
    async def scenario(workers, processes):
        body = b'{"summary": "", "references": [""], "metrics": "Q"}'
        return await workers.run("score", body)

    reply = with_workers(scenario)
    assert reply.outcome is Outcome.BAD_INPUT
    assert "metrics" in json.loads(reply.body)["error"]


def test_half_of_a_surrogate_pair_is_bad_input():
    body = b'{"documents": "Snow \\ud800 fell. It fell on."}'

    async def scenario(workers, processes):
        return (await workers.run("summarize", body)).outcome

    assert with_workers(scenario) is Outcome.BAD_INPUT


def test_no_process_is_left_behind():
    async def scenario(workers, processes):
        work = asyncio.create_task(workers.run(*LONG))
        await until(lambda: workers.running)
        work.cancel()

    before = children()
    with_workers(scenario, num_workers=2)
    assert children() == before
