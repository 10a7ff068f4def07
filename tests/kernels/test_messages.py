"""All forms of the message kernels against the plain equations."""

import importlib
import math

import numpy as np
import pytest
import reference
from cases import for_each
from problems import random_problem

DAMPINGS = (0.0, 0.3, 0.5)
MODULES = {
    "products": "messages",
    "singles": "messages",
    "logarithms": "log_messages",
    "max-sum": "log_messages",
}


def replies(kernel, problem, beta, mu, *, form, damping, iterations, num_threads=1):
    """h_hat in edge order and every largest change, by one of the forms."""
    is_product = MODULES[form] == "messages"
    real = np.float32 if form == "singles" else np.float64
    graph = problem.edges
    ends = np.r_[0 : problem.num_elements : 3, problem.num_elements]
    blocks = np.unique(ends).astype(np.int64)
    change = np.empty(blocks.size - 1)
    longest = max(graph.largest_degree, min(graph.num_edges, 512))
    scratch = np.empty((num_threads, 3, longest), dtype=real)
    log_unclaimed = -np.logaddexp(0.0, beta * problem.weights)
    scaled_prices = beta * mu * problem.costs
    totals = np.empty(problem.num_items)
    held = totals if real is np.float64 else np.empty(problem.num_items, dtype=real)
    module = kernel(MODULES[form])
    reply = module.reply
    if form == "max-sum":
        reply = module.reply_by_max_sum
        log_unclaimed = -beta * problem.weights
    state = np.full(graph.num_edges, 1.0 if is_product else 0.0, dtype=real)
    unclaimed = np.exp(log_unclaimed).astype(real) if is_product else log_unclaimed
    changes = []
    for _ in range(iterations):
        if is_product:
            powers = np.floor(scaled_prices / np.log(2.0))
            factors = np.exp(scaled_prices - powers * np.log(2.0))
            module.multiply_up(
                state,
                factors,
                powers.astype(np.int64),
                graph.item_start,
                graph.item_edges,
                totals,
                held,
                num_threads,
            )
        else:
            module.add_up(
                state,
                scaled_prices,
                graph.item_start,
                graph.item_edges,
                totals,
                num_threads,
            )
        reply(
            state,
            held,
            unclaimed,
            graph.element_start,
            graph.element_items,
            blocks,
            damping,
            change,
            scratch,
            num_threads,
        )
        changes.append((1 - damping) * change.max(initial=0.0) / beta)
    logs = np.log(state, dtype=np.float64) if is_product else state
    return -logs / beta, changes


@for_each("form", ["products", "logarithms"])
@for_each("seed", range(12))
def test_both_forms_follow_the_plain_equations(kernel, form, seed):
    problem = random_problem(seed, max_items=8, max_elements=10)
    scale = problem.weights.max() + 1e-9
    damping = DAMPINGS[seed % 3]
    for beta, mu in (
        (0.1 / scale, 0.0),
        (3.0 / scale, 0.4),
        (60.0 / scale, -0.2),
        (60.0 / scale, 30.0),
    ):
        h_hat, changes = replies(
            kernel, problem, beta, mu, form=form, damping=damping, iterations=8
        )
        expected, expected_changes = reference.messages(
            problem, beta, mu, damping=damping, iterations=8
        )
        # The dictionary is in edge order: by element, then by item.
        np.testing.assert_allclose(
            h_hat, list(expected.values()), rtol=1e-9, atol=1e-11 * scale
        )
        np.testing.assert_allclose(
            changes, expected_changes, rtol=1e-8, atol=1e-11 * scale
        )


def compiled(name):
    """Singles exist compiled alone: Python has but one kind of number."""
    return importlib.import_module(f"thatch._kernels.{name}")


@for_each("seed", range(12))
def test_singles_follow_the_plain_equations(seed):
    problem = random_problem(seed, max_items=8, max_elements=10)
    scale = problem.weights.max() + 1e-9
    damping = DAMPINGS[seed % 3]
    largest = compiled("messages").LARGEST_EXPONENT_OF_SINGLES
    for scaled_weight, mu in ((1.0, 0.0), (3.0, 0.4), (largest, -0.2), (largest, 30.0)):
        beta = scaled_weight / scale
        h_hat, changes = replies(
            compiled, problem, beta, mu, form="singles", damping=damping, iterations=8
        )
        expected, expected_changes = reference.messages(
            problem, beta, mu, damping=damping, iterations=8
        )
        np.testing.assert_allclose(
            h_hat, list(expected.values()), rtol=1e-5, atol=1e-5 * scale
        )
        np.testing.assert_allclose(
            changes, expected_changes, rtol=1e-5, atol=1e-5 * scale
        )


