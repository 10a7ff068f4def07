"""Workers of the service: requests that are cancelled, slow, large or killed."""

import asyncio
import json
import os
import signal

import pytest
from problems import long_problem
from processes import children_of
from systems import limited_memory, posix

from thatch.serve import workers as workers_module
from thatch.serve.limits import Limits
from thatch.serve.replies import Outcome
from thatch.serve.workers import Workers

pytestmark = pytest.mark.slow

SHORT = "score", json.dumps({"summary": "Snow.", "references": ["Snow."]}).encode()
# Takes the exact solver far longer than any test.
LONG = "solve", json.dumps({"problem": long_problem(), "solver": "exact"}).encode()


def children():
    """Child processes of this process that have not ended."""
    return children_of(os.getpid())


def with_workers(scenario, **limits):
    """Run a scenario with workers and a function that lists their processes."""
    others = children()

    async def main():
        async with Workers(Limits(**{"num_workers": 1} | limits)) as workers:
            return await scenario(workers, lambda: children() - others)

    return asyncio.run(main())


async def until(condition):
    """Let the event loop run until a condition is true."""
    async with asyncio.timeout(300):
        while not condition():
            await asyncio.sleep(0)


def test_a_cancelled_request_is_killed():
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


def test_a_cancelled_request_that_is_nearly_done_keeps_its_process(monkeypatch):
    # However busy the machine is, the request is done before the time is over.
    monkeypatch.setattr(workers_module, "_SECONDS_TO_FINISH", 600)

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


@posix
def test_a_request_that_exceeds_the_time_limit_is_killed():
    async def scenario(workers, processes):
        (process,) = processes()
        os.kill(process, signal.SIGSTOP)  # it never replies
        slow = await workers.run(*SHORT)
        await until(lambda: not workers.idle)
        await until(lambda: workers.idle)
        return slow, process in processes()

    slow, is_there = with_workers(scenario, max_seconds=0.5)
    assert slow.outcome is Outcome.TOO_SLOW
    assert "0.5 seconds" in json.loads(slow.body)["error"]
    assert not is_there


def test_requests_are_refused_while_the_queue_is_full():
    async def scenario(workers, processes):
        requests = [workers.run(*SHORT) for _ in range(10)]
        return [reply.outcome for reply in await asyncio.gather(*requests)]

    outcomes = with_workers(scenario, max_waiting=3)
    assert outcomes.count(Outcome.BUSY) >= 1
    assert outcomes.count(Outcome.DONE) >= 3
    assert len(set(outcomes)) == 2


def test_a_killed_process_loses_only_its_request():
    async def scenario(workers, processes):
        (process,) = processes()
        work = asyncio.create_task(workers.run(*LONG))
        await until(lambda: workers.running)
        os.kill(process, signal.SIGKILL)
        return (await work).outcome, (await workers.run(*SHORT)).outcome

    assert with_workers(scenario) == (Outcome.BUSY, Outcome.DONE)


def test_a_process_that_was_killed_while_idle_is_replaced():
    async def scenario(workers, processes):
        (process,) = processes()
        os.kill(process, signal.SIGKILL)
        await until(lambda: not workers.present)
        return (await workers.run(*SHORT)).outcome

    assert with_workers(scenario) is Outcome.DONE


def test_a_process_that_is_killed_while_it_starts_is_replaced():
    async def scenario(workers, processes):
        (first,) = processes()
        os.kill(first, signal.SIGKILL)
        await until(lambda: not workers.present)
        requests = asyncio.create_task(workers.run(*SHORT))
        await until(lambda: processes() - {first})
        for process in processes():
            os.kill(process, signal.SIGKILL)
        return (await requests).outcome

    assert with_workers(scenario) is Outcome.DONE


def test_waiting_requests_get_a_reply_when_the_workers_close():
    async def scenario(workers, processes):
        requests = [asyncio.create_task(workers.run(*LONG)) for _ in range(3)]
        await until(lambda: workers.waiting == 2)
        await workers.close()
        return [await each for each in requests]

    replies = with_workers(scenario)
    assert [reply.outcome for reply in replies] == [Outcome.BUSY] * 3
    assert all("stopping" in json.loads(reply.body)["error"] for reply in replies)


@limited_memory
def test_a_request_that_exceeds_the_memory_limit_is_refused():
    body = b'{"problem": {"sets": [[29999999]]}, "budget": 1}'

    async def scenario(workers, processes):
        return (await workers.run("solve", body)).outcome

    limits = {"max_memory": 2**30, "max_elements": 30_000_000}
    assert with_workers(scenario, **limits) is Outcome.TOO_LARGE


def test_invalid_input_is_named():
    async def scenario(workers, processes):
        body = b'{"summary": "", "references": [""], "metrics": "Q"}'
        return await workers.run("score", body)

    reply = with_workers(scenario)
    assert reply.outcome is Outcome.BAD_INPUT
    assert "metrics" in json.loads(reply.body)["error"]


def test_an_unpaired_surrogate_is_invalid_input():
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
