"""Sensors on a grid: choose the twenty whose circles cover the most cells."""

import numpy as np
import scipy.sparse

from thatch import CoverageProblem, GeneralizedGreedy, solve


def main() -> None:
    side, radius = 20, 2.5
    cells = np.stack(np.divmod(np.arange(side * side), side), axis=1)
    distances = np.linalg.norm(cells[:, None] - cells[None, :], axis=2)
    covers = scipy.sparse.csr_array(distances <= radius)
    problem = CoverageProblem.from_matrix(covers, budget=20)
    for solver in (GeneralizedGreedy(), None):
        result = solve(problem, solver)
        value = result.selection.value
        print(f"{value:.0f} cells, gap {result.gap:.1%}: {result.status.value}")


if __name__ == "__main__":
    main()
