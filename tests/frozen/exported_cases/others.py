"""Losses, choices, sums, pooling, branches and loops, messages in graphs, and programs in mixed precision."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import core
from core import geometric, nn
from core.inference import PlaceType, PrecisionType, convert_to_mixed_precision
from core.nn import functional as F
from core.static import InputSpec
from tests.frozen.exported_cases.cases import Case, double, filled, simple, spec, whole
from tests.frozen.exported_cases.convolutions import block, in_a_row


def losses(scores: Any, labels: Any) -> dict[str, Any]:
    """Return losses of classes."""
    hits = F.one_hot(labels, scores.shape[1])
    return {
        "mean": F.cross_entropy(scores, labels),
        "column": F.cross_entropy(scores, labels.unsqueeze(1)),
        "ignoring": F.cross_entropy(scores, labels, ignore_index=1),
        "sum": F.cross_entropy(scores, labels, reduction="sum"),
        "none": F.cross_entropy(scores, labels, reduction="none"),
        "soft": F.cross_entropy(scores, hits * 0.9 + 0.01, soft_label=True),
        "smooth": F.cross_entropy(scores, F.label_smooth(hits), soft_label=True),
        "logits": F.binary_cross_entropy_with_logits(scores, hits),
        "squares": F.mse_loss(scores, hits),
        "likelihood": F.nll_loss(F.log_softmax(scores), labels),
        "smooth_distance": F.smooth_l1_loss(scores, hits),
    }


def choices(x: Any, y: Any) -> dict[str, Any]:
    """Return elements that are chosen, sorted or counted."""
    return {
        "where": core.where(x > y, x, y),
        "where_number": core.where(x > 0, x, core.zeros_like(x)),
        "where_row": core.where(x > y[0], x, y[0]),
        "maximum": core.maximum(x, y),
        "filled": core.masked_fill(x, x < y, -1.0),
        "top": core.topk(x, 3),
        "place": core.argmax(x, axis=-1),
        "running": core.cumsum(x, axis=1),
        "parts": core.split(x, 2, axis=1),
        "padded": F.pad(x, [0, 0, 1, 2], value=0.5),
        "equal": x == y,
    }


def sums(x: Any) -> dict[str, Any]:
    """Return sums of every kind."""
    return {
        "all": x.sum(), "mean": x.mean(), "last": x.sum(axis=-1), "first": x.sum(axis=0), "middle": x.mean(axis=[1, 2]),
        "kept": x.mean(axis=[2, 3], keepdim=True), "maximum": x.max(axis=1), "minimum": x.min(),
        "several": x.sum([0, 2]), "deviation": x.std(axis=3),
        "logarithm": core.logsumexp(x, axis=1), "norm": core.norm(x, axis=-1),
        "added": core.add_n([x, x * 2.0, x]), "product": (1.0 + x / 64.0).prod(axis=3),
        "softmax": F.softmax(x, axis=1), "negative": -x + 1.0 - x * 3.0,
    }  # fmt: skip


def pooled(x: Any) -> dict[str, Any]:
    """Return pooled images."""
    return {
        "one": F.adaptive_avg_pool2d(x, 1),
        "regions": F.adaptive_avg_pool2d(x, 3),
        "uneven": F.adaptive_avg_pool2d(x, [2, None]),
        "largest": F.adaptive_max_pool2d(x, 3),
        "maximum": F.max_pool2d(x, 3, 2, 1),
        "average": F.avg_pool2d(x, 2),
        "average_of_all": F.avg_pool2d(x, 3, 1, 1, exclusive=False),
        "larger": F.interpolate(x, scale_factor=2, mode="nearest"),
        "weighed": x * F.sigmoid(F.adaptive_avg_pool2d(x, 1)),
        "shuffled": F.channel_shuffle(x, 2),
    }


class Branches(nn.Layer):
    """Branches and loops around swish, sigmoid and products."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = nn.Linear(8, 8), nn.Linear(8, 8, bias_attr=False)

    def forward(self, x: Any) -> Any:
        """Return rows and the number of steps."""
        if x.mean() > 0:
            y = F.swish(self.left(x))
        else:
            y = F.hardswish(self.right(x)) * F.sigmoid(x)
        steps = core.zeros([1])
        while steps < 3:
            if y.sum() > 1:
                y = F.swish(y) * 0.5
            else:
                y = y * F.sigmoid(y) + 0.25
            steps = steps + 1
        return y, steps


