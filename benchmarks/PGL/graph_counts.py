"""What counts alone tell of graphs' classes: the baseline that a graph network must beat.

    python -m benchmarks.PGL.graph_counts [--data FOLDER] [--seeds 5]

Of each graph are counted its nodes, its edges, its nodes of each degree, of each kind, and of each kind and degree. A
logistic regression and a random forest learn from the counts. Without FOLDER the graphs are those of
drawn_graphs_gin.yaml, a fifth of them held out; with it ten folds of TU Dortmund's files, as
``python PGL/cross_validate.py`` makes them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from PGL.data import DrawnGraphs, TUDataset
from PGL.data.graph_sets import GraphSet

LARGEST_DEGREE = 30


def counted(data: GraphSet) -> np.ndarray:
    """Return the counts of each graph, float64 [graphs, counts]."""
    degrees = np.minimum(np.bincount(data.edges[:, 1], minlength=data.num_nodes), LARGEST_DEGREE)
    kinds = data.codes[:, 0] if data.vocabulary.kinds else np.zeros(data.num_nodes, np.int64)
    both = kinds * (LARGEST_DEGREE + 1) + degrees
    width = int(both.max()) + 1
    rows = []
    for begin, end, first, last in zip(data.node_starts, data.node_starts[1:], data.edge_starts, data.edge_starts[1:]):
        own = both[begin:end]
        parts = [np.bincount(own, minlength=width), np.bincount(degrees[begin:end], minlength=LARGEST_DEGREE + 1)]
        parts += [np.bincount(kinds[begin:end], minlength=int(kinds.max()) + 1), [end - begin, last - first]]
        rows.append(np.concatenate(parts))
    return np.array(rows, np.float64)


def judged(rows: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, seed: int) -> tuple[float, float]:
    """Return the accuracies of a logistic regression and of a random forest."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    scaled = StandardScaler().fit(rows[train]).transform(rows)
    models: list[Any] = [LogisticRegression(max_iter=2000), RandomForestClassifier(300, random_state=seed)]
    first, second = (float(model.fit(scaled[train], y[train]).score(scaled[test], y[test])) for model in models)
    return first, second


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", metavar="FOLDER", help="the folder of DS_A.txt and the others")
    parser.add_argument("--seeds", type=int, default=5, help="of drawn graphs, or of folds and forest (default: 5)")
    options = parser.parse_args(arguments)
    found = []
    for seed in range(options.seeds):
        folds = [0] if options.data is None else range(10)
        for fold in folds:
            data: GraphSet = (
                DrawnGraphs(seed=seed) if options.data is None else
                TUDataset(fold=fold, seed=seed, paper_protocol=True, root=options.data)
            )  # fmt: skip
            assert data.y is not None
            found.append(judged(counted(data), data.y, data.train_index, data.test_index, seed))
    for name, values in zip(("logistic regression", "random forest"), np.array(found).T):
        print(f"{name} on counts: accuracy {values.mean():.4f} ± {values.std():.4f} over {len(values)} runs")


if __name__ == "__main__":
    main()
