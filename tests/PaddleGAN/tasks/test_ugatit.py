"""U-GAT-IT: its losses by numpy, its shares between 0 and 1, a run and its pictures and video."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.vision.video import VideoReader
from PaddleGAN import infer, train
from tests.core.vision.video_files import drawn_frames, write_video
from tests.PaddleGAN.tasks.translations import batch_of, task_of, unpaired_config

SMALL = (
    "{name: UGATIT, global_layers: 4, local_layers: 3}",
    "{name: ResnetUGATITGenerator, n_blocks: 1, ngf: 2, light: true}",
    "{name: UGATITDiscriminator, ndf: 2}",
)


def squared(scores: Any, wanted: float) -> float:
    return float(((scores.numpy() - wanted) ** 2).mean())


def entropy(logits: Any, wanted: int) -> float:
    shares = 1 / (1 + np.exp(-logits.numpy().astype(np.float64)))
    return float(-np.log(shares if wanted else 1 - shares).mean())


def apart(one: Any, other: Any) -> float:
    return float(np.abs(one.numpy() - other.numpy()).mean())


def test_all_losses(tmp_path: Path) -> None:
    weights = ("task.adversarial=2.0", "task.cycle=3.0", "task.identity=5.0", "task.attention=7.0")
    task = task_of(unpaired_config(tmp_path, *SMALL), *weights)
    task.eval_mode()  # in training each look of a discriminator improves its estimates of singular values
    a, b = batch_of(task)
    (made_b, of_a, _), (made_a, of_b, _) = task.a_to_b(a), task.b_to_a(b)
    (same_a, other_a, _), (same_b, other_b, _) = task.b_to_a(a), task.a_to_b(b)

    def scored(kind: str, images: Any, wanted: float) -> float:
        answers = [judge(images) for judge in task.judges[kind]]
        return sum(squared(scores, wanted) + squared(logits, wanted) for scores, logits, _ in answers)

    loss, values = task.generators_loss(a, b)
    expected = {
        "adversarial": scored("a", made_a, 1) + scored("b", made_b, 1),
        "cycle": apart(task.b_to_a(made_b)[0], a) + apart(task.a_to_b(made_a)[0], b),
        "identity": apart(same_a, a) + apart(same_b, b),
        "attention": entropy(of_a, 1) + entropy(other_b, 0) + entropy(of_b, 1) + entropy(other_a, 0),
    }
    assert {name: float(value) for name, value in values.items()} == pytest.approx(expected, rel=1e-4)
    total = sum(weight * value for weight, value in zip((2, 3, 5, 7), expected.values()))
    assert float(loss) == pytest.approx(total, rel=1e-4)
    loss, values = task.discriminators_loss(a, b)
    sides = {"a": scored("a", a, 1) + scored("a", made_a, 0), "b": scored("b", b, 1) + scored("b", made_b, 0)}
    assert {name: float(value) for name, value in values.items()} == pytest.approx(sides, rel=1e-4)
    assert float(loss) == pytest.approx(2 * sum(sides.values()), rel=1e-4)


def test_shares_are_cut(tmp_path: Path) -> None:
    task = task_of(unpaired_config(tmp_path, *SMALL))
    assert len(task.shares) == 2 * (2 * 1 + 2)
    task.shares[0].set_value(core.to_tensor(np.array([-0.5, 0.25, 3.0, 1.0] * 2, np.float32).reshape(1, 8, 1, 1)))
    fields = task.clipped(["fields"], {})
    assert fields == ["fields"]
    assert task.shares[0].numpy().ravel().tolist() == [0.0, 0.25, 1.0, 1.0] * 2
    for phase in task.phases(3, 1):
        assert phase.prepare == task.clipped


@pytest.mark.exhaustive
def test_a_run_translates_pictures_and_a_video(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    config = unpaired_config(tmp_path, *SMALL)
    assert train.main(["-c", str(config), "-o", "data.test=null", "-o", "train.epochs=1"]) == 0
    (tmp_path / "videos").mkdir()
    write_video(tmp_path / "videos" / "clip.mp4", drawn_frames(3, 32, 32))
    (tmp_path / "videos" / "broken.mp4").write_bytes(b"no video")
    words = ["translate", str(tmp_path / "run"), "--videos", str(tmp_path / "videos")]
    assert infer.main(words) == 1
    assert "broken.mp4" in capfd.readouterr().err
    frames = list(VideoReader(tmp_path / "run" / "translate" / "clip.mp4"))
    assert len(frames) == 3 and frames[0].shape == (32, 32, 3)
    assert infer.main([*words, "--images", str(tmp_path / "testA" / "00.png"), "--direction", "BtoA"]) == 1
    written = {path.name for path in (tmp_path / "run" / "translate").iterdir()}
    assert {"clip.mp4", "00.png", "side_by_side.png"} <= written
    with pytest.raises(ValueError, match="none of the 1 videos could be used"):
        infer.main(["translate", str(tmp_path / "run"), "--videos", str(tmp_path / "videos" / "broken.mp4")])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("task.attention=-1.0", "task.attention must not be negative, not -1.0"),
        ("generator.network.output_nc=1", "UGATIT goes both ways, so input_nc 3 and output_nc 1 must be the same"),
        ("discriminator.network.n_layers=5", "n_layers follows from the data, as 4; leave it out"),
        ("generator.network={name: ResnetGenerator}", "UGATIT trains the generators ResnetUGATITGenerator, .*, not R"),
        ("task.global_layers=2", "discriminator.network: UGATITDiscriminator: n_layers must be at least 3, not 2"),
    ],
)
def test_what_cannot_be_trained(change: str, message: str, tmp_path: Path) -> None:
    config = unpaired_config(tmp_path, *SMALL)
    with pytest.raises(ValueError, match=message):
        task_of(config, change)
