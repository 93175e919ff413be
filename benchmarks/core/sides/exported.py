"""The steps of the benchmarks on exported programs: each function is called in a process of its own."""

from __future__ import annotations

import statistics
import tempfile
import time
from typing import Any, Callable

IMAGE = {"LeNet": (1, 28, 28)}


def exported(model: str, folder: str) -> tuple[int, ...]:
    """Export a model with fresh weights for any batch, and return an image's shape."""
    import numpy as np

    import core
    import PaddleClas
    from core.static import InputSpec

    generator = np.random.default_rng(0)
    network = PaddleClas.create_model(model)
    for name, buffer in network.state_dict().items():
        if name.endswith("_variance"):
            buffer.set_value(generator.random(buffer.shape).astype("float32") + 0.5)
    shape = IMAGE.get(model, (3, 224, 224))
    core.jit.save(network, folder, [InputSpec([None, *shape], name="image")])
    return shape


def repeated(model: str, batch: int) -> dict[str, Callable[[], Any]]:
    """Return one call of a Predictor, fused and unfused."""
    import numpy as np

    import core

    folder = tempfile.mkdtemp() + "/model"
    shape = exported(model, folder)
    images = np.random.default_rng(1).standard_normal((batch, *shape)).astype("float32")
    sizes = [[images.shape]]
    fused = core.jit.Predictor(folder, warm_up=sizes)
    unfused = core.jit.Predictor(folder, warm_up=sizes, fuse=False)
    return {"fused": lambda: fused.run(images), "unfused": lambda: unfused.run(images)}


def first_calls(model: str, batch: int) -> dict[str, Callable[[], Any]]:
    """Return a step that loads the folder again and gives seconds: load, first call, warm, and of an open size."""
    import numpy as np

    import core

    folder = tempfile.mkdtemp() + "/model"
    shape = exported(model, folder)
    images = np.random.default_rng(1).standard_normal((batch, *shape)).astype("float32")

    def seconds(call: Callable[[], Any]) -> float:
        began = time.perf_counter()
        call()
        return time.perf_counter() - began

    def measured() -> tuple[float, ...]:
        began = time.perf_counter()
        warm = core.jit.Predictor(folder, warm_up=[[images.shape]])
        load = time.perf_counter() - began
        first = seconds(lambda: warm.run(images))
        usual = statistics.median(seconds(lambda: warm.run(images)) for _ in range(7))
        other = core.jit.Predictor(folder)  # ready for one image only
        return load, first, usual, seconds(lambda: other.run(images))

    return {"measured": measured}
