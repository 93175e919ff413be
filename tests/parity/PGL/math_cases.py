"""Uses of pgl.math that run alike with pgl on Paddle and with PGL on core: each returns arrays by name."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

REDUCTIONS = ("sum", "mean", "max", "min")


def given(name: str, gaps: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, scores and segment ids; with gaps some segments have no rows."""
    draw = np.random.default_rng(zlib.crc32(name.encode()))
    ids = np.sort(draw.integers(0, 12, 40))
    if not gaps:
        ids = np.unique(ids, return_inverse=True)[1]
    return draw.standard_normal((40, 3)).astype(np.float32), draw.random(40).astype(np.float32), ids


def reductions(pgl: Any, paddle: Any, gaps: bool) -> dict[str, np.ndarray]:
    rows, _, ids = given("reductions", gaps)
    found = {}
    for name in REDUCTIONS:
        for pool in (getattr(pgl.math, f"segment_{name}"), lambda x, i, n=name: pgl.math.segment_pool(x, i, n)):
            x = paddle.to_tensor(rows, stop_gradient=False)
            result = pool(x, paddle.to_tensor(ids))
            (result * result).sum().backward()
            found[f"{name} {len(found)}"], found[f"{name} gradient {len(found)}"] = result.numpy(), x.grad.numpy()
    return found


def softmax(pgl: Any, paddle: Any, gaps: bool) -> dict[str, np.ndarray]:
    rows, _, ids = given("softmax", gaps)
    x = paddle.to_tensor(rows, stop_gradient=False)
    result = pgl.math.segment_softmax(x, paddle.to_tensor(ids))
    (result * paddle.to_tensor(rows)).sum().backward()
    return {"softmax": result.numpy(), "gradient": x.grad.numpy()}


def padding(pgl: Any, paddle: Any, gaps: bool) -> dict[str, np.ndarray]:
    rows, _, ids = given("padding", gaps)
    x = paddle.to_tensor(rows, stop_gradient=False)
    padded, lengths, index = pgl.math.segment_padding(x, paddle.to_tensor(ids))
    (padded * padded).sum().backward()
    names = {"padded": padded, "lengths": lengths, "index": index, "gradient": x.grad}
    return {name: tensor.numpy() for name, tensor in names.items()}


def topk(pgl: Any, paddle: Any, gaps: bool) -> dict[str, np.ndarray]:
    rows, scores, ids = given("topk", gaps)
    found = {}
    for ratio, least in ((0.5, None), (0.8, None), (1.0, None), (0.5, 0.3), (0.5, 0.9)):
        x, of_rows = paddle.to_tensor(rows, stop_gradient=False), paddle.to_tensor(scores)
        kept, index = pgl.math.segment_topk(x, of_rows, paddle.to_tensor(ids), ratio, least, True)
        (kept * kept).sum().backward()
        found.update(
            {
                f"{name} {ratio} {least}": t.numpy()
                for name, t in (("kept", kept), ("index", index), ("gradient", x.grad))
            }
        )
    return found


CASES: dict[str, Callable[[Any, Any], dict[str, np.ndarray]]] = {
    f"{use.__name__}{' with gaps' if gaps else ''}": lambda pgl, paddle, use=use, gaps=gaps: use(pgl, paddle, gaps)
    for use in (reductions, softmax, padding, topk)
    for gaps in (False, True)
}
