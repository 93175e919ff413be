"""TimeSformer against ppvideo's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from PaddleVideo.models.timesformer import TimeSformer, timesformer
from tests.PaddleVideo.models import network_checks as checks
from tests.parity.PaddleVideo.network_cases import CLIPS

INPUTS = (CLIPS.transpose(0, 2, 1, 3, 4).copy(),)


def small(**settings: Any) -> TimeSformer:
    sizes: dict[str, Any] = {"img_size": 32, "patch_size": 8, "embed_dim": 12, "depth": 3, "num_heads": 3}
    return timesformer(class_num=7, **{**sizes, **settings})


def test_number_of_parameters() -> None:
    assert checks.trainable_parameters(timesformer) == checks.official_count("timesformer")


def test_the_answers_are_the_official_ones() -> None:
    checks.check_official("timesformer", small(), INPUTS)


def test_fresh_attention_over_time_adds_nothing_after_the_first_block() -> None:
    network: Any = small()
    assert np.abs(network.backbone.blocks[0].temporal_fc.weight.numpy()).max() > 0
    for block in network.backbone.blocks[1:]:
        assert not block.temporal_fc.weight.numpy().any()


def test_later_blocks_are_left_out_more_often() -> None:
    network: Any = small()
    assert [block.drop_path.p for block in network.backbone.blocks] == pytest.approx([0.0, 0.05, 0.1])
    core.seed(3)
    dropped = network.backbone.blocks[2].drop_path(core.ones([4000, 2, 3])).numpy()
    assert (dropped == dropped[:, :1, :1]).all()  # sample by sample
    kept = dropped[:, 0, 0] > 0
    np.testing.assert_allclose(dropped[kept], 1 / 0.9, rtol=1e-6)
    assert kept.mean() == pytest.approx(0.9, abs=0.02)


def test_gradients_files_and_compilation(tmp_path: Path) -> None:
    checks.check_backward(small(depth=1), INPUTS)
    checks.check_file(lambda: small(depth=1), INPUTS, tmp_path)
    checks.check_compiled(small(depth=2), INPUTS)


def test_export(tmp_path: Path) -> None:
    checks.check_export(small(depth=2), INPUTS, tmp_path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"patch_size": 15}, "TimeSformer: patch_size 15 does not divide img_size 224"),
        ({"num_heads": 7}, "TimeSformer: num_heads 7 does not divide embed_dim 768"),
        ({"depth": 0}, "TimeSformer: depth must be a positive whole number, not 0"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], message: str) -> None:
    with core.LazyGuard(), pytest.raises(ValueError, match=message):
        timesformer(**settings)


def test_clips_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match=r"made for clips \(N, 8, 3, 32, 32\), not \[1, 4, 3, 32, 32\]"):
        small()(core.zeros([1, 4, 3, 32, 32]))
