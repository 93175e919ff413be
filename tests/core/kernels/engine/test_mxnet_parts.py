"""The engine imports few parts of mxnet; a program that imports mxnet itself has all of it, before or after."""

import os
import subprocess
import sys

import pytest

ENGINE = """
import sys
import core
x = core.ones([2, 3])
x.stop_gradient = False
core.jit.to_static(lambda value: (value + 1).square().sum())(x).backward()
assert x.grad.tolist() == [[4.0] * 3] * 2
assert core.nn.functional.pad(core.ones([1, 1, 2, 2]), [1, 1, 1, 1]).sum().item() == 4  # an operator of the older kind
assert not [name for name in sys.modules if name.split(".")[0] == "mxnet"], "parts that a program could import"
"""
MXNET = """
import numpy as np
np.bool = bool  # mxnet reads the alias that numpy 1.24 removed
import warnings
warnings.simplefilter("ignore")
import mxnet as mx
assert mx.nd.Convolution and mx.gluon.nn.Dense
data = mx.nd.ones((2, 3))
data += 1
assert data.sum().asscalar() == 12
with mx.autograd.record():
    data.attach_grad()
    loss = (data * data).sum()
loss.backward()
assert data.grad.asnumpy().tolist() == [[4.0] * 3] * 2
"""
BOTH = """
assert core.to_tensor(data.asnumpy()).tolist() == [[2.0] * 3] * 2
"""


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(ENGINE + MXNET + BOTH, id="mxnet later"),
        pytest.param(
            MXNET + ENGINE.replace("assert not", "assert") + BOTH, id="mxnet first", marks=pytest.mark.exhaustive
        ),
    ],
)
def test_engine_beside_mxnet(program: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "MXNET_ENGINE_TYPE"}  # core sets it
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
