import numpy as np
import pytest
from cases import for_each

from thatch import PricedProblem, propagate
from thatch.arrays import sums_by
from thatch.paper.linear_stability import Spectrum, UpdateMap
from thatch.problem.instances.random_graphs import BiregularGraph

pytestmark = pytest.mark.slow

GRAPH = BiregularGraph(num_items=20, num_elements=60, item_degree=9, element_degree=3)


def small_map(seed, price=0.1):
    return UpdateMap(GRAPH.problem(budget=20, seed=seed), 3.0, price)


@for_each("seed", range(3))
def test_the_derivative_is_that_of_differences(seed):
    update = small_map(seed)
    rng = np.random.default_rng(seed)
    h_hat = rng.uniform(0.0, 0.3, update.num_edges)
    direction = rng.standard_normal(update.num_edges)
    step = 1e-6 * direction
    change = (update(h_hat + step) - update(h_hat - step)) / 2e-6
    np.testing.assert_allclose(
        update.jacobian(h_hat) @ direction, change, rtol=1e-6, atol=1e-8
    )


def test_fixed_points_are_those_of_belief_propagation():
    """Where the messages converge, Newton's method finds the same fields."""
    for seed in range(5):
        problem = GRAPH.problem(budget=20, seed=seed)
        priced = PricedProblem(problem, inverse_temperature=0.3, price=5.0)
        (beliefs,) = propagate([priced], max_iterations=1000)
        assert beliefs.largest_change < 1e-9
        update = UpdateMap(problem, 0.3, 5.0)
        h_hat = update.fixed_point(np.zeros(update.num_edges))
        items = np.repeat(np.arange(problem.num_items), problem.edges.item_degrees)
        fields = sums_by(items, h_hat, problem.num_items) - 5.0 * problem.costs
        np.testing.assert_allclose(fields, beliefs.item_fields, atol=1e-7)


def test_eigenvalues_are_those_of_the_dense_matrix():
    update = small_map(0)
    jacobian = update.jacobian(update.fixed_point(np.zeros(update.num_edges)))
    spectrum = Spectrum.of(jacobian)
    values = np.linalg.eigvals(jacobian.toarray())
    assert spectrum.radius == pytest.approx(abs(values).max(), rel=1e-6)
    assert spectrum.largest_real_part == pytest.approx(values.real.max(), rel=1e-6)
    damped = abs(0.5 + 0.5 * values).max()
    assert spectrum.damped_radius == pytest.approx(damped, rel=1e-6)


@pytest.mark.parametrize("price", [0.0, 0.1, 0.3])
def test_the_leading_eigenvalue_is_real_and_negative(price):
    """No entry of the derivative is positive, so the theorem of Perron applies."""
    update = small_map(1, price)
    jacobian = update.jacobian(update.fixed_point(np.zeros(update.num_edges))).toarray()
    assert (jacobian <= 0).all()
    values = np.linalg.eigvals(jacobian)
    leading = values[np.argmax(abs(values))]
    assert leading.real < 0
    assert abs(leading.imag) < 1e-9
