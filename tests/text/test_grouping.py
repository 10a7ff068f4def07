from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import random_problem
from reference import feasible_selections, value
from refusals import refused

import thatch
from thatch import Document, InputError, Status, Summarizer
from thatch.errors import InputTypeError
from thatch.text.choices import Grouping
from thatch.text.concepts.schemes import CustomConcepts
from thatch.text.grouping import group_names, limited_result
from thatch.text.passages.passage_filter import PassageFilter
from thatch.text.passages.passages import Passages

WORDS = ["ash", "elm", "fir", "oak", "yew", "sloe"]
SCHEME = CustomConcepts(lambda text: text.lower().strip(".").split(), len)
NORTH = "# Weather\n\n## North\n\nSnow fell.\n\n## South\n\nIt rained. Roofs leaked."

sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(
    lambda words: " ".join(words).capitalize() + "."
)
documents = st.lists(
    st.lists(sentences, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=3
)


def is_allowed(chosen, groups, per_group):
    return max(Counter(groups[i] for i in chosen).values(), default=0) <= per_group


@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 3))
def test_the_limit_is_kept_and_the_bound_is_valid(seed, num_groups, per_group):
    problem = random_problem(seed, max_items=8, max_elements=8)
    groups = [f"group {i % num_groups}" for i in range(problem.num_items)]
    result = limited_result(problem, groups, per_group, thatch.solve)
    items = result.selection.items.tolist()
    best = max(
        value(problem, chosen)
        for chosen in feasible_selections(problem)
        if is_allowed(chosen, groups, per_group)
    )
    assert is_allowed(items, groups, per_group)
    assert result.selection.cost <= problem.budget
    assert result.selection.value == pytest.approx(value(problem, items))
    assert result.upper_bound >= best * (1 - 1e-9)
    if result.status is Status.OPTIMAL:
        assert result.selection.value == pytest.approx(best)


def test_a_limit_that_no_group_reaches_changes_nothing():
    problem = random_problem(3)
    free = thatch.solve(problem)
    groups = ["all"] * problem.num_items
    result = limited_result(problem, groups, problem.num_items, thatch.solve)
    assert result.selection.items.tolist() == free.selection.items.tolist()
    assert (result.status, result.upper_bound) == (free.status, free.upper_bound)


@given(documents, st.integers(0, 20), st.integers(1, 2))
def test_no_document_has_more_sentences_than_its_share(texts, budget, per_group):
    summarizer = Summarizer(
        concepts=SCHEME, group=Grouping.DOCUMENT, per_group=per_group, readability=0
    )
    summary = summarizer.summarize(texts, budget)
    counts = Counter(sentence.document for sentence in summary.sentences)
    assert max(counts.values(), default=0) <= per_group
    assert sum(sentence.cost for sentence in summary.sentences) <= budget
    assert summary.cost <= budget
    names = {sentence.group for sentence in summary.sentences}
    assert names == {f"document {d + 1}" for d in counts}


def test_groups_are_named_by_document():
    found = [Document("Snow fell. It lay.", "a.txt"), Document("It rained.")]
    names = group_names(Passages.of(found), Grouping.DOCUMENT)
    assert names == ["a.txt", "a.txt", "document 2"]


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        ([NORTH], ["Weather \u203a North", *["Weather \u203a South"] * 2]),
        (["Snow fell."], ["a0.md"]),
        (["Snow fell.\n\n# South\n\nIt rained."], ["a0.md", "South"]),
        (
            ["# A\n\n# B\n\n## C\n\n### D\n\nSnow fell."],
            ["C \u203a D"],
        ),
        (["# A\n\nSnow.", "# A\n\nRain."], ["a0.md \u203a A", "a1.md \u203a A"]),
    ],
)
def test_groups_are_named_by_heading(texts, names):
    found = [Document.from_markdown(text, f"a{d}.md") for d, text in enumerate(texts)]
    assert group_names(Passages.of(found), Grouping.HEADING) == names


def test_groups_are_printed_under_their_names_and_not_counted():
    document = Document.from_markdown(NORTH)
    summary = Summarizer(group=Grouping.HEADING).summarize(document, 6)
    assert summary.text == (
        "## Weather \u203a North\n\nSnow fell.\n\n"
        "## Weather \u203a South\n\nIt rained. Roofs leaked."
    )
    assert summary.cost == 6


def test_names_of_groups_are_in_the_order_of_the_text():
    document = Document.from_markdown("# B\n\nSnow fell.\n\n# A\n\nIt rained.")
    text = Summarizer(group="heading").summarize(document, 10).text
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "## B",
        "## A",
    ]


def test_what_is_required_stays_within_the_limit():
    settings = {"group": "document", "per_group": 1, "concepts": SCHEME}
    rule = PassageFilter(require=("yew",))
    summary = Summarizer(passage_filter=rule, **settings).summarize(
        ["Ash elm fir oak. Yew."], 20
    )
    assert summary.text == "## document 1\n\nYew."
    both = Summarizer(passage_filter=PassageFilter(require=("yew", "elm")), **settings)
    with refused(InputError, "1 per group", "1 of 2"):
        both.summarize(["Ash elm fir oak. Yew."], 20)


def test_a_limit_needs_groups_and_a_positive_number():
    with refused(InputError, "per_group", 1):
        Summarizer(per_group=1)
    with refused(InputError, "per_group", 0):
        Summarizer(group="heading", per_group=0)
    with refused(InputTypeError, "per_group", True):
        Summarizer(group="heading", per_group=True)
    with refused(InputError, "group", "'page'"):
        Summarizer(group="page")
