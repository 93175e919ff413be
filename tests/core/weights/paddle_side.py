"""Paddle's side of the exchange of optimizer states, run by a Python that has paddlepaddle 2.6.2.

``PYTHONPATH=. python tests/core/weights/paddle_side.py write FOLDER`` stores Paddle's states, and where they lead;
``... read FOLDER`` loads the states ``NAME.pdparams`` and ``NAME.pdopt`` that core wrote there, continues from them and
stores the result in ``continued.npz``.
"""

from __future__ import annotations

import contextlib
import sys
import zlib  # noqa: F401, I001 - Paddle 2.6 crashes where zlib is imported after it
from pathlib import Path

import numpy as np
import paddle

from tests.core.weights.optimizer_cases import CASES, GRADIENTS, STEPS_BEFORE, VALUES, make, train


def parameters(values):
    """Return parameters with given values; Paddle expects each name once in a process."""
    made = []
    for name, value in values.items():
        made.append(paddle.create_parameter(value.shape, "float32"))
        made[-1].name = name
        made[-1].set_value(value)
    return made


@contextlib.contextmanager
def numbered_from(number):
    """Let Paddle count the accumulators of one parameter from a number on."""
    with paddle.utils.unique_name.guard():
        for _ in range(number):
            for parameter in VALUES:
                for kind in ("moment1", "moment2", "beta1_pow_acc", "beta2_pow_acc"):
                    paddle.utils.unique_name.generate(f"{parameter}_{kind}")
        yield


def write(folder):
    """Train each case, save it, train on."""
    results = {}
    for name in CASES:
        owned = parameters(VALUES)
        with numbered_from(1 if name == "lamb" else 0):  # the second one of a process has other names
            schedule, optimizer = make(name, paddle.optimizer, owned)
            train(schedule, optimizer, owned, GRADIENTS[:STEPS_BEFORE], paddle.to_tensor)
        paddle.save({parameter.name: parameter for parameter in owned}, str(folder / f"{name}.pdparams"))
        paddle.save(optimizer.state_dict(), str(folder / f"{name}.pdopt"))
        train(schedule, optimizer, owned, GRADIENTS[STEPS_BEFORE:], paddle.to_tensor)
        results.update({f"{name}/{parameter.name}": parameter.numpy() for parameter in owned})
    half = paddle.nn.Linear(3, 2, weight_attr=paddle.ParamAttr(name="half.w_0"), bias_attr=False)
    half.weight.set_value(VALUES["fc.w_0"])
    half.to(dtype="float16")
    optimizer = paddle.optimizer.AdamW(paddle.optimizer.lr.StepDecay(0.1, 2), parameters=half.parameters())
    optimizer._multi_precision = True
    optimizer._create_master_weight(half.weight)  # a step with float16 needs a GPU
    paddle.save(optimizer.state_dict(), str(folder / "master.pdopt"))
    np.savez(folder / "continued.npz", **results)


def read(folder):
    """Continue from core's states."""
    results = {}
    for name in CASES:
        loaded = paddle.load(str(folder / f"{name}.pdparams"))
        owned = parameters({key: np.asarray(value) for key, value in loaded.items()})
        schedule, optimizer = make(name, paddle.optimizer, owned)
        optimizer.set_state_dict(paddle.load(str(folder / f"{name}.pdopt")))
        results[f"{name}/rate"] = optimizer.get_lr()
        with numbered_from(0):
            train(schedule, optimizer, owned, GRADIENTS[STEPS_BEFORE:], paddle.to_tensor)
        results.update({f"{name}/{parameter.name}": parameter.numpy() for parameter in owned})
    state = paddle.load(str(folder / "master.pdopt"))
    owned = parameters({"half.w_0": VALUES["fc.w_0"]})
    optimizer = paddle.optimizer.AdamW(paddle.optimizer.lr.StepDecay(0.1, 2), parameters=owned, multi_precision=True)
    optimizer.set_state_dict(state)
    results["master"] = optimizer._master_weights["half.w_0"].numpy()
    results["master moment"] = state["half.w_0_fp32_master_0_moment1_0"].numpy()
    nested = paddle.load(str(folder / "nested.pd"))
    results["sliced"] = np.asarray(paddle.load(str(folder / "sliced.pdparams"))["w"])
    results["nested"] = nested["net"]["w"].numpy()
    results["half"] = nested["half"].astype("float32").numpy()
    results["scalar"] = nested["list"][0].numpy()
    np.savez(folder / "continued.npz", **results)


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](Path(sys.argv[2]))
