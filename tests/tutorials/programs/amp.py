"""Automatic mixed precision: auto_cast, GradScaler, decorate, against float32."""

import numpy as np
import paddle
from paddle import nn

rng = np.random.RandomState(9)
points = rng.normal(size=(256, 16)).astype("float32")
labels = (np.sin(points[:, :4] * 1.5).sum(axis=1) > 0).astype("int64")


class Network(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.norm, self.head = (
            nn.Linear(16, 64), nn.Linear(64, 64), nn.LayerNorm(64), nn.Linear(64, 2)
        )

    def forward(self, x):
        x = nn.functional.relu(self.first(x))
        x = self.norm(x + nn.functional.relu(self.second(x)))
        return self.head(x)


def new_network():
    network = Network()
    draws = np.random.RandomState(1)
    for parameter in network.parameters():
        if parameter.ndim > 1:
            parameter.set_value(draws.normal(0, 0.15, parameter.shape).astype("float32"))
    return network


def train(level=None, steps=60, **scaling):
    network = new_network()
    optimizer = paddle.optimizer.AdamW(0.005, parameters=network.parameters())
    if level == "O2":
        network, optimizer = paddle.amp.decorate(network, optimizer, level="O2", dtype="bfloat16")
    scaler = paddle.amp.GradScaler(enable=bool(scaling), **scaling)
    losses = []
    for step in range(steps):
        part = slice(64 * (step % 4), 64 * (step % 4) + 64)
        x, y = paddle.to_tensor(points[part]), paddle.to_tensor(labels[part])
        with paddle.amp.auto_cast(enable=level is not None, level=level or "O1", dtype="bfloat16"):
            logits = network(x)
            loss = nn.functional.cross_entropy(logits.astype("float32"), y)
        scaled = scaler.scale(loss)
        scaled.backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        losses.append(float(loss))
    network.eval()
    with paddle.no_grad(), paddle.amp.auto_cast(enable=level is not None, level=level or "O1", dtype="bfloat16"):
        predicted = network(paddle.to_tensor(points)).astype("float32").argmax(axis=1)
    return network, losses, float((predicted.numpy() == labels).mean())


plain, losses, accuracy = train()
print("float32:", *[f"{losses[i]:.4f}" for i in (0, 1, 5, 20)], accuracy > 0.9)
for level in ("O1", "O2"):
    network, mixed, accuracy = train(level)
    close = np.abs(np.array(mixed[:20]) - np.array(losses[:20])).max() < 0.05
    print(level, bool(close), accuracy > 0.9)

# what is computed in which type
network = new_network()
with paddle.amp.auto_cast(dtype="bfloat16"):
    product = paddle.matmul(paddle.ones([4, 16]), network.first.weight)
    print("types:", *[str(t.dtype).split(".")[-1] for t in (product, network.first.weight, product.astype("float32"))])
with paddle.amp.auto_cast(dtype="bfloat16", custom_black_list={"matmul_v2", "matmul"}):
    print("black list:", str(paddle.matmul(paddle.ones([4, 16]), network.first.weight).dtype).split(".")[-1])
with paddle.amp.auto_cast(enable=False):
    print("disabled:", str(paddle.matmul(paddle.ones([4, 16]), network.first.weight).dtype).split(".")[-1])

# scaled losses move the weights as plain ones do
network, scaled, accuracy = train("O1", steps=10, init_loss_scaling=1024.0, incr_every_n_steps=4)
print("scaled:", bool(np.abs(np.array(scaled) - np.array(losses[:10])).max() < 0.05))
