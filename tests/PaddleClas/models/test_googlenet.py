"""GoogLeNet's three heads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.special import log_softmax

import core
import PaddleClas
from core.train.config.schema import load_config
from core.train.runner.exporting import write_program
from core.weights import Preprocessing
from PaddleClas import exporting
from PaddleClas.classifier import open_classifier
from PaddleClas.config import ClassificationConfig
from PaddleClas.task import ClassificationTask
from PaddleClas.test_time_augmentation import averaged
from tests.PaddleClas.models.test_models import images

IMAGENET_CONFIG = Path(PaddleClas.__file__).parent / "configs" / "imagenet" / "GoogLeNet.yaml"


@pytest.fixture(scope="module")
def model() -> core.nn.Layer:
    core.seed(1)
    model = PaddleClas.create_model("GoogLeNet", class_num=4)
    model.eval()
    return model


def test_three_heads_answer_in_training_and_in_evaluation(model: core.nn.Layer) -> None:
    batch = images((1, 3, 224, 224))
    with core.no_grad():
        heads = model(batch)
        np.testing.assert_array_equal(model.forward_head(model.forward_features(batch)).numpy(), heads[0].numpy())
        assert [head.shape for head in heads] == [[1, 4]] * 3
        model.train()
        assert [head.shape for head in model(batch)] == [[1, 4]] * 3
        model.eval()


@pytest.mark.parametrize("size", [96, 188, 237])
def test_images_of_another_size_are_refused(model: core.nn.Layer, size: int) -> None:
    with pytest.raises(ValueError, match=f"^GoogLeNet takes images of 224 x 224 pixels, not {size} x 224$"):
        model(images((1, 3, size, 224)))


def test_the_compiled_form_gives_three_heads(model: core.nn.Layer) -> None:
    batch = images((1, 3, 224, 224))  # saved programs and ONNX files: test_exports.py
    with core.no_grad():
        answers = core.jit.to_static(model.__call__)(batch)
        for answer, head in zip(answers, model(batch)):
            np.testing.assert_allclose(answer.numpy(), head.numpy(), atol=1e-4 * max(1, np.abs(head.numpy()).max()))
    assert len(answers) == 3


def test_tasks_and_views_take_the_main_head(model: core.nn.Layer) -> None:
    batch = images((1, 3, 224, 224))
    with core.no_grad():
        main = model(batch)[0].numpy()
    config = load_config(ClassificationConfig, IMAGENET_CONFIG, ["network.class_num=4", "data.root=."])
    task = ClassificationTask(config)
    task.network = model
    with core.no_grad():
        np.testing.assert_array_equal(task.predict(batch)[0].numpy(), main)
        log_probabilities = averaged(model, batch, flip=False).numpy()
    np.testing.assert_allclose(log_probabilities, log_softmax(main, axis=-1), atol=1e-5)


class TwoHeads(core.nn.Layer):
    def forward(self, x: core.Tensor) -> list[core.Tensor]:
        logits = x.mean(axis=[2, 3])
        return [logits, -logits]


def test_an_exported_classifier_takes_the_main_head(tmp_path: Path) -> None:
    transforms = exporting.transforms_for(Preprocessing())
    write_program(exporting.classifier_program(TwoHeads(), transforms, ["a", "b", "c"]), tmp_path / "exported")
    batch = images((2, 3, 224, 224)).numpy()
    logits = open_classifier(tmp_path / "exported").logits(batch)
    np.testing.assert_allclose(logits, batch.mean(axis=(2, 3)), atol=1e-5)


def test_each_head_teaches_the_blocks_below_it(model: core.nn.Layer) -> None:
    blocks = {"4a": model._ince4a, "4b": model._ince4b, "4d": model._ince4d, "5b": model._ince5b}
    for head, reached in enumerate((["4a", "4b", "4d", "5b"], ["4a"], ["4a", "4b", "4d"])):
        model.clear_gradients()
        model(images((1, 3, 224, 224)))[head].sum().backward()
        taught = [name for name, block in blocks.items() if np.abs(gradient(block._conv1._conv.weight)).max() > 0]
        assert taught == reached


def gradient(parameter: core.Tensor) -> np.ndarray:
    return np.zeros(1) if parameter.grad is None else parameter.grad.numpy()
