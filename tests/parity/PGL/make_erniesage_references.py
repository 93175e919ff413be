"""Store what ERNIESage answers on paddlenlp's ERNIE and pgl's message passing.

Not part of the tests. ERNIESage is an example of PaddleNLP's repository, and in no package: its formulas are written
here anew, on the official packages' ERNIE, graphs and layers. In the environment of make_layer_references.py, with
paddlenlp 2.8.1:

    REFERENCE_PYTHON -m tests.parity.PGL.make_erniesage_references
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np

from tests.parity.PGL import erniesage_case as case  # it imports zlib, which crashes when paddle came before
from tests.parity.PGL.layer_cases import direction

for absent in (
    *("pip", "aistudio_sdk", "aistudio_sdk.hub", "aistudio_sdk.errors", "datasets", "uvicorn", "fastapi"),
    *("fastapi.responses", "fastapi.middleware", "fastapi.middleware.cors", "starlette", "starlette.responses"),
):
    stub = MagicMock(__spec__=ModuleSpec(absent, None), __version__="0")  # what paddlenlp imports is not used here
    sys.modules.setdefault(absent, stub)


def answers(version: int) -> dict[str, np.ndarray]:
    """Return the output and some gradients of a version."""
    import paddle
    import pgl
    from paddle import nn
    from paddle.nn import functional
    from paddlenlp.transformers import ErnieConfig, ErnieModel

    ernie = ErnieModel(ErnieConfig(**case.ERNIE))
    sizes = [case.ERNIE["hidden_size"]] + [case.HIDDEN] * (case.LAYERS - 1)
    pairs = [(nn.Linear(size, case.HIDDEN), nn.Linear(size, case.HIDDEN)) for size in sizes]
    final = nn.Linear(case.HIDDEN, case.HIDDEN)
    owned = {f"ernie.{name}": one for name, one in ernie.named_parameters()}
    for number, both in enumerate(pairs):
        for kind, layer in zip(("self_linear", "neigh_linear"), both):
            owned.update({f"encoder.convs.{number}.{kind}.{name}": one for name, one in layer.named_parameters()})
    owned.update({f"encoder.linear.{name}": one for name, one in final.named_parameters()})
    for name, parameter in owned.items():
        parameter.set_value(case.value(name, tuple(parameter.shape)))
    ernie.eval()
    graph = pgl.Graph(edges=case.EDGES, num_nodes=case.NODES).tensor()
    texts = paddle.to_tensor(case.term_ids())

    def read(ids: Any, sentences: Any = None, positions: Any = None) -> Any:
        return ernie(ids, sentences, positions)[1]

    def whole(ids: Any) -> Any:
        return paddle.concat([paddle.full([ids.shape[0], 1], case.CLS, "int64"), ids], axis=1)

    def along_edges(source: Any, target: Any, _: Any) -> dict[str, Any]:
        first, second = whole(source["ids"]), target["ids"]
        both = paddle.concat([first, second], axis=1)
        kinds = paddle.concat([paddle.zeros_like(first), paddle.ones_like(second)], axis=1)
        places = paddle.cumsum(paddle.cast(both > 0, "int64"), axis=1) - 1
        return {"message": read(both, kinds, places)}

    own, arrived = read(whole(texts)), None
    for number, (self_linear, neigh_linear) in enumerate(pairs):
        if number == 0 and version == 2:
            message = graph.send(along_edges, node_feat={"ids": texts})
        else:
            message = graph.send(lambda source, target, edge: {"message": source["h"]}, src_feat={"h": own})
        arrived = graph.recv(lambda m: m.reduce_sum(m["message"]), message)
        own = self_linear(own) + neigh_linear(arrived)
        own = functional.leaky_relu(own) if number < case.LAYERS - 1 else own
        own = functional.normalize(own, axis=1)
    output = functional.normalize(final(own), axis=1)
    (output * paddle.to_tensor(direction(tuple(output.shape)))).sum().backward()
    gradients = {f"gradient {name}": owned[name].grad.numpy() for name in case.DIFFERENTIATED}
    return {"names": np.array(list(owned), "S"), "output": output.numpy(), **gradients}


def main() -> None:
    """Write the answers of both versions."""
    for version in (1, 2):
        found = answers(version)
        np.savez_compressed(Path(__file__).with_name("references") / f"ErnieSageV{version}.npz", **found)
        print(version, found["output"].shape, len(found["names"]))


if __name__ == "__main__":
    main()
