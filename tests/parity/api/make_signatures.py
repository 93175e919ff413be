"""Writes signatures.tsv: the kind and signature of every public name of Paddle 2.6. Runs where Paddle is installed."""

from __future__ import annotations

import importlib
import inspect
import zlib  # noqa: F401 - Paddle's own libraries want it loaded first
from pathlib import Path
from typing import Any

import paddle
from signatures import kind_of, method_names, signature_text

MODULES = """
    paddle paddle.amp paddle.autograd paddle.audio paddle.callbacks paddle.device paddle.device.cuda
    paddle.distributed paddle.distributed.fleet paddle.distribution paddle.fft paddle.geometric paddle.hub
    paddle.incubate paddle.inference paddle.io paddle.jit paddle.linalg paddle.metric paddle.nn
    paddle.nn.functional paddle.nn.initializer paddle.nn.utils paddle.onnx paddle.optimizer paddle.optimizer.lr
    paddle.profiler paddle.quantization paddle.regularizer paddle.signal paddle.sparse paddle.static
    paddle.static.nn paddle.sysconfig paddle.text paddle.utils paddle.utils.download paddle.utils.unique_name
    paddle.version paddle.vision paddle.vision.datasets paddle.vision.models paddle.vision.ops
    paddle.vision.transforms
""".split()
# of these only the names are kept, not the methods of their classes
NAMES_ONLY = {
    "paddle.audio", "paddle.distributed.fleet", "paddle.inference", "paddle.quantization", "paddle.sparse",
    "paddle.static",
}  # fmt: skip


def main() -> None:
    rows: dict[str, tuple[str, str]] = {}
    classes: dict[str, type] = {"paddle.Tensor": paddle.Tensor}
    for path in MODULES:
        module = importlib.import_module(path)
        for name in module.__all__:
            value: Any = getattr(module, name)
            rows[f"{path}.{name}"] = (kind_of(value), signature_text(value) if callable(value) else "")
            if inspect.isclass(value) and path not in NAMES_ONLY:
                classes.setdefault(f"{path}.{name}", value)
    for path, owner in classes.items():
        for name in method_names(owner, set(classes.values()) - {owner}):
            value = inspect.getattr_static(owner, name)
            value = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
            rows[f"{path}.{name}"] = (kind_of(value), signature_text(value) if callable(value) else "")
    lines = ["# written by make_signatures.py with paddlepaddle " + paddle.__version__, "name\tkind\tsignature"]
    lines += ["\t".join([name, *row]) for name, row in sorted(rows.items())]
    Path(__file__).with_name("signatures.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
