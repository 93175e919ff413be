"""From dynamic to static: decorators, control flow on tensors, InputSpec, saving and loading a program."""

import numpy as np
import paddle
from paddle import nn
from paddle.static import InputSpec

rng = np.random.RandomState(2)


@paddle.jit.to_static
def collatz(n):
    """Count the steps until n is 1: a loop and a branch that depend on a tensor."""
    steps = paddle.zeros([1], dtype="int64")
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps = steps + 1
    return steps


print("collatz:", *[int(collatz(paddle.to_tensor([n]))) for n in (1, 6, 7, 27)])


class Gated(nn.Layer):
    """A network whose path depends on its input."""

    def __init__(self):
        super().__init__()
        self.low, self.high, self.head = nn.Linear(4, 8), nn.Linear(4, 8), nn.Linear(8, 2)

    def forward(self, x):
        if x.mean() > 0:
            hidden = self.high(x)
        else:
            hidden = -self.low(x)
        for _ in range(2):
            hidden = nn.functional.relu(hidden) + 0.1 * hidden
        return self.head(hidden)

    @paddle.jit.to_static(input_spec=[InputSpec([None, 4], "float32", "x")])
    def probabilities(self, x):
        return nn.functional.softmax(self.forward(x))


dynamic = Gated()
for parameter in dynamic.parameters():
    parameter.set_value(rng.normal(0, 0.4, parameter.shape).astype("float32"))
static = Gated()
static.set_state_dict(dynamic.state_dict())
static = paddle.jit.to_static(static, input_spec=[InputSpec([None, 4], "float32", "x")])

for sign in (1.0, -1.0):
    x = paddle.to_tensor(sign * (np.abs(rng.normal(size=(3, 4))) + 0.1).astype("float32"))
    same = paddle.allclose(dynamic(x), static(x), atol=1e-6)
    print("path", sign, f"{float(dynamic(x).sum()):.5f}", bool(same))

# the compiled network is trained as the other one is
points = rng.normal(size=(64, 4)).astype("float32")
labels = (points[:, 0] * points[:, 1] > 0).astype("int64")
losses = {}
for name, network in (("dynamic", dynamic), ("static", static)):
    optimizer = paddle.optimizer.SGD(0.5, parameters=network.parameters())
    losses[name] = []
    for step in range(20):
        part = slice(16 * (step % 4), 16 * (step % 4) + 16)
        loss = nn.functional.cross_entropy(network(paddle.to_tensor(points[part])), paddle.to_tensor(labels[part]))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses[name].append(float(loss))
print("losses:", *[f"{losses['dynamic'][i]:.4f}" for i in (0, 4, 19)])
print("static agrees:", bool(np.allclose(losses["dynamic"], losses["static"], atol=1e-4)))
total = dynamic.probabilities(paddle.to_tensor(points[:5])).sum(axis=1)
print("method:", bool(paddle.allclose(total, paddle.ones([5]))))

static.eval()
paddle.jit.save(static, "gated/net")
loaded = paddle.jit.load("gated/net")
loaded.eval()
for size in (1, 7):
    x = paddle.to_tensor(points[:size])
    print("loaded:", *loaded(x).shape, bool(paddle.allclose(loaded(x), static(x), atol=1e-5)))


class Block(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv, self.bn = nn.Conv2D(3, 4, 3, padding=1), nn.BatchNorm2D(4)

    def forward(self, image, scale):
        return {"maps": nn.functional.relu(self.bn(self.conv(image))) * scale, "scale": scale + 1}


block = Block()
block.eval()
specs = [InputSpec([None, 3, 8, 8], "float32", name="image"), InputSpec([1], "float32", name="scale")]
paddle.jit.save(paddle.jit.to_static(block, input_spec=specs), "block/net")
loaded = paddle.jit.load("block/net")
image, scale = paddle.ones([2, 3, 8, 8]), paddle.to_tensor([2.0])
expected, got = block(image, scale), loaded(image, scale)
got = got if isinstance(got, dict) else dict(zip(("maps", "scale"), got))
print("block:", bool(paddle.allclose(expected["maps"], got["maps"], atol=1e-5)), float(got["scale"]))
paddle.jit.enable_to_static(False)
print("switched off:", int(collatz(paddle.to_tensor([6]))))
paddle.jit.enable_to_static(True)
