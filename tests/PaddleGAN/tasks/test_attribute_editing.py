"""StarGAN, AttGAN and STGAN: their losses against NumPy, training that resumes, edits, and what is refused."""

from __future__ import annotations

import inspect
import shutil
import signal
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import core
from core.drawing.sheets import GAP, layout
from core.jit import Predictor
from core.train import Callback, TrainingInterrupted, read_metrics
from core.train.config.schema import load_config
from core.train.runner import training
from core.train.runner.experiment import open_run
from core.weights.formats.safetensors_file import read_safetensors
from PaddleGAN import export, infer, train
from PaddleGAN.config import TASKS, TOOLKIT, GANConfig
from PaddleGAN.tasks import attribute_editing

CONFIGS = Path(__file__).resolve().parents[3] / "PaddleGAN" / "configs"
NAMES = ["Bangs", "Blond_Hair", "Eyeglasses"]
SMALL = (
    "train.tensorboard=false", "train.epochs=2", "train.checkpoint_every=1", "samples.every=1", "samples.count=3",
    "data.train.batch_size=4", "data.test.batch_size=3", "task.critic_steps=2", "expect=null",
    "generator.schedule={name: Constant, learning_rate: 0.002}",
    "discriminator.schedule={name: Constant, learning_rate: 0.002}",
    *(f"data.{split}.dataset={{name: Faces, count: {count}, size: 32, attributes: [{', '.join(NAMES)}]}}"
      for split, count in (("train", 16), ("test", 5))),
)  # fmt: skip
NETWORKS = {
    "stargan": ("generator.network.ngf=1", "generator.network.n_blocks=1", "discriminator.network.ndf=2"),
    "attgan": ("generator.network.ngf=2", "discriminator.network.ndf=2", "discriminator.network.fc_dim=3"),
    "stgan": ("generator.network.ngf=2", "discriminator.network.ndf=2", "discriminator.network.fc_dim=3"),
}
KINDS = sorted(NETWORKS)


def changes(kind: str, *further: str) -> list[str]:
    return [*SMALL, *NETWORKS[kind], *further]


def options(kind: str, output: Path, *further: str) -> list[str]:
    words = ["-c", str(CONFIGS / f"faces_{kind}.yaml"), "-o", f"output={output}"]
    return [*words, *(word for change in changes(kind, *further) for word in ("-o", change))]


def small_task(kind: str, *further: str) -> Any:
    core.seed(3)
    config = load_config(GANConfig, CONFIGS / f"faces_{kind}.yaml", changes(kind, *further))
    return TASKS.build(config.task, config=config)


def entropy(logits: np.ndarray, attributes: np.ndarray) -> np.ndarray:
    share = 1 / (1 + np.exp(-logits.astype(np.float64)))
    return -(attributes * np.log(share) + (1 - attributes) * np.log(1 - share))


def batch() -> tuple[np.ndarray, np.ndarray]:
    source = np.random.RandomState(5)
    images = source.uniform(-1, 1, (4, 3, 32, 32)).astype(np.float32)
    return images, np.array([[0, 1, 1], [1, 0, 0], [1, 1, 0], [0, 0, 1]], np.float32)


CONDITION = {
    "stargan": lambda source, target: target,
    "attgan": lambda source, target: (2 * target - 1) / 2,
    "stgan": lambda source, target: (2 * target - 1) / 2 - (2 * source - 1) / 2,
}


PAPERS_OWN = {"stargan": ["task.identity=0"]}


