import pytest

from thatch.problem.instances.random_graphs import BiregularGraph


@pytest.fixture(scope="module")
def hard():
    """A problem that HiGHS cannot prove in a moment."""
    graph = BiregularGraph(
        num_items=400, num_elements=400, item_degree=20, element_degree=20
    )
    return graph.problem(budget=60, seed=0)
