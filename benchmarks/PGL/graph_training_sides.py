"""The sides of graph_training: the same networks on the same graph in core, PyTorch Geometric and pgl."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

Steps = dict[str, Callable[[], Any]]
RATES = {"GCN": 0.01, "GAT": 0.005}
DECAY = 5e-4


def ours(file: str) -> Steps:
    """Return training steps of core.

    Args:
        file: what benchmarks.PGL.graph_training.write_arrays wrote.
    """
    import core
    import PGL
    from core.nn import functional as F
    from core.operators.linear_algebra.sparse_rows import SparseRows
    from core.train.step import PhaseStep
    from core.train.task import Phase

    data = np.load(file)
    graph = PGL.Graph(data["edges"], len(data["labels"])).tensor()
    features = SparseRows.from_dense(data["features"])
    batch = [core.to_tensor(data["nodes"]), core.to_tensor(data["labels"][data["nodes"]])]

    def step_of(name: str) -> Callable[[], Any]:
        network = PGL.models.create_model(name, input_size=data["features"].shape[1], num_class=7)
        network.train()

        def loss(nodes: Any, labels: Any) -> tuple[Any, dict[str, Any]]:
            return F.cross_entropy(core.gather(network(graph, features), nodes), labels), {}

        optimizer = core.optimizer.Adam(RATES[name], parameters=network.parameters(), weight_decay=DECAY)
        phase = PhaseStep(Phase(name, loss, network.parameters(), optimizer), compiled=True)

        def step() -> float:
            value = phase(0, [batch]).read()["loss"]
            optimizer.clear_grad(set_to_zero=False)
            return value

        return step

    return {name: step_of(name) for name in RATES}


def geometric(file: str, threads: int) -> Steps:
    """Return training steps of PyTorch Geometric.

    Args:
        file: what benchmarks.PGL.graph_training.write_arrays wrote.
        threads: of PyTorch.
    """
    import torch
    from torch.nn import functional as F
    from torch_geometric.nn import GATConv, GCNConv

    torch.set_num_threads(threads)
    data = np.load(file)
    edges = torch.tensor(data["edges"].T.copy())
    features = torch.tensor(data["features"])
    nodes, labels = torch.tensor(data["nodes"]), torch.tensor(data["labels"][data["nodes"]])
    size = features.shape[1]

    class Convolutions(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()  # the graph is normalised once, as their examples do
            self.first = GCNConv(size, 16, cached=True, add_self_loops=False)
            self.last = GCNConv(16, 7, cached=True, add_self_loops=False)

        def forward(self) -> Any:
            hidden = F.dropout(F.relu(self.first(features, edges)), 0.5, self.training)
            return self.last(hidden, edges)

    class Attention(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = GATConv(size, 8, heads=8, dropout=0.6, add_self_loops=False)
            self.last = GATConv(64, 7, heads=1, concat=False, dropout=0.6, add_self_loops=False)

        def forward(self) -> Any:
            hidden = F.elu(self.first(F.dropout(features, 0.6, self.training), edges))
            return self.last(F.dropout(hidden, 0.6, self.training), edges)

    def step_of(network: Any, rate: float) -> Callable[[], Any]:
        optimizer = torch.optim.Adam(network.parameters(), lr=rate, weight_decay=DECAY)

        def step() -> float:
            optimizer.zero_grad()
            loss = F.cross_entropy(network()[nodes], labels)
            loss.backward()
            optimizer.step()
            return float(loss.detach())

        return step

    networks = {"GCN": Convolutions(), "GAT": Attention()}
    return {name: step_of(network.train(), RATES[name]) for name, network in networks.items()}


def pgl(file: str, threads: int) -> Steps:
    """Return training steps of pgl on Paddle.

    Args:
        file: what benchmarks.PGL.graph_training.write_arrays wrote.
        threads: of Paddle, which takes them from the environment.
    """
    import zlib  # noqa: F401 -- before paddle, whose own copy is another version

    import paddle
    import pgl as library
    from paddle.nn import functional as F

    data = np.load(file)
    graph = library.Graph(edges=data["edges"], num_nodes=len(data["labels"])).tensor()
    features = paddle.to_tensor(data["features"])
    nodes, labels = paddle.to_tensor(data["nodes"]), paddle.to_tensor(data["labels"][data["nodes"]])
    size = features.shape[1]

    class Convolutions(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.first = library.nn.GCNConv(size, 16, activation="relu")
            self.last = library.nn.GCNConv(16, 7)

        def forward(self) -> Any:
            hidden = F.dropout(self.first(graph, features), 0.5, training=self.training)
            return self.last(graph, hidden)

    class Attention(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.first = library.nn.GATConv(size, 8, 0.6, 0.6, 8, activation="elu")
            self.last = library.nn.GATConv(64, 7, 0.6, 0.6, 1, concat=False)

        def forward(self) -> Any:
            return self.last(graph, self.first(graph, features))

    def step_of(network: Any, rate: float) -> Callable[[], Any]:
        optimizer = paddle.optimizer.Adam(rate, parameters=network.parameters(), weight_decay=DECAY)

        def step() -> float:
            loss = F.cross_entropy(paddle.gather(network(), nodes), labels)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            return float(loss.detach())

        return step

    networks = {"GCN": Convolutions(), "GAT": Attention()}
    for network in networks.values():
        network.train()
    return {name: step_of(network, RATES[name]) for name, network in networks.items()}
