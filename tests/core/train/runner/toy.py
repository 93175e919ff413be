"""A toolkit as small as one can be: squares and crosses, told apart by one linear layer."""

from typing import Annotated, ClassVar

import numpy as np
import pydantic

import core
from core.io import Dataset
from core.jit.input_spec import InputSpec
from core.train.config.table import Component, Named, Table
from core.train.runner import commands, splits
from core.train.runner.config import Experiment
from core.train.runner.task import Program, ToolkitTask
from core.train.runner.toolkit import Toolkit
from core.train.task import Evaluator, Phase
from core.vision import transforms


class Shapes(Dataset):
    """Image i is a square or a cross of 8 x 8 pixels, at a place that follows from i."""

    def __init__(self, count: int, transform=None) -> None:
        self.count, self.transform = count, transform

    def __getitem__(self, index):
        image, (top, left) = np.zeros((8, 8, 1), np.uint8), np.random.default_rng(index).integers(0, 4, 2)
        image[top : top + 5, left : left + 5] = 255 * (np.eye(5)[:, :, None] if index % 2 else 1)
        return self.transform(image), index % 2

    def __len__(self):
        return self.count


class Linear(core.nn.Layer):
    """Logits of an image."""

    def __init__(self, size: int = 64, bias: bool = True) -> None:
        super().__init__()
        self.fc = core.nn.Linear(size, 2, bias_attr=None if bias else False)

    def forward(self, images):
        return self.fc(core.flatten(images, 1))


class Hits(Evaluator):
    """The share of images that are recognised."""

    def __init__(self):
        self.hits = []

    def update(self, outputs, batch):
        self.hits += (outputs[0].argmax(axis=1) == batch[1].numpy()).tolist()

    def result(self):
        return {"accuracy": float(np.mean(self.hits))}


class TellApart(ToolkitTask):
    """Cross entropy."""

    numbers = ("accuracy",)

    def __init__(self, config):
        super().__init__(config)
        self.network = self.add_network("model", NETWORKS, config.network, "network")

    def phases(self, steps_per_epoch, epochs):
        return [Phase("train", self.loss, *self.learning(self.config, ["model"], steps_per_epoch, epochs))]

    def loss(self, images, labels):
        return core.nn.functional.cross_entropy(self.network(images), labels), {}

    def predict(self, images, labels=None):
        return [self.network(images)]

    def evaluator(self, split):
        return Hits()

    def program(self):
        return Program(self.network, [InputSpec([None, 1, 8, 8], name="images")], "images to logits")


NETWORKS = Table("network", {"Linear": Linear})
DATASETS = Table("data set", {"Shapes": Shapes}, provided=("transform",))
TRANSFORMS = Table("transform", {"ToTensor": transforms.ToTensor, "Pad": transforms.Pad}, provided=("keys",))
TASKS = Table("task", {"TellApart": TellApart}, provided=("config",))


class SplitSection(splits.SplitSection):
    datasets: ClassVar[Table] = DATASETS
    transform_table: ClassVar[Table] = TRANSFORMS
    dataset: Annotated[Component, Named(DATASETS)]
    transforms: list[Annotated[Component, Named(TRANSFORMS)]] = pydantic.Field(description="in order")


class Config(Experiment):
    task: Annotated[Component, Named(TASKS)]
    network: Annotated[Component, Named(NETWORKS)]
    data: splits.Splits[SplitSection]


TOOLKIT = Toolkit("tests.core.train.runner", Config)
train = commands.Train(__name__, "Train.", "toy")
evaluate = commands.Evaluate(__name__, "Evaluate.", "toy")
infer = commands.Infer(__name__, "Infer.", "toy")
export = commands.Export(__name__, "Export.", "toy")
preview = commands.Preview(__name__, "Preview.", "toy")
