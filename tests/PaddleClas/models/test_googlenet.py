"""GoogLeNet's three heads."""

from __future__ import annotations

import numpy as np

import core
import PaddleClas
from tests.PaddleClas.models.test_models import images


def test_three_heads_answer_in_training_and_one_in_evaluation() -> None:
    core.seed(1)
    model = PaddleClas.create_model("GoogLeNet", class_num=4)
    batch = images((1, 3, 224, 224))
    with core.no_grad():
        assert [head.shape for head in model(batch)] == [[1, 4]] * 3
        model.eval()
        heads = model.forward_heads(batch)
        np.testing.assert_array_equal(model(batch).numpy(), heads[0].numpy())
        assert model(images((1, 3, 96, 96))).shape == [1, 4]  # the further heads are for 224 x 224


def test_each_head_teaches_the_blocks_below_it() -> None:
    core.seed(1)
    model = PaddleClas.create_model("GoogLeNet", class_num=4)
    model.eval()  # no dropout
    blocks = {"4a": model._ince4a, "4b": model._ince4b, "4d": model._ince4d, "5b": model._ince5b}
    for head, reached in enumerate((["4a", "4b", "4d", "5b"], ["4a"], ["4a", "4b", "4d"])):
        model.clear_gradients()
        model.forward_heads(images((1, 3, 224, 224)))[head].sum().backward()
        taught = [name for name, block in blocks.items() if np.abs(gradient(block._conv1._conv.weight)).max() > 0]
        assert taught == reached


def gradient(parameter: core.Tensor) -> np.ndarray:
    return np.zeros(1) if parameter.grad is None else parameter.grad.numpy()
