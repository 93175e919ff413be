"""Writes crf.npz: losses, gradients and best paths of paddlenlp 2.8.1's linear chains, for test_crf.py.

Run in an environment with paddlepaddle 2.6.2 and paddlenlp 2.8.1, from the repository's root:
``python tests/core/text/make_crf_references.py``.
"""

from __future__ import annotations

import sys
import types
import zlib  # noqa: F401  # must be loaded before paddle
from importlib import util
from pathlib import Path

import numpy as np
import paddle

LABELS, LENGTHS = 4, [5, 2, 4, 1]


def official_module() -> types.ModuleType:
    """Return paddlenlp.layers.crf without the rest of paddlenlp, of which it needs the logger and a mask."""
    folder = Path(util.find_spec("paddlenlp").submodule_search_locations[0])
    for name in ("paddlenlp", "paddlenlp.layers", "paddlenlp.utils", "paddlenlp.utils.log"):
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [str(folder.joinpath(*name.split(".")[1:]))]
    sys.modules["paddlenlp.utils.log"].logger = None
    for name in ("sequence", "crf"):
        spec = util.spec_from_file_location(f"paddlenlp.layers.{name}", folder / "layers" / f"{name}.py")
        module = util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    return module


def main() -> None:
    """Write the file."""
    official, draw, arrays = official_module(), np.random.default_rng(5), {}
    for name, tagged in (("official plain", False), ("official tagged", True)):
        crf = official.LinearChainCrf(LABELS, with_start_stop_tag=tagged)
        transitions = draw.standard_normal(crf.transitions.shape).astype("float32")
        crf.transitions.set_value(transitions)
        inputs = draw.standard_normal((4, 5, crf.num_tags)).astype("float32")
        labels = draw.integers(0, LABELS, (4, 5))
        given = paddle.to_tensor(inputs, stop_gradient=False)
        lengths = paddle.to_tensor(np.array(LENGTHS))
        losses = official.LinearChainCrfLoss(crf)(given, lengths, paddle.to_tensor(labels))
        losses.sum().backward()
        _, paths = official.ViterbiDecoder(crf.transitions, tagged)(given, lengths)
        found = {
            "transitions": transitions,
            "inputs": inputs,
            "lengths": np.array(LENGTHS),
            "labels": labels,
            "losses": losses.numpy(),
            "grad_inputs": given.grad.numpy(),
            "grad_transitions": crf.transitions.grad.numpy(),
            "paths": paths.numpy(),
        }
        arrays.update({f"{name}/{key}": value for key, value in found.items()})
    np.savez_compressed(Path(__file__).parent / "crf.npz", **arrays)


if __name__ == "__main__":
    main()
