"""Transformers over patches: windows, masks, sizes of images that they take and refuse."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

import core
from core.static import InputSpec
from PaddleClas.models.older_names import renamed
from PaddleClas.models.swin_transformer import SwinTransformer
from PaddleClas.models.swin_transformer_v2 import SwinTransformerV2, log_offsets
from PaddleClas.models.vision_transformer import VisionTransformer
from PaddleClas.models.window_attention import HIDDEN, maps, relative_positions, window_mask, windows


def test_windows_are_cut_row_by_row_and_put_back() -> None:
    x = np.arange(2 * 4 * 6 * 3, dtype="float32").reshape(2, 4, 6, 3)
    found = windows(core.to_tensor(x), 2).numpy()
    assert found.shape == (12, 4, 3)
    np.testing.assert_array_equal(found[7], x[1, 0:2, 2:4].reshape(4, 3))
    np.testing.assert_array_equal(maps(core.to_tensor(found), 2, 4, 6).numpy(), x)


def test_places_that_a_roll_brought_together_do_not_see_each_other() -> None:
    height, width, window, shift = 8, 12, 4, 2
    origin = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), -1)
    rolled = np.roll(origin, (-shift, -shift), (0, 1))
    found = window_mask(height, width, window, shift)
    assert found.shape == (6, 16, 16)
    for number, (top, left) in enumerate(itertools.product(range(0, height, window), range(0, width, window))):
        places = rolled[top : top + window, left : left + window].reshape(-1, 2)
        apart = np.abs(places[:, None] - places).max(-1) >= window
        np.testing.assert_array_equal(found[number], np.where(apart, HIDDEN, 0))


def test_an_offset_has_one_number_wherever_it_is() -> None:
    numbers = relative_positions(3)
    assert numbers.shape == (9, 9) and numbers.min() == 0 and numbers.max() == 24
    assert numbers[0, 0] == numbers[8, 8] == 12  # no offset at all
    assert numbers[0, 4] == numbers[4, 8] == 6  # one up and one to the left


def test_offsets_in_logarithms() -> None:
    table = log_offsets(3, 3)
    assert table.shape == (1, 5, 5, 2) and table.dtype == np.float32
    np.testing.assert_allclose(table[0, 0, 4], [-np.log2(9) / 3, np.log2(9) / 3], rtol=1e-6)
    np.testing.assert_allclose(log_offsets(3, 9)[0, 4, 2], [np.log2(3) / 3, 0], rtol=1e-6)


def test_swin_takes_images_of_any_size() -> None:
    model = SwinTransformer(4, 3, 5, 8, (2, 2), (2, 2), 3)
    model.eval()
    with core.no_grad():
        for height, width in ((24, 24), (30, 47), (5, 9)):
            images = core.to_tensor(np.ones((2, 3, height, width), "float32"))
            first, second = model.forward_stages(images)
            rows, columns = -(-height // 4), -(-width // 4)
            assert first.shape == [2, 8, rows, columns]
            assert second.shape == [2, 16, -(-rows // 2), -(-columns // 2)]
            assert model(images).shape == [2, 5]


def test_a_program_of_swin_is_for_one_size(tmp_path: object) -> None:
    model = SwinTransformer(4, 3, 5, 8, (2,), (2,), 3)
    with pytest.raises(ValueError, match="for one size of images: give height and width in the InputSpec"):
        core.jit.save(model, f"{tmp_path}/program", [InputSpec([None, 3, None, None], name="image")])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (VisionTransformer(32, 16, 3, 5, 8, 1, 1), "positions for images of 32 x 32 pixels, not 48 x 32: resize them"),
        (SwinTransformerV2(32, 4, 3, 5, 8, (1,), (1,), 4, pretrained_window_sizes=(0,)), "32 x 32 pixels, not 48 x 32"),
    ],
)
def test_images_of_another_size_are_refused(model: core.nn.Layer, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        model(core.to_tensor(np.zeros((1, 3, 48, 32), "float32")))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"depths": (2, 2), "num_heads": (2,)}, "must be as long, not 2, 1 and 4"),
        ({"img_size": 100}, "img_size must be a multiple of 32, the stride of the last stage, not 100"),
    ],
)
def test_sizes_of_swin_v2_that_do_not_fit(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SwinTransformerV2(**arguments)  # type: ignore[arg-type]


def test_masks_in_older_files_of_swin_are_passed_over() -> None:
    values = {"layers.0.blocks.1.attn_mask": np.zeros((4, 49, 49)), "norm.weight": np.ones(8)}
    assert list(renamed("SwinTransformer_tiny_patch4_window7_224", ["norm.weight"], values)) == ["norm.weight"]
    assert "layers.0.blocks.1.attn_mask" in renamed("ResNet18", ["norm.weight"], values)