def messages(x: Any, edges: Any, source: Any, target: Any) -> dict[str, Any]:
    """Return messages along the edges of a graph."""
    return {
        "sum": geometric.send_u_recv(x, source, target, "sum"),
        "mean": geometric.send_u_recv(x, source, target, "mean"),
        "max": geometric.send_u_recv(x, source, target, "max"),
        "min": geometric.send_u_recv(x, source, target, "min"),
        "with_edges": geometric.send_ue_recv(x, edges, source, target, "mul", "sum"),
        "on_edges": geometric.send_uv(x, x, source, target, "add"),
    }


def under_auto_cast(x: Any) -> Any:
    """Return a product and a convolution in bfloat16."""
    with core.amp.auto_cast(dtype="bfloat16"):
        images = F.conv2d(x, core.ones([16, 8, 3, 3]) * 0.0625)
        rows = F.swish(images).flatten(1)
        return core.matmul(rows, core.ones([rows.shape[1], 16]) * 0.125).astype("float32") * 0.5


def converted(keep_io_types: bool) -> Any:
    """Return what writes a program, and then the same in bfloat16."""

    def write(case: Case, folder: Path) -> None:
        first = folder.with_name("first")
        core.jit.save(case.model(), first, [spec([None, 3, 16, 16], "x")])
        paths = [f"{path}{ending}" for path in (first, folder) for ending in (".pdmodel", ".pdiparams")]
        convert_to_mixed_precision(*paths, PrecisionType.Bfloat16, PlaceType.CPU, keep_io_types)
        for file in first.iterdir():
            file.unlink()
        first.rmdir()

    return write


def _network() -> Any:
    layers = [*block(3, 16), *block(16, 16, groups=4), nn.AdaptiveAvgPool2D(2), nn.Flatten(), nn.Linear(64, 16)]
    return in_a_row(*layers, nn.Swish(), nn.Linear(16, 8))


def _scores(rows: Any, classes: int) -> list[Any]:
    return [spec([rows, classes], "scores"), InputSpec([rows], "int64", "labels")]


_PAIR = [InputSpec([None, 10], name="x"), InputSpec([None, 10], name="y")]
_LARGE = [InputSpec([40, 500], name="x"), InputSpec([40, 500], name="y")]

CASES = {
    "losses": {
        "small": Case(lambda: losses, _scores(6, 5), [[(6, 5), whole((6,), 5)]], learns=True),
        "large": Case(lambda: losses, _scores(512, 80), [[(512, 80), whole((512,), 80)]], learns=True),
        "open": Case(
            lambda: losses, _scores(None, 80), [[(3, 80), whole((3,), 80)], [(512, 80), whole((512,), 80)]],
            learns=True,
        ),
        "float64": Case(
            lambda: lambda scores, labels: F.cross_entropy(scores, labels),
            [InputSpec([6, 5], "float64", "scores"), InputSpec([6], "int64", "labels")],
            [[double((6, 5)), whole((6,), 5)]], learns=True,
        ),
    },
    "choices": {
        "small": Case(lambda: choices, _PAIR, [[(3, 10), (3, 10)], [(2000, 10), (2000, 10)]], learns=True),
        "large": Case(lambda: choices, _LARGE, [[(40, 500), (40, 500)]], learns=True),
        "sums": simple(lambda: sums, (None, 6, None, 8), (2, 6, 4, 8), (3, 6, 90, 8), learns=True),
        "sums_fixed": simple(lambda: sums, (3, 6, 5, 8), learns=True),
        "pooled_small": simple(lambda: pooled, (2, 16, 7, 7), learns=True),
        "pooled_large": simple(lambda: pooled, (2, 4, 20, 20), learns=True),
        "branches": Case(
            lambda: filled(Branches()), [spec([None, 8], "x")], [[whole((3, 8), 5, "float32") - 1],
            [whole((3, 8), 5, "float32") - 4]], learns=True,
        ),
        "messages": Case(
            lambda: messages,
            [spec([10, 6], "x"), spec([24, 6], "edges"), *[InputSpec([24], "int64", n) for n in ("source", "target")]],
            [[(10, 6), (24, 6), whole((24,), 10), whole((24,), 9)]], learns=True,
        ),
    },
    "mixed": {
        "under_auto_cast": simple(lambda: under_auto_cast, (2, 8, 12, 12)),
        "converted": Case(_network, [], [[(2, 3, 16, 16)]], write=converted(True)),
        "converted_inputs": Case(_network, [], [[(2, 3, 16, 16)]], write=converted(False)),
        "layers": simple(lambda: _network().to(dtype="bfloat16"), (None, 3, 16, 16), (2, 3, 16, 16), dtype="bfloat16"),
    },
}  # fmt: skip
