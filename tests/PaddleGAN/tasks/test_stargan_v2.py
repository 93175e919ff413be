"""StarGAN v2: its losses by numpy, its data and domains, styles of references and from noise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.io.randomness import batch_scope
from core.train import load_config
from core.vision.image import read_image
from PaddleGAN import infer, train
from PaddleGAN.config import TASKS, GANConfig
from PaddleGAN.data.domains import StarGANv2Dataset
from tests.PaddleGAN.tasks.translations import write_pictures
from tests.walks.cases import ADVERSARIAL, write_domains

CONFIG = Path(__file__).resolve().parents[3] / "PaddleGAN" / "configs" / "afhq_stargan_v2.yaml"


def small_task(folder: Path, *changes: str) -> Any:
    data = folder / "data"
    if not data.exists():
        write_domains(data)
    config = load_config(GANConfig, CONFIG, [*ADVERSARIAL["StarGANv2"][2], f"data.root={data}", *changes])
    core.seed(3)
    return TASKS.build(config.task, config=config)


def fields_of(task: Any) -> list[Any]:
    with batch_scope(0, 0, 1):
        samples = [task.dataset("train")[index] for index in range(2)]
    return [core.to_tensor(np.stack(field)) for field in zip(*samples)]


def entropy(scores: Any, wanted: int) -> float:
    shares = 1 / (1 + np.exp(-scores.numpy().astype(np.float64)))
    return float(-np.log(shares if wanted else 1 - shares).mean())


def apart(one: Any, other: Any) -> float:
    return float(np.abs(one.numpy() - other.numpy()).mean())


@pytest.mark.parametrize("noise", [True, False])
def test_all_losses(noise: bool, tmp_path: Path) -> None:
    task = small_task(tmp_path, "task.style=2.0", "task.cycle=3.0", "task.diversity=5.0", "task.r1=7.0")
    images, domains, *references, wanted = fields = fields_of(task)
    task.fading.share.update(core.to_tensor([0.5]))
    core.seed(9)
    if noise:
        styles = [task.mapping(core.randn([2, 4]), wanted) for _ in range(2)]
    else:
        styles = [task.style_encoder(reference, wanted) for reference in references]
    made, other = (task.generator(images, style) for style in styles)
    back = task.generator(made, task.style_encoder(images, domains))
    expected = {
        "adversarial": entropy(task.discriminator(made, wanted), 1),
        "style": apart(task.style_encoder(made, wanted), styles[0]),
        "diversity": apart(made, other),
        "cycle": apart(back, images),
    }
    core.seed(9)
    loss, values = (task.generator_noise if noise else task.generator_reference)(*fields)
    assert {name: float(value) for name, value in values.items()} == pytest.approx(expected, rel=1e-3)
    total = sum(weight * value for weight, value in zip((1, 2, -2.5, 3), expected.values()))
    assert float(loss) == pytest.approx(total, rel=1e-3)
    core.seed(9)
    loss, values = (task.discriminator_noise if noise else task.discriminator_reference)(*fields)
    real = images.detach()
    real.stop_gradient = False
    task.discriminator(real, domains).sum().backward()
    parts = {
        "real": entropy(task.discriminator(images, domains), 1),
        "fake": entropy(task.discriminator(made, wanted), 0),
        "r1": (real.grad.numpy().astype(np.float64) ** 2).sum() / 2 / 2,
    }
    assert {name: float(value) for name, value in values.items()} == pytest.approx(parts, rel=1e-3)
    assert float(loss) == pytest.approx(parts["real"] + parts["fake"] + 7 * parts["r1"], rel=1e-3)


def test_phases_share_optimizers_and_diversity_fades(tmp_path: Path) -> None:
    task = small_task(tmp_path)
    phases = task.phases(2, 2)
    assert phases[0].optimizer is phases[1].optimizer and phases[2].optimizer is phases[3].optimizer
    assert phases[1].schedule is None and len(phases[3].parameters) < len(phases[2].parameters)
    shares = []
    for _ in range(5):
        task.fading.fade()
        shares.append(float(task.fading.share.numpy()[0]))
    assert shares == pytest.approx([0.75, 0.5, 0.25, 0.0, 0.0])
    assert task.averaged == ["generator", "mapping_network", "style_encoder"]


def test_the_data(tmp_path: Path) -> None:
    write_domains(tmp_path)
    samples = StarGANv2Dataset(str(tmp_path / "train"), random=False)
    assert (
        list(samples.domains) == ["cat", "dog", "wild"] and len(samples) == 6 and samples.labels == [0, 0, 1, 1, 2, 2]
    )
    image, domain, first, second, wanted = samples[3]
    assert (domain, wanted) == (1, 2)
    files = sorted((tmp_path / "train" / "wild").iterdir())
    np.testing.assert_array_equal(image, read_image(sorted((tmp_path / "train" / "dog").iterdir())[1]))
    np.testing.assert_array_equal(first, read_image(files[1]))
    np.testing.assert_array_equal(second, read_image(files[0]))
    drawn = StarGANv2Dataset(str(tmp_path / "train"))
    with batch_scope(0, 0, 0):
        found = [drawn[0][1::3] for _ in range(60)]
    assert set(found) == {(one, other) for one in range(3) for other in range(3)}
    with pytest.raises(IndexError, match="sample 6 is outside a StarGANv2Dataset of 6 samples"):
        samples[6]
    with pytest.raises(NotADirectoryError, match="StarGANv2Dataset: no folder"):
        StarGANv2Dataset(str(tmp_path / "absent"))
    with pytest.raises(ValueError, match="has 0 folders; it needs one for each of some domains"):
        StarGANv2Dataset(str(tmp_path / "train" / "cat"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("task.cycle=-1.0", "task.cycle must not be negative, not -1.0"),
        ("generator.network.w_hpf=1", "generator.network.w_hpf must be 0: masks of faces"),
        ("discriminator.network.img_size=64", "generator.network.img_size is 32, discriminator.network.img_size is 64"),
        ("discriminator.network.num_domains=2", "num_domains follows from the data, as 3; leave it out"),
        ("data.test.dataset.root=other", "data.test: its domains are cat, dog, not cat, dog, wild"),
        ("data.train.transforms.0.size=[64, 64]", r"images must be \(3, 32, 32\), as img_size says, not \[3, 64, 64\]"),
        (
            "data.train.dataset={name: SingleDataset, root: train}",
            "data.train.dataset: SingleDataset has no domains; take StarGANv2Dataset",
        ),
        ("generator.network.pretrained=true", "cannot be downloaded|does not fit"),
    ],
)
def test_what_cannot_be_trained(change: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cat", "dog"):
        write_pictures(tmp_path / "data" / "other" / name, 2, 32)
    write_domains(tmp_path / "data")

    def absent(record: Any) -> Path:
        raise ValueError(f"{record.url} cannot be downloaded")

    monkeypatch.setattr("PaddleGAN.models.pretrained.fetch", absent)
    with pytest.raises(ValueError, match=message):
        small_task(tmp_path, change).facts()


def test_weights_of_a_checkpoint_are_those_of_all_three(tmp_path: Path) -> None:
    first = small_task(tmp_path)
    names = ("generator", "mapping_network", "style_encoder")
    path = tmp_path / "starganv2.pdparams"
    core.save({name: first.networks[name].state_dict() for name in names}, str(path))
    changes = (f"generator.network.pretrained={path}", "generator.network.part=generator")
    core.seed(99)
    again = small_task(tmp_path, *changes)
    for name in names:
        for key, tensor in first.networks[name].state_dict().items():
            np.testing.assert_array_equal(again.networks[name].state_dict()[key].numpy(), tensor.numpy(), err_msg=key)


def test_styles_and_domains(tmp_path: Path) -> None:
    task = small_task(tmp_path)
    assert task.domain("wild") == 2
    with pytest.raises(ValueError, match="there is no domain 'cow'; the run has cat, dog, wild"):
        task.domain("cow")
    one, other = task.styles_from(4, 3, 0), task.styles_from(4, 3, 1)
    assert one.shape == (3, 5) and (one != other).any()
    np.testing.assert_array_equal(one, task.styles_from(4, 3, 0))
    images = np.stack([sample[0] for sample in task.first("test", 2)])
    made = task.restyled(images, one)
    assert made.shape == (2, 3, 32, 32, 3) and made.dtype == np.uint8
    alone = task.restyled(images[1:], one[2:])
    np.testing.assert_array_equal(made[1, 2], alone[0, 0])


@pytest.mark.exhaustive
def test_a_run_restyles_pictures(tmp_path: Path) -> None:
    write_domains(tmp_path / "data")
    changes = [
        *ADVERSARIAL["StarGANv2"][2], f"data.root={tmp_path / 'data'}", f"output={tmp_path / 'run'}", "train.epochs=1",
        "train.tensorboard=false", "train.compiled=false", "schedule=null",
    ][:-1]  # fmt: skip
    changes.append("generator.schedule.flat_epochs=0")
    changes.append("discriminator.schedule.flat_epochs=0")
    assert train.main(["-c", str(CONFIG), *(word for change in changes for word in ("-o", change))]) == 0
    run = str(tmp_path / "run")
    cats, dogs = (str(tmp_path / "data" / "val" / name) for name in ("cat", "dog"))
    assert infer.main(["restyle", run, "--domain", "dog", "--images", cats, "--references", dogs]) == 0
    assert len(list((tmp_path / "run" / "restyle").glob("*.png"))) == 1 + 2 * 2
    with pytest.raises(ValueError, match="there is no domain 'cow'"):
        infer.main(["restyle", run, "--domain", "cow"])
