"""The preview shows what training sees: chosen frames side by side, cut and mirrored alike; moments of a skeleton."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.train.runner.previewing import seen
from core.vision.image import read_image
from PaddleVideo import preview
from PaddleVideo.config import TOOLKIT
from PaddleVideo.data.skeletons import drawn

CONFIGS = Path(preview.__file__).with_name("configs")


def test_a_row_has_a_clip_as_the_first_epochs_see_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "sheet.png"
    normal = "{name: ToTensor}, {name: Normalize, mean: 0.5, std: 0.25}"
    chosen = f"[{{name: SampleSegments, num_seg: 2, random: true}}, {{name: RandomCrop, size: 32}}, {normal}]"
    changes = [f"data.train.transforms={chosen}"]
    words = ["-c", str(CONFIGS / "moving_digits_tsm.yaml"), "--images", "2", "--output", str(target)]
    assert preview.main([*words, *(word for change in changes for word in ("-o", change))]) == 0
    assert capsys.readouterr().out == f"wrote {target}: 2 samples, 2 versions of each\n"
    assert read_image(target).shape[1] > 3 * (6 * 48 + 5)  # the original clips, of six frames, and two versions
    config = TOOLKIT.load(CONFIGS / "moving_digits_tsm.yaml", changes)
    dataset = config.data.build_dataset("train")
    section = config.data.train
    for epoch in range(2):
        for clip, label in seen(dataset, (0, 800), config.seed, epoch):
            frames = np.rint((clip * 0.25 + 0.5) * 255).astype(np.uint8).transpose(0, 2, 3, 1)
            line = np.full((32, 1, 3), 255, np.uint8)
            (strip,) = section.pictures((clip, label))
            np.testing.assert_array_equal(strip, np.concatenate([frames[0], line, frames[1]], axis=1))
            (other,) = section.pictures((clip[None], label))  # of several views the first
            np.testing.assert_array_equal(other, strip)


def test_skeletons_are_drawn_and_features_have_no_pictures(tmp_path: Path) -> None:
    target = tmp_path / "sheet.png"
    words = ["--images", "2", "--versions", "1", "--output", str(target)]
    assert preview.main(["-c", str(CONFIGS / "drawn_figures_stgcn.yaml"), *words]) == 0
    section = TOOLKIT.load(CONFIGS / "drawn_figures_stgcn.yaml").data.train
    sample = section.build_dataset()[0]
    np.testing.assert_array_equal(section.pictures(sample)[0], drawn(sample[0]))
    assert section.caption(sample, section.build_dataset()) == "raise arms"
    with pytest.raises(ValueError, match=r"data.train: the samples hold no images to draw"):
        preview.main(["-c", str(CONFIGS / "drawn_topics_nextvlad.yaml"), *words])
