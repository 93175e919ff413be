"""The CUDA kernels of message passing on a GPU: their time against PyTorch's operators and against the memory's speed.

    pip install "cupy-cuda12x<14" torch
    python -m benchmarks.PGL.graph_messages_gpu [--nodes 1000000] [--edges 20000000] [--rounds 9]

The edges lead between random nodes and are grouped by target. "sum" adds up the neighbours' 64 features; PyTorch does
it as a product of a sparse matrix (cuSPARSE), and as gathering with `index_add`. "weighted" multiplies the features, 8
heads of 8, by a number of the edge. "largest" takes each feature's largest. "softmax" is that of 8 numbers of each edge
over the edges of its target. "ends" multiplies, for 8 heads, the features of an edge's two ends. The sides take turns
on the same arrays; a time is the median over the rounds, between two events of the GPU, and a ratio is above 1 where
ours is faster. "GB/s" counts what our kernel must read and write if nothing stayed in a cache. Results are compared
first.
"""

from __future__ import annotations

import argparse
import statistics
import warnings
from typing import Any, Callable

from benchmarks.side import require

HEADS, SIZE = 8, 8
WIDTH = HEADS * SIZE
Step = Callable[[], Any]


def main() -> None:
    """Print one row per comparison, in milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000_000, help="nodes of the graph (default 1000000)")
    parser.add_argument("--edges", type=int, default=20_000_000, help="edges of the graph (default 20000000)")
    parser.add_argument("--rounds", type=int, default=9, help="rounds in which the sides take turns (default 9)")
    options = parser.parse_args()
    require("cupy", "torch")
    import torch

    print(f"{torch.cuda.get_device_name()}; {options.nodes:,} nodes, {options.edges:,} edges")
    print(f"{'':10} {'ours, ms':>9} {'GB/s':>6}   {'against':34} {'ms':>8} {'ratio':>6} {'difference':>11}")
    for name, ours, numbers, others in rows(options.nodes, options.edges):
        expected = ours()
        for other, theirs in others.items():
            found = theirs()
            difference = float((found - expected).abs().max() / expected.abs().max())
            del found
            mine, its = turns(ours, theirs, options.rounds)
            speed = 4e-6 * numbers / mine
            print(
                f"{name:10} {mine:9.2f} {speed:6.0f}   {other:34} {its:8.2f} {its / mine:6.2f} {difference:11.0e}",
                flush=True,
            )


def turns(first: Step, second: Step, rounds: int) -> tuple[float, float]:
    """Return the median times of two steps that take turns, in milliseconds."""
    import torch

    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds + 1):
        for step, times in zip((first, second), taken):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            step()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end))
    return statistics.median(taken[0][1:]), statistics.median(taken[1][1:])  # the first round compiles


def rows(nodes: int, edges: int) -> list[tuple[str, Step, int, dict[str, Step]]]:
    """Return each row: its name, our step, how many numbers of 4 bytes it reads and writes, and PyTorch's steps."""
    import cupy
    import torch

    from core.kernels.cuda import message_passing
    from core.kernels.cuda.launcher import CuPyProgram, Launcher

    launch = Launcher(CuPyProgram)
    generator = torch.Generator("cuda").manual_seed(0)
    source, target = (torch.randint(nodes, (edges,), generator=generator, device="cuda") for _ in range(2))
    table, targets = (torch.randn(nodes, HEADS, SIZE, generator=generator, device="cuda") for _ in range(2))
    weight = torch.randn(edges, HEADS, generator=generator, device="cuda")
    order = torch.argsort(target, stable=True)
    indptr = torch.zeros(nodes + 1, dtype=torch.int64, device="cuda")
    indptr[1:] = torch.cumsum(torch.bincount(target, minlength=nodes), 0)
    ones = torch.ones(edges, device="cuda")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that such tensors are in beta, and unchecked
        matrix = torch.sparse_csr_tensor(indptr, source[order], ones, (nodes, nodes))
    flat = {
        "table": table, "targets": targets, "weight": weight, "indptr": indptr,
        "neighbors": source[order].int(), "ids": order.int(),
    }  # fmt: skip
    given = {name: cupy.from_dlpack(tensor.reshape(-1).contiguous()) for name, tensor in flat.items()}
    sums, per_edge = torch.empty_like(table), torch.empty_like(weight)
    winners = torch.empty_like(table, dtype=torch.int32)
    out, out_of_edges = (cupy.from_dlpack(tensor.reshape(-1)) for tensor in (sums, per_edge))
    places = [given[name] for name in ("indptr", "neighbors", "ids")]

    def ours(result: Any, kernel: Callable[..., None], *arguments: Any) -> Step:
        def step() -> Any:
            kernel(launch, *arguments)
            return result

        return step

    def gathered(messages: Callable[[], Any]) -> Step:
        return lambda: torch.zeros_like(table).index_add_(0, target, messages())

    def largest() -> Any:
        index = target[:, None, None].expand(-1, HEADS, SIZE)
        return torch.zeros_like(table).scatter_reduce_(0, index, table[source], "amax", include_self=False)

    def softmax() -> Any:
        index = target[:, None].expand(-1, HEADS)
        highest = torch.zeros(nodes, HEADS, device="cuda").scatter_reduce_(0, index, weight, "amax", include_self=False)
        powers = torch.exp(weight - highest[target])
        return powers / torch.zeros_like(highest).index_add_(0, target, powers)[target]

    taken, written = edges * (WIDTH + 1), nodes * (WIDTH + 2)  # rows with their indices; results with row ends
    extremes = (out, cupy.from_dlpack(winners.reshape(-1)))
    return [
        (
            "sum", ours(sums, message_passing.gather_sum, given["table"], *places[:2], False, WIDTH, out),
            taken + written,
            {
                "torch, sparse product": lambda: (matrix @ table.reshape(nodes, WIDTH)).reshape(table.shape),
                "torch, gather and index_add": gathered(lambda: table[source]),
            },
        ),
        (
            "weighted",
            ours(sums, message_passing.gather_multiply_sum, given["table"], given["weight"], *places, HEADS, SIZE, out),
            taken + edges * (HEADS + 1) + written,
            {"torch, gather and index_add": gathered(lambda: table[source] * weight[..., None])},
        ),
        (
            "largest", ours(sums, message_passing.gather_extreme, given["table"], *places, True, WIDTH, extremes),
            taken + edges + written + nodes * WIDTH,
            {"torch, gather and scatter_reduce": largest},
        ),
        (
            "softmax",
            ours(per_edge, message_passing.edge_softmax, given["weight"], places[0], places[2], HEADS, out_of_edges),
            edges * (6 * HEADS + 3) + 2 * nodes,  # three passes; the second and third read and write
            {"torch, scatter_reduce and index_add": softmax},
        ),
        (
            "ends",
            ours(
                per_edge, message_passing.dot_ends, given["table"], given["targets"], *places, HEADS, SIZE, out_of_edges
            ),
            edges * (2 * WIDTH + HEADS + 2),
            {"torch, gather, multiply, sum": lambda: (table[source] * targets[target]).sum(-1)},
        ),
    ]  # fmt: skip


if __name__ == "__main__":
    main()
