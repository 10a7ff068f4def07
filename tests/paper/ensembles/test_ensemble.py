"""Ensembles: laws of degrees, and graphs drawn from them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from scipy.stats import poisson

from thatch.errors import InputError, InputTypeError
from thatch.paper.ensembles import Ensemble, Poisson
from thatch.problem.instances.randomness import Randomness


def test_default_is_the_paper():
    sample = Ensemble().sample(100)
    assert (sample.item_degrees == 9).all()
    assert (sample.element_degrees == 3).all()
    assert (sample.num_items, sample.num_elements) == (100, 300)


@pytest.mark.parametrize("mean", [0.5, 3.0, 40.0, 500.0])
def test_poisson_agrees_with_scipy(mean):
    law = Poisson(mean).probabilities
    assert law == pytest.approx(poisson.pmf(np.arange(law.size), mean), abs=1e-9)


def test_degrees_are_in_the_proportions_of_the_law():
    ensemble = Ensemble(item_degrees={2: 0.25, 6: 0.75}, element_degrees=5)
    sample = ensemble.sample(1000)
    assert np.bincount(sample.item_degrees)[[2, 6]].tolist() == [250, 750]
    assert sample.num_elements == 1000


@given(st.floats(0.5, 6.0), st.floats(0.5, 6.0), st.integers(1, 300), st.integers(0, 9))
def test_joined_graphs_have_the_degrees(items, elements, num_items, seed):
    sample = Ensemble(Poisson(items), Poisson(elements)).sample(num_items)
    edges = sample.joined(Randomness(seed))
    assert (edges.item_degrees == sample.item_degrees).all()
    assert (edges.element_degrees == sample.element_degrees).all()
    item_of = np.repeat(np.arange(sample.num_items), sample.item_degrees)
    assert (edges.element_items[edges.item_edges] == item_of).all()
    assert sorted(edges.item_edges.tolist()) == list(range(edges.num_edges))
    for a in range(min(5, sample.num_elements)):
        for i in edges.items_of(a).tolist():
            assert a in edges.elements_of(i)


@pytest.mark.parametrize(
    ("law", "kind", "facts"),
    [
        ({1: 0.5, 2: 0.4}, InputError, ("item_degrees", "0.9", "1")),
        ({-1: 1.0}, InputError, ("item_degrees", "-1")),
        ({1: -0.5, 2: 1.5}, InputError, ("item_degrees", "-0.5")),
        ({}, InputError, ("item_degrees", "0")),
        (0, InputError, ("item_degrees", "0")),
        (2.5, InputError, ("item_degrees", "2.5")),
        ("3", InputTypeError, ("item_degrees", "3")),
    ],
)
def test_refused_laws(law, kind, facts):
    with refused(kind, *facts):
        Ensemble(item_degrees=law)


def test_refused_sizes_and_means():
    with refused(InputError, "num_items", "0"):
        Ensemble().sample(0)
    with refused(InputError, "mean", "-1"):
        Poisson(-1.0)
