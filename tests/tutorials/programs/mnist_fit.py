"""Digits with paddle.Model: fit with callbacks, evaluate, predict, save and load, export."""

import gzip
import os
import struct

import numpy as np
import paddle
from paddle import nn
from paddle.metric import Accuracy
from paddle.vision.datasets import MNIST
from paddle.vision.transforms import Compose, Normalize, ToTensor

GLYPHS = [
    "111101101101111", "010110010010111", "111001111100111", "111001111001111", "101101111001001",
    "111100111001111", "111100111101111", "111001001001001", "111101111101111", "111101111001111",
]  # 3 x 5 cells each


def draw_digits(count, seed):
    """Draw digits as grey images of 28 x 28 pixels: moved, of several sizes and strengths, with noise."""
    rng = np.random.RandomState(seed)
    images, labels = np.zeros((count, 28, 28), np.uint8), rng.randint(0, 10, count).astype(np.uint8)
    for image, label in zip(images, labels):
        cells = np.array([int(c) for c in GLYPHS[label]], np.float32).reshape(5, 3)
        drawn = np.kron(cells, np.ones((4, rng.randint(3, 5))))
        top, left = rng.randint(3, 6), rng.randint(6, 10)
        canvas = rng.uniform(0, 40, (28, 28))
        canvas[top : top + drawn.shape[0], left : left + drawn.shape[1]] += drawn * rng.uniform(120, 210)
        image[...] = canvas
    return images, labels


def write_mnist(prefix, images, labels):
    with gzip.open(prefix + "-images-idx3-ubyte.gz", "wb", 1) as file:
        file.write(struct.pack(">IIII", 2051, len(images), 28, 28) + images.tobytes())
    with gzip.open(prefix + "-labels-idx1-ubyte.gz", "wb", 1) as file:
        file.write(struct.pack(">II", 2049, len(labels)) + labels.tobytes())


class LeNet(nn.Layer):
    def __init__(self, num_classes=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, stride=1, padding=1),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5),
            nn.BatchNorm2D(16),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
        )
        self.fc = nn.Sequential(nn.Linear(400, 64), nn.ReLU(), nn.Linear(64, num_classes))

    def forward(self, x):
        x = paddle.flatten(self.features(x), 1)
        return self.fc(x)


class LossHistory(paddle.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.losses = []
        self.epochs = 0

    def on_train_batch_end(self, step, logs=None):
        self.losses.append(float(np.asarray(logs["loss"]).reshape([-1])[0]))

    def on_epoch_end(self, epoch, logs=None):
        self.epochs += 1


def main():
    write_mnist("train", *draw_digits(800, 1))
    write_mnist("t10k", *draw_digits(200, 2))
    transform = Compose([ToTensor(), Normalize(mean=[0.13], std=[0.31], data_format="CHW")])
    train = MNIST("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", mode="train", transform=transform)
    test = MNIST("t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz", mode="test", transform=transform)

    network = LeNet()
    rng = np.random.RandomState(0)
    for name, weight in network.state_dict().items():
        if weight.ndim > 1:
            fan_in = int(np.prod(weight.shape)) // weight.shape[0 if weight.ndim == 4 else 1]
            weight.set_value(rng.normal(0, (2.0 / fan_in) ** 0.5, weight.shape).astype("float32"))

    model = paddle.Model(network)
    schedule = paddle.optimizer.lr.MultiStepDecay(0.006, milestones=[4], gamma=0.3)
    optimizer = paddle.optimizer.Adam(learning_rate=schedule, parameters=model.parameters(), weight_decay=1e-4)
    model.prepare(optimizer, nn.CrossEntropyLoss(), Accuracy(topk=(1, 2)))
    history = LossHistory()
    callbacks = [history, paddle.callbacks.LRScheduler(by_step=False, by_epoch=True)]
    stop = paddle.callbacks.EarlyStopping("acc_top1", mode="max", patience=2, verbose=0, save_best_model=False)
    model.fit(
        train, test, epochs=5, batch_size=50, shuffle=False, verbose=0, save_dir="checkpoint", save_freq=2,
        callbacks=[*callbacks, stop],
    )
    result = model.evaluate(test, batch_size=64, verbose=0)

    (scores,) = model.predict(test, batch_size=100, stack_outputs=True, verbose=0)
    predicted = scores.argmax(1)
    labels = np.array([int(test[i][1][0]) for i in range(len(test))])

    again = paddle.Model(LeNet())
    again.prepare()
    again.load("checkpoint/final")
    (restored,) = again.predict(test, batch_size=100, stack_outputs=True, verbose=0)

    print("first losses:", *[f"{loss:.4f}" for loss in history.losses[:4]])
    print("last epoch loss:", f"{np.mean(history.losses[-16:]):.3f}")
    print("epochs:", history.epochs)
    print("accuracy at least 0.95:", result["acc_top1"] >= 0.95, result["acc_top2"] >= 0.95)
    print("predictions agree with evaluate:", abs(float((predicted == labels).mean()) - result["acc_top1"]) < 1e-6)
    print("restored:", bool(np.abs(scores - restored).max() < 1e-5))
    print("checkpoints:", *sorted(name for name in os.listdir("checkpoint") if name.endswith(".pdparams")))
    print("learning rate:", f"{optimizer.get_lr():.6f}")


if __name__ == "__main__":
    main()
