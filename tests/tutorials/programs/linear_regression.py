"""Linear regression: a price from two features, by gradient descent, and the closed form beside it."""

import numpy as np
import paddle
from paddle import nn

rng = np.random.RandomState(7)
features = rng.uniform(-1, 1, size=(400, 2)).astype("float32")
prices = features @ np.array([[2.0], [-3.4]], "float32") + 4.2 + rng.normal(0, 0.01, (400, 1)).astype("float32")

dataset = paddle.io.TensorDataset([paddle.to_tensor(features), paddle.to_tensor(prices)])
loader = paddle.io.DataLoader(dataset, batch_size=50, shuffle=False, drop_last=True)


class LinearRegression(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(
            2,
            1,
            weight_attr=paddle.ParamAttr(initializer=nn.initializer.Constant(0.5)),
            bias_attr=paddle.ParamAttr(initializer=nn.initializer.Constant(0.0)),
        )

    def forward(self, x):
        return self.fc(x)


model = LinearRegression()
scheduler = paddle.optimizer.lr.StepDecay(learning_rate=0.3, step_size=10, gamma=0.5)
optimizer = paddle.optimizer.Momentum(learning_rate=scheduler, momentum=0.5, parameters=model.parameters())
mse = nn.MSELoss()

model.train()
first_loss = None
for epoch in range(30):
    for x, y in loader():
        loss = mse(model(x), y)
        if first_loss is None:
            first_loss = loss.item()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    scheduler.step()

model.eval()
with paddle.no_grad():
    final_loss = float(mse(model(paddle.to_tensor(features)), paddle.to_tensor(prices)))

# the solution of the least squares problem, with paddle.linalg
design = paddle.concat([paddle.to_tensor(features), paddle.ones([400, 1])], axis=1)
solution = paddle.linalg.lstsq(design, paddle.to_tensor(prices), driver="gelsd")[0]
normal = paddle.linalg.solve(design.T @ design, design.T @ paddle.to_tensor(prices))

paddle.save(model.state_dict(), "linear.pdparams")
paddle.save(optimizer.state_dict(), "linear.pdopt")
restored = LinearRegression()
restored.set_state_dict(paddle.load("linear.pdparams"))
same = bool((restored(paddle.ones([1, 2])) == model(paddle.ones([1, 2]))).all())

weight, bias = model.fc.weight.numpy(), model.fc.bias.numpy()
print("first loss:", f"{first_loss:.6f}")
print("final loss:", f"{final_loss:.8f}")
print("trained:", *[f"{v:.5f}" for v in [*weight[:, 0], *bias]])
print("least squares:", *[f"{v:.5f}" for v in solution.numpy()[:, 0]])
print("normal equations:", *[f"{v:.5f}" for v in normal.numpy()[:, 0]])
print("learning rate:", f"{optimizer.get_lr():.6f}")
print("restored:", same)
