"""A small DCGAN: transposed convolutions draw squares on a dark ground, a discriminator judges them."""

import numpy as np
import paddle
from paddle import nn

rng = np.random.RandomState(8)


def draw_squares(count):
    """Return images of 16 x 16 pixels from -1 to 1: one bright square each."""
    images = np.full((count, 1, 16, 16), -0.9, "float32")
    for image in images:
        size, (top, left) = rng.randint(6, 9), rng.randint(2, 8, 2)
        image[0, top : top + size, left : left + size] = 0.9
    return images


class Generator(nn.Layer):
    def __init__(self, noise=16, width=16):
        super().__init__()
        self.gen = nn.Sequential(
            nn.Conv2DTranspose(noise, width * 2, 4, 1, 0, bias_attr=False),
            nn.BatchNorm2D(width * 2),
            nn.ReLU(),
            nn.Conv2DTranspose(width * 2, width, 4, 2, 1, bias_attr=False),
            nn.BatchNorm2D(width),
            nn.ReLU(),
            nn.Conv2DTranspose(width, 1, 4, 2, 1, bias_attr=False),
            nn.Tanh(),
        )

    def forward(self, x):
        return self.gen(x)


class Discriminator(nn.Layer):
    def __init__(self, width=16):
        super().__init__()
        self.dis = nn.Sequential(
            nn.Conv2D(1, width, 4, 2, 1, bias_attr=False),
            nn.LeakyReLU(0.2),
            nn.Conv2D(width, width * 2, 4, 2, 1, bias_attr=False),
            nn.BatchNorm2D(width * 2),
            nn.LeakyReLU(0.2),
            nn.Conv2D(width * 2, 1, 4, 1, 0, bias_attr=False),
        )

    def forward(self, x):
        return self.dis(x)


def init_weights(layer):
    if isinstance(layer, (nn.Conv2D, nn.Conv2DTranspose)):
        layer.weight.set_value(rng.normal(0, 0.08, layer.weight.shape).astype("float32"))


generator, discriminator = Generator(), Discriminator()
generator.apply(init_weights)
discriminator.apply(init_weights)
loss = nn.BCEWithLogitsLoss()
adam_g = paddle.optimizer.Adam(0.002, beta1=0.5, beta2=0.999, parameters=generator.parameters())
adam_d = paddle.optimizer.Adam(0.002, beta1=0.5, beta2=0.999, parameters=discriminator.parameters())

real_images = draw_squares(256)
fixed_noise = paddle.to_tensor(rng.normal(size=(32, 16, 1, 1)).astype("float32"))
history = []
for step in range(120):
    images = paddle.to_tensor(real_images[32 * (step % 8) : 32 * (step % 8) + 32])
    noise = paddle.to_tensor(rng.normal(size=(32, 16, 1, 1)).astype("float32"))

    adam_d.clear_grad()
    on_real = discriminator(images)
    loss_real = loss(on_real, paddle.full_like(on_real, 0.9))
    fake = generator(noise)
    on_fake = discriminator(fake.detach())
    loss_fake = loss(on_fake, paddle.zeros_like(on_fake))
    (loss_real + loss_fake).backward()
    adam_d.step()

    adam_g.clear_grad()
    judged = discriminator(fake)
    loss_g = loss(judged, paddle.ones_like(judged))
    loss_g.backward()
    adam_g.step()
    history.append((float(loss_real + loss_fake), float(loss_g)))

print("discriminator:", *[f"{history[i][0]:.4f}" for i in (0, 1, 4)])
print("generator:", *[f"{history[i][1]:.4f}" for i in (0, 1, 4)])

generator.eval()
with paddle.no_grad():
    drawn = generator(fixed_noise).numpy()[:, 0]
print("images:", *drawn.shape, bool(np.abs(drawn).max() <= 1))
# what was learned: a dark frame, a bright middle
frame = np.concatenate([drawn[:, :2].ravel(), drawn[:, -2:].ravel(), drawn[:, :, :2].ravel(), drawn[:, :, -2:].ravel()])
print("frame is dark:", bool(frame.mean() < -0.6), "middle is brighter:", bool(drawn[:, 6:10, 6:10].mean() > 0.0))
print("both compete:", bool(0.2 < np.mean([d for d, _ in history[-20:]]) < 2.0))
