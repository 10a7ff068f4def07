"""Parsers take turns, whatever one of them does."""

import asyncio

from thatch.serve.http.round_robin import RoundRobin


class Parser:
    """A parser that needs some turns, or fails in its first."""

    def __init__(self, robin, turns, *, fails=False):
        self.robin = robin
        self.left = turns
        self.fails = fails
        self.done = asyncio.Event()

    def parse(self):
        if self.fails:
            raise ValueError("broken")
        self.left -= 1
        if self.left:
            self.robin.add(self)
        else:
            self.done.set()


def test_all_parsers_have_their_turns():
    async def main():
        robin = RoundRobin()
        parsers = [Parser(robin, turns) for turns in (3, 1, 2)]
        for parser in parsers:
            robin.add(parser)
        async with asyncio.timeout(300):
            for parser in parsers:
                await parser.done.wait()

    asyncio.run(main())


def test_a_parser_that_fails_does_not_stop_the_others():
    async def main():
        errors = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: errors.append(context))
        robin = RoundRobin()
        robin.add(Parser(robin, 1, fails=True))
        waiting = Parser(robin, 2)
        robin.add(waiting)
        async with asyncio.timeout(300):
            await waiting.done.wait()
        later = Parser(robin, 1)
        robin.add(later)
        async with asyncio.timeout(300):
            await later.done.wait()
        assert [str(each["exception"]) for each in errors] == ["broken"]

    asyncio.run(main())
