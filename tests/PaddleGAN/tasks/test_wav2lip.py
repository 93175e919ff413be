"""Wav2Lip: its losses by numpy, its expert, its data, and faces that speak."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.io.randomness import batch_scope
from core.train import load_config
from core.vision.image import read_image, write_image
from core.vision.video import VideoReader
from PaddleGAN import infer, train
from PaddleGAN.config import TASKS, GANConfig
from PaddleGAN.data.speech import melspectrogram, read_wave
from PaddleGAN.data.talking import Wav2LipDataset
from PaddleGAN.models.wav2lip import SyncNetColor
from PaddleGAN.speaking import face_box
from PaddleGAN.tasks.wav2lip import AskExpert, sync_loss
from tests.PaddleGAN.talking_files import write_sound, write_talking

CONFIG = Path(__file__).resolve().parents[3] / "PaddleGAN" / "configs" / "lrs2_wav2lip.yaml"
SMALL = (
    *("generator.network.width=16", "discriminator.network.width=32", "data.train.batch_size=2", "samples.count=2"),
    *("data.test.batch_size=2", "data.num_workers=0", "task.expert=null", "task.sync_later=0.0"),
)


def small_task(folder: Path, *changes: str) -> Any:
    if not (folder / "filelists").exists():
        write_talking(folder)
    config = load_config(GANConfig, CONFIG, [*SMALL, f"data.root={folder}", *changes])
    core.seed(3)
    return TASKS.build(config.task, config=config)


def expert_file(folder: Path) -> Path:
    core.seed(8)
    core.save(SyncNetColor(width=32).state_dict(), str(folder / "expert.pdparams"))
    return folder / "expert.pdparams"


def test_all_losses(tmp_path: Path) -> None:
    changes = ("task.sync=0.25", "task.adversarial=0.5", f"task.expert={expert_file(tmp_path)}", "task.expert_width=32")
    task = small_task(tmp_path, *changes)
    fields = [core.to_tensor(np.stack(field)) for field in zip(*task.first("train", 2))]
    task.eval_mode()
    faces, sounds, sound, targets = fields
    made = task.generator(sounds, faces)
    assert list(made.shape) == [2, 3, 5, 96, 96]
    first = task.generator(sounds[:, 2], faces[:, :, 2])
    np.testing.assert_allclose(made.numpy()[:, :, 2], first.numpy(), atol=1e-5)

    def entropy(scores: Any, wanted: int) -> float:
        shares = scores.numpy().astype(np.float64)
        return float(-np.log(shares if wanted else 1 - shares).mean())

    lower = made.numpy()[:, :, :, 48:]
    heard, seen = task.expert(sound, core.to_tensor(np.concatenate([lower[:, :, i] for i in range(5)], axis=1)))
    expected = {
        "l1": np.abs(made.numpy() - targets.numpy()).mean(),
        "adversarial": entropy(task.discriminator(made), 1),
        "sync": float(-np.log((heard.numpy() * seen.numpy()).sum(axis=1)).mean()),
    }
    loss, values = task.generator_loss(*fields)
    np.testing.assert_allclose(values.pop("made").numpy(), made.numpy(), atol=1e-6)
    assert {name: float(value) for name, value in values.items()} == pytest.approx(expected, rel=1e-3)
    total = 0.25 * expected["l1"] + 0.5 * expected["adversarial"] + 0.25 * expected["sync"]
    assert float(loss) == pytest.approx(total, rel=1e-3)
    loss, values = task.discriminator_loss(*fields, made)
    parts = [entropy(task.discriminator(targets), 1), entropy(task.discriminator(made), 0)]
    assert [float(value) for value in values.values()] == pytest.approx(parts, rel=1e-4)
    assert float(loss) == pytest.approx(sum(parts), rel=1e-4)
    assert all(parameter.stop_gradient for parameter in task.expert.parameters())


def test_the_expert_is_asked_after_a_good_evaluation(tmp_path: Path) -> None:
    expert = (f"task.expert={expert_file(tmp_path)}", "task.expert_width=32", "task.sync_later=0.01")
    task = small_task(tmp_path, *expert)
    ask = AskExpert(task)
    for sync, share in ((0.8, 0.0), (0.7, 0.01), (0.9, 0.01)):
        ask.on_evaluate_end(None, "test", {"sync": sync})
        assert float(task.share.value.numpy()[0]) == pytest.approx(share)
    ask.on_evaluate_end(None, "test", {"l1": 0.1})


def test_likeness_is_a_cosine() -> None:
    class Expert:
        def __call__(self, sound: Any, faces: Any) -> tuple[Any, Any]:
            assert list(faces.shape) == [2, 15, 48, 96]
            return core.to_tensor([[3.0, 4.0], [0.0, 2.0]]), core.to_tensor([[4.0, 3.0], [0.0, 1.0]])

    loss = sync_loss(Expert(), core.zeros([2, 3, 5, 96, 96]), None)
    assert float(loss) == pytest.approx(-(np.log(24 / 25) + 0) / 2, rel=1e-4)


def test_the_data(tmp_path: Path) -> None:
    write_talking(tmp_path)
    root, files = str(tmp_path / "lrs2_preprocessed"), str(tmp_path / "filelists" / "train.txt")
    samples = Wav2LipDataset(root, files, random=False)
    faces, sounds, sound, pictures = samples[1]
    assert [part.shape for part in (faces, sounds, sound, pictures)] == [
        (6, 5, 96, 96), (5, 1, 80, 16), (1, 80, 16), (3, 5, 96, 96),
    ]  # fmt: skip
    assert not faces[:3, :, 48:].any()
    np.testing.assert_array_equal(faces[:3, :, :48], pictures[:, :, :48])
    mel = melspectrogram(read_wave(str(tmp_path / "lrs2_preprocessed" / "00001" / "audio.wav")))
    start = next(number for number in range(9) if np.array_equal(sound[0], mel[:, int(3.2 * number) :][:, :16]))
    assert start >= 1
    for number in range(5):  # the sound of a picture begins a picture earlier, as in ppgan
        begin = int(80 * (start - 1 + number) / 25)
        np.testing.assert_array_equal(sounds[number, 0], mel[:, begin : begin + 16])
    image = read_image(tmp_path / "lrs2_preprocessed" / "00001" / f"{start}.jpg").astype(float).mean(axis=(0, 1)) / 255
    assert pictures[:, 0].mean(axis=(1, 2)) == pytest.approx(image[::-1], abs=0.02)
    with batch_scope(0, 0, 0):
        drawn = Wav2LipDataset(root, files)[1]
    assert (drawn[0][3:] != drawn[3]).any()


def test_data_that_cannot_be_used(tmp_path: Path) -> None:
    write_talking(tmp_path, videos=2, pictures=5)
    root, files = str(tmp_path / "lrs2_preprocessed"), tmp_path / "filelists" / "train.txt"
    with pytest.raises(ValueError, match="00000' has 5 pictures and 0.4. seconds of sound: too short; leave it out"):
        Wav2LipDataset(root, str(files))[0]
    with pytest.raises(IndexError, match="sample 2 is outside a Wav2LipDataset of 2 samples"):
        Wav2LipDataset(root, str(files))[2]
    files.write_text("absent 1\n")
    with pytest.raises(NotADirectoryError, match="no folder .*absent', which .*train.txt' names"):
        Wav2LipDataset(root, str(files))
    files.write_text("\n")
    with pytest.raises(ValueError, match="the list .*train.txt' is empty"):
        Wav2LipDataset(root, str(files))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("task.adversarial=-0.5", "task.adversarial must not be negative, not -0.5"),
        ("task.adversarial=1.5", "sync and adversarial are shares of 1, not 0.0 and 1.5"),
        ("task.sync=0.1", "task.expert: sync and sync_later need the expert's weights: true, or a file"),
        ("data.train.dataset.img_size=64", "data.train: samples are to be those of Wav2LipDataset at 96 pixels, not"),
    ],
)
def test_what_cannot_be_trained(change: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        small_task(tmp_path, change).facts()


def test_boxes() -> None:
    assert face_box([1, 2, 30, 40], (50, 40)) == (1, 2, 30, 40)
    with pytest.raises(ValueError, match="say where the face is in the 40x50 picture, .*: --box LEFT TOP RIGHT BOTTOM"):
        face_box(None, (50, 40))
    for box in ([1, 2, 41, 40], [5, 2, 5, 40], [-1, 0, 5, 5]):
        with pytest.raises(ValueError, match=f"--box {' '.join(map(str, box))} is not within the 40x50 picture"):
            face_box(box, (50, 40))


@pytest.mark.exhaustive
def test_a_run_makes_a_picture_speak(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_talking(tmp_path / "data")
    quick = ("train.epochs=1", "train.tensorboard=false", "train.compiled=false", f"output={tmp_path / 'run'}")
    changes = [*SMALL, f"data.root={tmp_path / 'data'}", *quick]
    assert train.main(["-c", str(CONFIG), *(word for change in changes for word in ("-o", change))]) == 0
    face = tmp_path / "face.png"
    write_image(face, np.random.default_rng(0).integers(0, 256, (120, 100, 3), np.uint8))
    speech = write_sound(tmp_path / "speech.wav", 0.5, rate=22_050)
    words = ["speak", str(tmp_path / "run"), "--face", str(face), "--audio", str(speech)]
    assert infer.main([*words, "--box", "10", "10", "90", "110"]) == 0
    assert "the video is silent; put the sound to it: ffmpeg -i" in capsys.readouterr().out
    video = tmp_path / "run" / "speak" / "face.mp4"
    frames = list(VideoReader(video))
    assert len(frames) == 10 and frames[0].shape == (120, 100, 3)
    assert infer.main([*words[:3], str(video), *words[4:], "--box", "10", "10", "90", "110"]) == 0
    with pytest.raises(ValueError, match="say where the face is"):
        infer.main(words)
    short = write_sound(tmp_path / "short.wav", 0.1)
    with pytest.raises(ValueError, match="the sound has 0.11 seconds; it needs 0.20 at least"):
        infer.main([*words[:-1], str(short), "--box", "10", "10", "90", "110"])
