"""Operators with a backward of one's own: PyLayer, in expressions, in a network, and against the built-in ones."""

import numpy as np
import paddle
from paddle import nn
from paddle.autograd import PyLayer

rng = np.random.RandomState(6)


class Tanh(PyLayer):
    @staticmethod
    def forward(ctx, x, scale=1.0):
        y = paddle.tanh(x) * scale
        ctx.save_for_backward(y)
        ctx.scale = scale
        return y

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensor()
        return dy * (ctx.scale - y * y / ctx.scale)


class Sign(PyLayer):
    """The sign, with the gradient of a clipped identity: a straight-through estimate."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return paddle.sign(x)

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensor()
        return dy * (x.abs() <= 1).astype(dy.dtype)


class SumAndProduct(PyLayer):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a + b, a * b

    @staticmethod
    def backward(ctx, d_sum, d_product):
        a, b = ctx.saved_tensor()
        return d_sum + d_product * b, d_sum + d_product * a


x = paddle.to_tensor(rng.normal(size=(3, 4)).astype("float32"), stop_gradient=False)
own = Tanh.apply(x, scale=2.0)
own.sum().backward()
gradient = x.grad.numpy()
x.clear_grad()
(2 * paddle.tanh(x)).sum().backward()
print("tanh:", bool(np.allclose(gradient, x.grad.numpy(), atol=1e-6)), f"{gradient.sum():.5f}")

a = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
b = paddle.to_tensor([3.0, -1.0], stop_gradient=False)
total, product = SumAndProduct.apply(a, b)
(total * 2 + product * product).sum().backward()
print("two results:", *a.grad.numpy().tolist(), *b.grad.numpy().tolist())


class BinaryLayer(nn.Layer):
    """A linear layer with weights of -1 and 1, trained through the sign."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = self.create_parameter([inputs, outputs])
        self.weight.set_value(rng.uniform(-0.5, 0.5, [inputs, outputs]).astype("float32"))

    def forward(self, x):
        return paddle.matmul(x, Sign.apply(self.weight))


network = nn.Sequential(BinaryLayer(8, 32), nn.Tanh(), BinaryLayer(32, 1))
truth = np.where(rng.rand(8, 1) > 0.5, 1, -1).astype("float32")
points = rng.normal(size=(128, 8)).astype("float32")
targets = np.tanh(points @ truth) * 8
optimizer = paddle.optimizer.SGD(0.002, parameters=network.parameters())
losses = []
for step in range(120):
    loss = nn.functional.mse_loss(network(paddle.to_tensor(points)), paddle.to_tensor(targets))
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    losses.append(float(loss))
values = np.unique(np.sign(network[0].weight.numpy()))
print("binary:", *[f"{losses[i]:.3f}" for i in (0, 1)], losses[-1] < 0.7 * losses[0], *values)

# hooks see and change gradients
w = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
seen = []
handle = w.register_hook(lambda grad: seen.append(grad.numpy().tolist()) or grad * 2)
(w * w).sum().backward()
handle.remove()
print("hook:", seen, *w.grad.numpy().tolist())
