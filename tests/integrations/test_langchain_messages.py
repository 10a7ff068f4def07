import asyncio
from itertools import pairwise

import pytest
from ferry_notes import NOTES
from hypothesis import given
from hypothesis import strategies as st
from langchain.agents import create_agent
from langchain.agents.middleware import ContextEditingMiddleware
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import (
    AIMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.messages.utils import count_tokens_approximately as count
from langchain_core.tools import tool

from thatch import InputError
from thatch.integrations.langchain import SelectMessagesEdit


def call(number, topic):
    """A message that calls a tool twice, and both results."""
    ids = [f"call-{number}-{k}" for k in range(2)]
    calls = [{"name": "find", "args": {"topic": topic}, "id": each} for each in ids]
    results = [
        ToolMessage(f"Found {topic}, {each}.", tool_call_id=each) for each in ids
    ]
    return [AIMessage("", tool_calls=calls), *results]


def turn(number, topic, *, num_calls=1):
    calls = [call(f"{number}-{k}", topic) for k in range(num_calls)]
    return [
        HumanMessage(f"What about the {topic}?"),
        *[message for each in calls for message in each],
        AIMessage(f"This is what we know of the {topic}: " + "it is late. " * 5),
    ]


def history(*topics):
    turns = [turn(k, topic) for k, topic in enumerate(topics)]
    return [SystemMessage("Be brief."), *[each for turn in turns for each in turn]]


def require_complete(messages):
    """Calls have all their results, results their call, and answers a question."""
    called = {
        each["id"]
        for m in messages
        if isinstance(m, AIMessage)
        for each in m.tool_calls
    }
    results = {m.tool_call_id for m in messages if isinstance(m, ToolMessage)}
    assert called == results
    first = next(m for m in messages if not isinstance(m, SystemMessage))
    assert isinstance(first, HumanMessage)
    for one, other in pairwise(messages):
        assert not (isinstance(one, HumanMessage) and isinstance(other, HumanMessage))


def test_a_history_within_the_budget_is_unchanged():
    messages = history("disk", "ferry")
    before = list(messages)
    SelectMessagesEdit(budget=count(messages)).apply(messages, count_tokens=count)
    assert messages == before


def test_the_relevant_turn_is_kept():
    messages = [
        *history("disk", "ferry", "harbor", "clock", "timetable"),
        HumanMessage("And what did you find about the harbor?"),
    ]
    removed = []
    edit = SelectMessagesEdit(budget=140, keep=1, observer=removed.extend)
    whole = list(messages)
    edit.apply(messages, count_tokens=count)
    assert count(messages) <= 140
    assert messages[0].text == "Be brief."
    assert messages[-1].text.startswith("And what")
    assert any("harbor?" in each.text for each in messages[1:-1])
    require_complete(messages)
    assert [m for m in whole if m in messages] == messages
    assert [m for m in whole if m in removed] == removed
    assert len(messages) + len(removed) == len(whole)


@given(
    st.lists(st.sampled_from(["disk", "ferry", "harbor", "clock"]), max_size=6),
    st.integers(0, 400),
    st.integers(1, 9),
    st.integers(0, 3),
)
def test_calls_and_results_stay_together(topics, budget, keep, num_calls):
    current = turn("now", "harbor", num_calls=num_calls)[:-1]
    messages = [*history(*topics), *current]
    latest = messages[-keep:]
    whole = list(messages)
    edit = SelectMessagesEdit(budget=budget, keep=keep)
    edit.apply(messages, count_tokens=count)
    require_complete(messages)
    assert all(message in messages for message in [whole[0], current[0], *latest])
    # What must be kept may exceed the budget; nothing else may.
    again = list(messages)
    SelectMessagesEdit(budget=0, keep=keep).apply(again, count_tokens=count)
    assert count(messages) <= budget or messages == again


def test_steps_of_the_current_turn_are_selected_one_by_one():
    current = [HumanMessage("Compare the harbor with the disk.")]
    for k, topic in enumerate(["weather", "harbor", "menu", "disk", "color", "music"]):
        current += call(k, topic)
    SelectMessagesEdit(budget=240, keep=1).apply(current, count_tokens=count)
    assert count(current) <= 240
    require_complete(current)
    topics = [each.tool_calls[0]["args"]["topic"] for each in current[1:][::3]]
    assert topics == ["harbor", "disk", "music"]


def test_what_the_counter_adds_for_tools_and_system_counts_once():
    messages = history("disk", "ferry", "harbor", "clock")
    SelectMessagesEdit(budget=1120, keep=1).apply(
        messages, count_tokens=lambda given: 1000 + count(given)
    )
    assert 80 < count(messages) <= 120


def test_messages_without_text_or_question_are_no_error():
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    messages = [AIMessage("Hello. " * 20), HumanMessage([image]), AIMessage("Nice.")]
    SelectMessagesEdit(budget=20, keep=1).apply(messages, count_tokens=count)
    assert messages[-1].text == "Nice."
    messages = [AIMessage("Hello. " * 20), AIMessage("Hello again."), AIMessage("Bye.")]
    SelectMessagesEdit(budget=20, keep=1).apply(messages, count_tokens=count)
    assert [each.text for each in messages] == ["Hello again.", "Bye."]


def test_a_budget_that_is_too_small_for_the_latest_messages_is_a_warning(caplog):
    messages = history("disk", "ferry")
    SelectMessagesEdit(budget=10, keep=2).apply(messages, count_tokens=count)
    assert "the budget is 10" in caplog.text
    require_complete(messages)


@pytest.mark.parametrize("options", [{"keep": 0}, {"budget": -1}], ids=str)
def test_invalid_options_are_refused(options):
    with pytest.raises(InputError):
        SelectMessagesEdit(**options)


def test_the_hint_for_keep_says_what_to_pass():
    with pytest.raises(InputError) as caught:
        SelectMessagesEdit(keep=0)
    assert "1" in caught.value.hint


class RecordingModel(GenericFakeChatModel):
    """A chat model that remembers what it was sent."""

    requests: list = []  # noqa: RUF012

    def bind_tools(self, tools, **options):
        return self

    def _generate(self, messages, *arguments, **options):
        self.requests.append(list(messages))
        return super()._generate(messages, *arguments, **options)


@tool
def look_up(name: str) -> str:
    """Read a note."""
    return "\n".join(text for source, _, text in NOTES if source == name) * 3


def agent_that_reads(*names):
    calls = [
        AIMessage(
            "", tool_calls=[{"name": "look_up", "args": {"name": name}, "id": name}]
        )
        for name in names
    ]
    model = RecordingModel(
        messages=iter([*calls, AIMessage("The disk was full.")]), requests=[]
    )
    edit = SelectMessagesEdit(budget=240, keep=2)
    middleware = ContextEditingMiddleware(edits=[edit])
    return model, create_agent(model, [look_up], middleware=[middleware])


@pytest.mark.parametrize("is_async", [False, True])
def test_an_agent_reads_within_the_budget_and_stores_all(is_async):
    names = ["api.md", "disk.md", "deploy.md", "clocks.md", "readme.md"]
    model, agent = agent_that_reads(*names)
    question = {"messages": [HumanMessage("Why did the nightly import fail?")]}
    answer = (
        asyncio.run(agent.ainvoke(question)) if is_async else agent.invoke(question)
    )
    assert len(answer["messages"]) == 2 + 2 * len(names)
    assert answer["messages"][-1].text == "The disk was full."
    assert len(model.requests) == 6
    for request in model.requests:
        assert count(request) <= 240
        require_complete(request)
    assert any("disk was full" in each.text for each in model.requests[-1])
    assert len(model.requests[-1]) < len(answer["messages"])


@pytest.mark.parametrize("query", ["", "?", "\N{THUMBS UP SIGN}", "???"])
def test_a_latest_message_without_a_word_is_no_error(query):
    messages = [*history("disk", "ferry", "harbor", "clock"), HumanMessage(query)]
    SelectMessagesEdit(budget=120, keep=1).apply(messages, count_tokens=count)
    assert count(messages) <= 120
    assert len(messages) > 2
    assert messages[-1].text == query
