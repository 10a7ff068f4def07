"""Near-copies that differ in what matters."""

import pytest
from cases import for_each

import thatch

OFFICE = (
    "The {city} office is open from Monday to Friday between nine and five. Visitors "
    "must register at the front desk and wear a badge at all times. Parking is free "
    "for two hours. In {city}, leave the building by the nearest stairs."
)
CITIES = ["Lisbon", "Oslo", "Vienna", "Dublin", "Prague"]
OFFICES = [OFFICE.format(city=city) for city in CITIES]


@pytest.mark.parametrize("city", CITIES)
def test_the_copy_that_the_query_asks_for_is_in(city):
    context = thatch.select(OFFICES, 2000, query=f"When is the office in {city} open?")
    assert CITIES.index(city) in context.indices
    assert thatch.select(OFFICES, 2000, query=city).indices == [CITIES.index(city)]


@for_each("best", range(5))
def test_the_copy_that_is_ranked_first_is_in(best):
    scores = [0.1] * 5
    scores[best] = 0.9
    context = thatch.select(OFFICES, 2000, scores=scores)
    assert best in context.indices


@pytest.mark.parametrize(("score", "kept"), [(0.8, 0), (0.95, 1)])
def test_a_shorter_copy_needs_a_clearly_higher_score(score, kept):
    lighthouse = "The lighthouse keeper counted the ships at dusk."
    original, copy = OFFICES[0], OFFICES[0].rsplit(" In ", 1)[0]
    chunks = [original, copy, lighthouse]
    context = thatch.select(chunks, 2000, scores=[0.63, score, 1.0])
    assert context.indices == [kept, 2]


def test_what_says_more_than_the_first_is_in_beside_it():
    original, copy = OFFICES[0], OFFICES[0].rsplit(" In ", 1)[0]
    context = thatch.select([original, copy], 2000, scores=[0.9, 1.0])
    assert context.indices == [0, 1]


def test_copies_with_other_numbers_are_no_copies():
    notes = [
        f"The turbine in hall {k} was stopped after an alarm at {700 + k} degrees."
        for k in range(3)
    ]
    context = thatch.select(notes, 2000, query="Which turbine was stopped?")
    assert context.indices == [0, 1, 2]