def test_singles_take_totals_far_outside_their_range():
    """At these prices e^(beta mu c) is beyond a single, on either side."""
    problem = random_problem(5, max_items=14, max_elements=20)
    for mu in (-1e4, -60.0, 60.0, 1e4):
        singles, products = (
            replies(compiled, problem, 3.0, mu, form=form, damping=0.5, iterations=5)[0]
            for form in ("singles", "products")
        )
        assert np.isfinite(singles).all()
        np.testing.assert_allclose(singles, products, rtol=1e-5, atol=1e-5)


def test_threads_change_no_bit_of_singles():
    problem = random_problem(5, max_items=14, max_elements=20)
    one, two = (
        replies(
            compiled,
            problem,
            3.0,
            0.5,
            form="singles",
            damping=0.5,
            iterations=5,
            num_threads=n,
        )[0]
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one, two)


@for_each("seed", range(12))
def test_max_sum_follows_the_plain_equations_at_zero_temperature(kernel, seed):
    problem = random_problem(seed, max_items=8, max_elements=10)
    scale = problem.weights.max() + 1e-9
    damping = DAMPINGS[seed % 3]
    for mu in (0.0, 0.4 * scale, -0.2, 30.0):
        h_hat, changes = replies(
            kernel, problem, 1.0, mu, form="max-sum", damping=damping, iterations=8
        )
        expected, expected_changes = reference.messages(
            problem, math.inf, mu, damping=damping, iterations=8
        )
        np.testing.assert_allclose(
            h_hat, list(expected.values()), rtol=1e-9, atol=1e-11 * scale
        )
        np.testing.assert_allclose(
            changes, expected_changes, rtol=1e-8, atol=1e-11 * scale
        )


@for_each("seed", range(12))
def test_max_sum_is_the_limit_of_the_logarithmic_form(kernel, seed):
    """An error of ln 2 / beta in a reply may double with every iteration."""
    problem = random_problem(seed, max_items=8, max_elements=10)
    scale = problem.weights.max() + 1e-9
    beta = 1e9 / scale
    for mu in (0.1 * scale, 0.4 * scale):
        limit, logarithms = (
            replies(kernel, problem, b, mu, form=form, damping=0.5, iterations=6)[0]
            for form, b in (("max-sum", 1.0), ("logarithms", beta))
        )
        np.testing.assert_allclose(limit, logarithms, atol=1e-5 * scale)


@pytest.mark.parametrize("form", ["products", "logarithms", "max-sum"])
def test_thread_count_changes_no_bit(kernel, form):
    problem = random_problem(5, max_items=14, max_elements=20)
    one, two = (
        replies(
            kernel,
            problem,
            3.0,
            0.5,
            form=form,
            damping=0.5,
            iterations=5,
            num_threads=n,
        )[0]
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one, two)


def test_products_keep_their_digits_on_a_hub(kernel):
    """An item with 3000 elements, whose product leaves the range of a double."""
    from thatch import CoverageProblem

    matrix = np.zeros((3, 3000))
    matrix[0, :] = 1
    matrix[1, ::2] = 1
    matrix[2, ::3] = 1
    problem = CoverageProblem.from_matrix(matrix, costs=[900.0, 500.0, 300.0], budget=1)
    for mu in (0.5, 0.9, 1.1):
        products, logarithms = (
            replies(kernel, problem, 2.0, mu, form=form, damping=0.5, iterations=4)[0]
            for form in ("products", "logarithms")
        )
        assert np.ptp(products) > 0.01
        np.testing.assert_allclose(products, logarithms, rtol=1e-9, atol=1e-12)


def test_products_are_safe_up_to_the_exponent_they_promise(kernel):
    problem = random_problem(2, max_items=8, max_elements=10)
    largest = kernel("messages").LARGEST_EXPONENT
    beta = largest / problem.weights.max()
    for mu in (0.0, 0.7 * problem.weights.mean()):
        products, logarithms = (
            replies(kernel, problem, beta, mu, form=form, damping=0.5, iterations=6)[0]
            for form in ("products", "logarithms")
        )
        assert np.isfinite(products).all()
        np.testing.assert_allclose(
            products, logarithms, rtol=1e-9, atol=1e-12 * problem.weights.max()
        )
