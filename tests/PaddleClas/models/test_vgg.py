from __future__ import annotations

import pytest

import core
from PaddleClas.models.vgg import VGGNet


def test_the_first_blocks_can_be_frozen() -> None:
    with core.LazyGuard():
        model = VGGNet(11, stop_grad_layers=2)
    frozen = [name for name, parameter in model.named_parameters() if parameter.stop_gradient]
    assert frozen == ["conv_block_1.conv1.weight", "conv_block_2.conv1.weight"]


def test_dropout_scales_in_evaluation() -> None:
    with core.LazyGuard():
        assert VGGNet(11).dropout.mode == "downscale_in_infer"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"depth": 12}, "VGG has 11, 13, 16 or 19 layers, not 12"),
        ({"depth": 11, "stop_grad_layers": 6}, "stop_grad_layers must be 0 to 5, not 6"),
    ],
)
def test_arguments_that_make_no_network(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        VGGNet(**arguments)
