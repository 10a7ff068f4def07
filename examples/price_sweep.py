"""What a price does: sweep it, and watch the expected cost fall through the budget."""

from thatch import Part, propagate
from thatch.instances.random_graphs import BiregularGraph
from thatch.solvers.greedy import fill_by_ranking


def main() -> None:
    graph = BiregularGraph(
        num_items=100, num_elements=300, item_degree=9, element_degree=3
    )
    problem = graph.problem(budget=100, seed=0)
    prices = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0]
    parts = [Part(problem, inverse_temperature=1.0, price=price) for price in prices]
    print("price  expected cost  entropy  covered")
    # All prices run as one graph, in one call.
    for beliefs in propagate(parts):
        value = fill_by_ranking(problem, beliefs.item_fields).value
        print(
            f"{beliefs.price:5.1f}  {beliefs.expected_cost:13.1f}"
            f"  {beliefs.entropy:7.1f}  {value:7.0f}"
        )


if __name__ == "__main__":
    main()
