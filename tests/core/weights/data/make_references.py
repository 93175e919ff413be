"""Write the files of Paddle that ``test_save_load.py`` reads.

Run it from the repository root with a Python that has paddlepaddle 2.6.2:
``PYTHONPATH=. python tests/core/weights/data/make_references.py``
"""

from __future__ import annotations

import zlib  # noqa: F401, I001 - Paddle 2.6 crashes where zlib is imported after it
from pathlib import Path

import numpy as np
import paddle

FOLDER = Path(__file__).parent


def main():
    """Train a tiny net for one step and save it in every form."""
    weight = paddle.nn.initializer.Assign(np.arange(6, dtype=np.float32).reshape(3, 2))
    net = paddle.nn.Linear(3, 2, weight_attr=paddle.ParamAttr(initializer=weight))
    schedule = paddle.optimizer.lr.LinearWarmup(paddle.optimizer.lr.StepDecay(0.1, 2), 2, 0.1, 0.2)
    optimizer = paddle.optimizer.Adam(schedule, parameters=net.parameters())
    net(paddle.ones([2, 3])).sum().backward()
    optimizer.step()
    schedule.step()
    for protocol in (2, 4):
        paddle.save(net.state_dict(), str(FOLDER / f"linear_protocol{protocol}.pdparams"), protocol=protocol)
    paddle.save(optimizer.state_dict(), str(FOLDER / "adam.pdopt"))
    half = paddle.to_tensor([1.5, -2.0]).astype("bfloat16")
    values = {"list": [paddle.to_tensor(1.5), 2], "array": np.arange(3), "half": half}
    nested = {"epoch": 1, "net": net.state_dict(), **values}
    paddle.save(nested, str(FOLDER / "nested.pd"))
    paddle.enable_static()
    data = paddle.static.data("data", [2, 3])
    paddle.static.nn.fc(data, 2, weight_attr=paddle.ParamAttr(initializer=weight))
    paddle.static.Executor().run(paddle.static.default_startup_program())
    program = paddle.static.default_main_program()
    paddle.save({"inner": {"state": program.state_dict()}, "list": [1]}, str(FOLDER / "static.pd"))


if __name__ == "__main__":
    main()
