"""The paper's symbols as other names of the inverse temperature and the price."""

from dataclasses import replace

import pytest
from problems import random_tree
from refusals import refused

from thatch import BeliefPropagation, PricedProblem, propagate, solve
from thatch.errors import InputError, InputTypeError
from thatch.solvers.belief_propagation import MessagePassing

PROBLEM = random_tree(0)
MAKERS = {
    "problem": lambda **symbols: PricedProblem(PROBLEM, **symbols),
    "solver": BeliefPropagation,
    "algorithm 2": BeliefPropagation.algorithm_2,
}


@pytest.fixture(params=MAKERS.values(), ids=MAKERS)
def make(request):
    return request.param


def test_both_names_mean_the_same(make):
    by_symbols = make(beta=3.0, mu=5.0)
    assert by_symbols == make(inverse_temperature=3.0, price=5.0)
    assert (by_symbols.inverse_temperature, by_symbols.price) == (3.0, 5.0)
    assert (by_symbols.beta, by_symbols.mu) == (3.0, 5.0)
    assert (make().beta, make().mu) == (None, None)


def test_giving_both_names_is_refused(make):
    with refused(InputTypeError, "inverse_temperature", "beta", 3.0, 4.0):
        make(inverse_temperature=3.0, beta=4.0)
    with refused(InputTypeError, "price", "mu", 5.0):
        make(price=5.0, mu=5.0)


def test_values_by_symbol_are_checked(make):
    with refused(InputError, "inverse_temperature", -1.0):
        make(beta=-1.0)
    with refused(InputTypeError, "price", "'high'"):
        make(mu="high")


def test_replacing_one_setting_keeps_the_others(make):
    changed = replace(make(beta=3.0, mu=5.0), price=7.0)
    assert (changed.beta, changed.mu) == (3.0, 7.0)


def test_symbols_are_read_only(make):
    with pytest.raises(AttributeError):
        make().beta = 3.0


def test_beliefs_and_messages_have_symbols():
    priced = PricedProblem(PROBLEM, beta=3.0, mu=0.5)
    (beliefs,) = propagate([priced])
    for each in (beliefs, MessagePassing(priced)):
        assert (each.beta, each.mu) == (3.0, 0.5)


def test_symbols_appear_neither_in_the_text_of_a_record_nor_among_its_fields():
    assert "beta" not in repr(PricedProblem(PROBLEM, beta=3.0))
    result = solve(PROBLEM, BeliefPropagation(beta=3.0, mu=0.5))
    assert result.beliefs.beta == 3.0
