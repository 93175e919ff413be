"""Gradients of gradients: derivatives of sin, a gradient penalty, a Hessian, a differential equation."""

import numpy as np
import paddle
from paddle import nn

# derivatives of sin, of the first to the third order
x = paddle.to_tensor(np.linspace(-1.5, 1.5, 5).astype("float32"), stop_gradient=False)
y = paddle.sin(x)
derivatives = []
for order in range(3):
    (y,) = paddle.grad(y.sum(), x, create_graph=order < 2)
    derivatives.append(y)
for name, derivative, exact in zip(
    ("cos", "-sin", "-cos"), derivatives, (np.cos, lambda v: -np.sin(v), lambda v: -np.cos(v))
):
    print(name, bool(np.allclose(derivative.numpy(), exact(x.numpy()), atol=1e-6)))

# a gradient penalty: the norm of a critic's gradient at its inputs, differentiated with respect to its weights
rng = np.random.RandomState(5)
critic = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
for parameter in critic.parameters():
    parameter.set_value(rng.normal(0, 0.5, parameter.shape).astype("float32"))
points = paddle.to_tensor(rng.normal(size=(6, 3)).astype("float32"), stop_gradient=False)
(slopes,) = paddle.grad(outputs=critic(points).sum(), inputs=points, create_graph=True, retain_graph=True)
penalty = ((slopes.norm(p=2, axis=1) - 1) ** 2).mean()
penalty.backward()
print("penalty:", f"{float(penalty):.6f}")
sums = [None if p.grad is None else float(p.grad.abs().sum()) for p in critic.parameters()]
print("its gradients:", *["none" if value is None else f"{value:.5f}" for value in sums])

# checked against a difference quotient in one weight
def penalty_at(value):
    weight = critic[0].weight.numpy()
    weight[1, 2] = value
    critic[0].weight.set_value(weight)
    (slope,) = paddle.grad(critic(points).sum(), points, create_graph=False)
    return float(((slope.norm(p=2, axis=1) - 1) ** 2).mean())


exact, start = float(critic[0].weight.grad[1, 2]), float(critic[0].weight[1, 2])
quotient = (penalty_at(start + 1e-2) - penalty_at(start - 1e-2)) / 2e-2
penalty_at(start)
print("difference quotient agrees:", abs(quotient - exact) < 1e-3 * max(1.0, abs(exact)))

# gradients with weights, and inputs that are not used
a = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
b = paddle.to_tensor([3.0, 4.0], stop_gradient=False)
product = a * a * b
other = paddle.to_tensor([1.0], stop_gradient=False)
da, unused = paddle.grad(product, [a, other], grad_outputs=paddle.to_tensor([1.0, 10.0]), allow_unused=True)
print("weighted:", *da.numpy().tolist(), unused is None)


# the Hessian of a function, and products with it
def energy(v):
    return (v**3).sum() + v[0] * v[1] * 2


v = paddle.to_tensor([1.0, 2.0, -1.0], stop_gradient=False)
hessian = paddle.autograd.hessian(energy(v), v)
print("hessian:", *np.asarray(hessian[:].numpy()).reshape(-1).tolist())
jacobian = paddle.autograd.jacobian(v**2, v)
print("jacobian:", *np.asarray(jacobian[:].numpy()).reshape(-1).tolist())
_, product = paddle.incubate.autograd.vjp(energy, v, paddle.to_tensor(1.0))
print("vjp:", *product.numpy().tolist())

# u'' = -u with u(0) = 0, u'(0) = 1, by a network that is trained on the equation alone
network = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
for parameter in network.parameters():
    parameter.set_value(rng.normal(0, 0.7, parameter.shape).astype("float32"))
optimizer = paddle.optimizer.Adam(0.02, parameters=network.parameters())
times = paddle.to_tensor(np.linspace(0, 1.5, 16).astype("float32")[:, None], stop_gradient=False)
losses = []
for step in range(250):
    u = times + times**2 * network(times)  # the conditions at 0 hold by construction
    (du,) = paddle.grad(u.sum(), times, create_graph=True)
    (ddu,) = paddle.grad(du.sum(), times, create_graph=True)
    loss = ((ddu + u) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    times.clear_grad()
    losses.append(float(loss))
print("equation:", f"{losses[0]:.5f}", f"{losses[9]:.4f}")
error = np.abs(u.numpy() - np.sin(times.numpy())).max()
print("solved:", losses[-1] < 1e-3, error < 0.01)