@pytest.mark.parametrize("kind", KINDS)
def test_the_losses_are_those_of_the_papers(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = ("task.penalty=7", "task.critic_attributes=0.5", "task.generator_attributes=3", "task.reconstruction=30")
    task = small_task(kind, *weights, *PAPERS_OWN.get(kind, []))
    images, source = batch()
    target = source[[2, 0, 3, 1]]
    monkeypatch.setattr(attribute_editing, "shuffled", lambda attributes: core.to_tensor(target))
    points: list[Any] = []

    def penalty(critic: Any, real: Any, fake: Any) -> Any:
        points.append((critic(real).numpy(), real.numpy(), fake.numpy()))
        return core.to_tensor(0.25)

    monkeypatch.setattr(attribute_editing, "gradient_penalty", penalty)

    def generated(pictures: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        condition = CONDITION[kind](source, wanted).astype(np.float32)
        with core.no_grad():
            made: np.ndarray = task.generator(core.to_tensor(pictures), core.to_tensor(condition)).numpy()
        return made

    def judged(pictures: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        scores, logits = task.discriminator(core.to_tensor(pictures))
        return scores.numpy(), logits.numpy()

    edited = generated(images, target)
    back = generated(edited, source) if kind == "stargan" else generated(images, source)
    (real, real_logits), (fake, fake_logits) = judged(images), judged(edited)
    expected = entropy(real_logits, source).sum() / (4 if kind == "stargan" else 12)
    loss, parts = task.critic_loss(core.to_tensor(images), core.to_tensor(source))
    np.testing.assert_allclose(float(loss), fake.mean() - real.mean() + 7 * 0.25 + 0.5 * expected, rtol=1e-5)
    np.testing.assert_allclose(float(parts["distance"]), real.mean() - fake.mean(), atol=1e-6)
    np.testing.assert_allclose(points[0][0], real, atol=1e-6)
    np.testing.assert_array_equal(points[0][1], images)
    np.testing.assert_allclose(points[0][2], edited, atol=1e-6)

    expected = entropy(fake_logits, target).sum() / (4 if kind == "stargan" else 12)
    difference = np.abs(back - images).mean()
    loss, parts = task.generator_loss(core.to_tensor(images), core.to_tensor(source))
    np.testing.assert_allclose(float(loss), 3 * expected + 30 * difference - fake.mean(), rtol=1e-5)
    np.testing.assert_allclose(float(parts["reconstruction"]), difference, rtol=1e-5)


def test_stargan_may_also_ask_for_the_image_as_it_is() -> None:
    images, attributes = (core.to_tensor(array) for array in batch())
    plain, asked = (small_task("stargan", f"task.identity={weight}") for weight in (0, 20))
    asked.generator.set_state_dict(plain.generator.state_dict())
    asked.discriminator.set_state_dict(plain.discriminator.state_dict())
    same = np.abs(plain.generator(images, attributes).numpy() - images.numpy()).mean()
    core.seed(0)
    before, _ = plain.generator_loss(images, attributes)
    core.seed(0)
    loss, parts = asked.generator_loss(images, attributes)
    np.testing.assert_allclose(float(parts["identity"]), same, rtol=1e-5)
    np.testing.assert_allclose(float(loss), float(before) + 20 * same, rtol=1e-5)


@pytest.mark.parametrize(("kind", "weights"), [("stargan", (1, 10)), ("attgan", (10, 100)), ("stgan", (10, 100))])
def test_the_weights_are_the_published_ones(kind: str, weights: tuple[float, float]) -> None:
    config = load_config(GANConfig, CONFIGS / f"celeba_{kind}.yaml", [])
    parameters = inspect.signature(TASKS.resolve(config.task.name)).parameters
    expected = {"critic_steps": 5, "penalty": 10, "critic_attributes": 1}
    expected.update(zip(("generator_attributes", "reconstruction"), weights))
    assert config.task.arguments == expected
    further = {"identity": 0} if kind == "stargan" else {}  # not the paper's
    assert {name: p.default for name, p in parameters.items() if name != "config"} == expected | further
    assert len(config.data.train.dataset.arguments["attributes"]) == (5 if kind == "stargan" else 13)


def test_targets_are_the_attributes_of_other_images_of_the_batch() -> None:
    rows = core.to_tensor(np.arange(12, dtype=np.float32).reshape(6, 2))
    core.seed(1)
    first, second = attribute_editing.shuffled(rows).numpy(), attribute_editing.shuffled(rows).numpy()
    for mixed in (first, second):
        np.testing.assert_array_equal(mixed[mixed[:, 0].argsort()], rows.numpy())
    assert not np.array_equal(first, second)


def test_the_generator_moves_at_every_second_step_and_the_critic_at_each() -> None:
    critic, generator = small_task("attgan").phases(4, 2)
    assert (critic.name, critic.period, generator.name, generator.period) == ("critic", 1, "generator", 2)
    assert len(critic.parameters) + len(generator.parameters) > 10
    assert not {id(tensor) for tensor in critic.parameters} & {id(tensor) for tensor in generator.parameters}


class Stop(Callback):
    """Sends Ctrl-C before a step."""

    def on_step_begin(self, trainer: Any) -> None:
        if trainer.progress.step == 5:
            signal.raise_signal(signal.SIGINT)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupted_run_resumes_bit_for_bit(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts, trainer = tmp_path / "whole", tmp_path / "parts", training.Trainer
    assert train.main(options(kind, whole)) == 0
    with monkeypatch.context() as patch:
        patch.setattr(training, "Trainer", lambda *given, **named: trainer(*given, callbacks=[Stop()], **named))
        with pytest.raises(TrainingInterrupted):
            train.main(options(kind, parts))
    assert train.main(["--resume", str(parts)]) == 0
    checkpoint = Path("checkpoints", "step_00000008")
    files = sorted(path.name for path in (whole / checkpoint).glob("*.safetensors"))
    assert files == sorted(path.name for path in (parts / checkpoint).glob("*.safetensors")) and len(files) >= 4
    for name in files:
        one, two = (read_safetensors(run / checkpoint / name) for run in (whole, parts))
        for key in one:
            np.testing.assert_array_equal(one[key], two[key], err_msg=f"{name}: {key}")
    rows = read_metrics(whole / "metrics.jsonl")
    assert {"critic_penalty", "critic_attributes", "generator_reconstruction", "generator_attributes"} <= set(rows[0])
    assert {"editing_accuracy", "attributes_kept", "psnr", "ssim", "edited_Bangs"} <= set(rows[-1])
    sheet = cv2.imread(str(whole / "samples" / "epoch_0002.png"))
    place = layout(32, 32, 3, 5, True, (), False)  # image, reconstruction, an edit of each
    assert sheet.shape[:2] == tuple(part.stop + GAP for part in place.box(2, 4))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "stgan"
    assert train.main(options("stgan", folder, "train.epochs=1")) == 0
    return folder


def test_edits_are_drawn_and_written(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert infer.main(["edit", str(run), "--attributes", "Bangs", "Eyeglasses", "--count", "2", "--each"]) == 0
    assert "edit.png, 00000_Bangs.png, 00001_Bangs.png, 00000_Eyeglasses.png" in capsys.readouterr().out
    sheet = cv2.imread(str(run / "edit" / "edit.png"))
    place = layout(32, 32, 2, 4, True, (), False)
    assert sheet.shape[:2] == tuple(part.stop + GAP for part in place.box(1, 3))
    task, _ = open_run(TOOLKIT, str(run), "newest")
    images, source = task.first("test", 2)
    wanted = source.copy()
    wanted[:, 2] = 1 - wanted[:, 2]
    edited = task.edit(images, source, wanted)
    np.testing.assert_array_equal(cv2.imread(str(run / "edit" / "00001_Eyeglasses.png"))[:, :, ::-1], edited[1])
    inner = place.picture(sheet, 0, 0)[:, :, ::-1]
    np.testing.assert_array_equal(inner, np.rint((images[0].transpose(1, 2, 0) + 1) * 127.5).astype(np.uint8))


def test_a_sweep_begins_with_the_reconstruction_and_passes_the_edit(run: Path) -> None:
    command = ["sweep", str(run), "--attribute", "Bangs", "--steps", "3", "--reach", "2", "--count", "1"]
    assert infer.main(command) == 0
    sheet = cv2.imread(str(run / "sweep" / "sweep.png"))[:, :, ::-1]
    task, _ = open_run(TOOLKIT, str(run), "newest")
    images, source = task.first("test", 1)
    target = source.copy()
    target[:, 0] = 1 - target[:, 0]
    expected = [task.edit(images, source, wanted)[0] for wanted in (source, target)]
    place = layout(32, 32, 1, 4, True, (), True)
    for column, picture in zip((1, 2), expected):
        np.testing.assert_array_equal(place.picture(sheet, 0, column), picture)
    assert sheet.shape[1] == place.box(0, 3)[1].stop + GAP


def test_the_critic_tells_the_attributes_of_other_pictures(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task, _ = open_run(TOOLKIT, str(run), "newest")
    images, _ = task.first("test", 2)
    for number, image in enumerate(images):
        pixels = np.rint((image.transpose(1, 2, 0) + 1) * 127.5).astype(np.uint8)
        cv2.imwrite(str(tmp_path / f"{number}.png"), pixels[:, :, ::-1])
    output = tmp_path / "out"
    command = ["edit", str(run), "--images", str(tmp_path), "--attributes", "Bangs", "--output", str(output)]
    assert infer.main(command) == 0
    with core.no_grad():
        seen = (task.discriminator(core.to_tensor(images))[1].numpy() > 0).astype(np.float32)
    np.testing.assert_array_equal(task.recognized(images), seen)
    turned = seen.copy()
    turned[:, 0] = 1 - turned[:, 0]
    sheet, place = cv2.imread(str(output / "edit.png"))[:, :, ::-1], layout(32, 32, 2, 3, True, ["0", "1"], False)
    np.testing.assert_array_equal(place.picture(sheet, 1, 2), task.edit(images, seen, turned)[1])
    shutil.rmtree(output)
    (tmp_path / "broken.png").write_bytes(b"no picture")
    assert infer.main([*command, "--each"]) == 1
    assert str(tmp_path / "broken.png") in capsys.readouterr().err
    each = cv2.imread(str(output / "1_Bangs.png"))[:, :, ::-1]
    np.testing.assert_array_equal(each, task.edit(images, seen, turned)[1])
    (tmp_path / "broken.png").unlink()
    shutil.rmtree(output)
    cv2.imwrite(str(tmp_path / "2.png"), np.zeros((40, 32, 3), np.uint8))
    with pytest.raises(ValueError, match=r"2.png': the run edits pictures of 32 x 32 pixels, not 40 x 32$"):
        infer.main(command)


def test_the_exported_program_edits_alike(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export.main([str(run)]) == 0
    output = "images float32 [any, 3, 32, 32], -1 to 1, and -1, 0 or 1 for the change of Bangs, Blond_Hair, Eyeglasses"
    assert output in capsys.readouterr().out
    task, _ = open_run(TOOLKIT, str(run), "best")
    images, source = task.first("test", 3)
    change = (1 - source) - source
    made = Predictor(run / "exported").run([images, change])
    live = task.generator(core.to_tensor(images), core.to_tensor(change)).numpy()
    np.testing.assert_allclose(made, live, atol=1e-5)


@pytest.mark.parametrize(
    ("kind", "further", "message"),
    [
        ("stgan", "task.critic_steps=5", "the generator would learn once in 5 steps, and an epoch has 4: it would n"),
        ("stargan", "task.identity=-1", "task.identity: a weight must not be negative, not -1"),
        ("stargan", "task.reconstruction=-1", "task.reconstruction: a weight must not be negative, not -1"),
        ("attgan", "data.train.dataset={name: FaceOutlines, count: 16, size: 32}", "FaceOutlines has no attributes"),
        ("attgan", "data.train.transforms=[{name: Resize, size: [32, 16]}, {name: ToTensor}]", "not 32 x 16; crop th"),
        ("attgan", "discriminator.network.image_size=64", "image_size follows from the data, as 32; leave it out"),
        ("stgan", "generator.network={name: AttGANGenerator}", "STGAN trains the generators STGANGenerator, not Att"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_refused(kind: str, further: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        train.main(options(kind, tmp_path / "run", further))
    assert "\n" not in str(refused.value)


def test_the_commands_that_a_run_recommends_are_complete(run: Path) -> None:
    task, _ = open_run(TOOLKIT, str(run), "newest")
    parsed = [infer.main.parse([mode, str(run), *task.needs(mode).split()]) for mode in task.modes]
    assert [options.mode for options in parsed] == ["edit", "sweep"] and parsed[1].attribute == "Bangs"


def test_an_attribute_that_the_run_lacks_is_named(run: Path) -> None:
    for command in (["edit", str(run), "--attributes", "Hat"], ["sweep", str(run), "--attribute", "Hat"]):
        with pytest.raises(ValueError, match=r"^the run edits Bangs, Blond_Hair, Eyeglasses, not 'Hat'$"):
            infer.main(command)
