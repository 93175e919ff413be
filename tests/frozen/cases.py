"""The stored runs: what each was trained on and how, where it was stopped, and what is asked of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Callable, Optional

from tests.PGL.small_sets import write_blog_catalog, write_cora, write_triples


@dataclasses.dataclass(frozen=True)
class Case:
    """One stored run.

    Attributes:
        toolkit: whose commands it is for.
        config: the file, below the toolkit's ``configs``, that it was trained with.
        changes: of the config.
        stop: where training was stopped: ("step", 8) as soon as 8 steps were made, ("save", 1) after the first save.
        splits: the splits that it is evaluated on.
        infer: the words of ``infer.py`` before and after the run's folder; "PHOTOS" stands for a folder of pictures.
        write: writes its data into a folder; None: the data needs no files.
        teacher: whether a network of the same kind teaches it, whose weights are stored beside the run.
    """

    toolkit: str
    config: str
    changes: Sequence[str]
    stop: tuple[str, int]
    splits: Sequence[str]
    infer: tuple[Sequence[str], Sequence[str]]
    write: Optional[Callable[[Path], Path]] = None
    teacher: bool = False


_LENET = (
    "model.pretrained=pruned.pdparams", "data.train.batch_size=200", "train.epochs=2", "train.checkpoint_every=1",
)  # fmt: skip
_PAIRS = tuple(
    f"data.{split}={{dataset: {{name: FaceOutlines, count: {count}, size: 32, seed: {seed}}}, batch_size: 2, "
    "transforms: [{name: ToTensor}, {name: Normalize, mean: 0.5, std: 0.5}]}"
    for split, count, seed in (("train", 8, 0), ("test", 4, 1))
)
_UNPAIRED = tuple(
    f"data.{split}={{dataset: {{name: UnpairedFaces, count: {count}, size: 32, seed: {seed}, "
    "a: {Black_Hair: true}, b: {Blond_Hair: true}}, batch_size: 2, "
    "transforms: [{name: ToTensor}, {name: Normalize, mean: 0.5, std: 0.5}]}"
    for split, count, seed in (("train", 4, 0), ("test", 4, 1))
)
_FACES = tuple(
    f"data.{split}.dataset={{name: Faces, count: {count}, size: SIZE, seed: {seed}, attributes: [Bangs, Eyeglasses]}}"
    for split, count, seed in (("train", 8, 0), ("test", 4, 1))
)
_SAMPLES = ("samples.every=2", "samples.count=4", "data.train.batch_size=2", "data.test.batch_size=2")

CASES = {
    "PaddleClas_middle": Case(
        "PaddleClas", "digits_lenet.yaml",
        (
            *_LENET, "optimizer={name: Momentum, momentum: 0.9, weight_decay: 0.001}", "decay_norm_and_bias=false",
            "schedule.learning_rate=0.05",
            "loss={name: CrossEntropy, label_smoothing: 0.1}", "expect={split: test, accuracy: 0.5, tolerance: 0.4}",
        ),
        ("step", 8), ("test",), ((), ("PHOTOS", "--top", "3")),
    ),
    "PaddleClas_epoch": Case(
        "PaddleClas", "digits_lenet.yaml",
        (*_LENET, "schedule.learning_rate=0.01", "train.ema=0.3", "train.accumulate=2", "expect.accuracy=0.2"),
        ("save", 1), ("test", "valid"), ((), ("PHOTOS",)),
    ),
    "PaddleClas_teacher": Case(
        "PaddleClas", "digits_lenet.yaml",
        (
            *_LENET, "teacher={name: LeNet, class_num: 10, pretrained: teacher.pdparams, weight: 0.5}",
            "data.valid=null", "expect=null", "optimizer.name=SGD",
            "schedule.learning_rate=0.1",
        ),
        ("step", 3), ("test",), ((), ("PHOTOS",)), teacher=True,
    ),
    "PGL_gcn": Case(
        "PGL", "cora_gcn.yaml",
        (
            "task.passes_per_epoch=4", "train.epochs=3", "train.checkpoint_every=1",
            "expect={split: test, metric: accuracy, value: 0.8, tolerance: 0.5}",
        ),
        ("step", 6), ("test", "valid"), ((), ("--picture", "none", "--near", "7")), write_cora,
    ),
    "PGL_gcnii": Case(
        "PGL", "cora_gcnii.yaml",
        (
            "task.passes_per_epoch=3", "model.k_hop=3", "model.hidden_size=8", "train.epochs=2",
            "train.checkpoint_every=1", "expect.value=0.2",
        ),
        ("save", 1), ("test",), ((), ("--picture", "none")), write_cora,
    ),
    "PGL_graphsage": Case(
        "PGL", "cora_graphsage.yaml",
        (
            "task.samples=[4,4]", "task.batch_size=2", "model.hidden_size=8",
            "train.accumulate=2", "train.early_stop=5", "train.ema=0.3", "train.epochs=2", "train.evaluate_every=1",
            "train.checkpoint_every=1", "expect.value=0.2",
        ),
        ("step", 6), ("test",), ((), ("--picture", "none")), write_cora,
    ),
    "PGL_deepwalk": Case(
        "PGL", "blogcatalog_deepwalk.yaml",
        (
            "task.batch_size=20", "model.embedding_size=8", "model.walk_length=10", "train.epochs=2",
            "train.evaluate_every=1", "train.checkpoint_every=1", "expect={split: test, metric: macro_f1, value: 0.1}",
        ),
        ("step", 4), ("test",), ((), ("--picture", "none")), write_blog_catalog,
    ),
    "PGL_transe": Case(
        "PGL", "umls_transe.yaml",
        (
            "task.batch_size=14", "task.negatives=4", "model.embedding_size=8", "train.epochs=2",
            "train.evaluate_every=1", "train.checkpoint_every=1", "expect=null",
        ),
        ("save", 1), ("test",), ((), ("--picture", "none", "--near", "h3")), write_triples,
    ),
    "PaddleGAN_dcgan": Case(
        "PaddleGAN", "faces_dcgan.yaml",
        (
            *(change.replace("SIZE", "64") for change in _FACES), *_SAMPLES, "train.epochs=2",
            "train.checkpoint_every=1", "train.ema=0.3", "generator.network.ngf=2",
            "generator.network.input_nz=6", "discriminator.network.ndf=2", "discriminator.network.norm_type=instance",
            "train.keep_checkpoints=1",
        ),
        ("step", 6), ("test",), (("samples",), ("--count", "4")),
    ),
    "PaddleGAN_pix2pix": Case(
        "PaddleGAN", "camvid_pix2pix.yaml",
        (
            "data.root=null", *_PAIRS, "samples.every=2", "samples.count=2", "train.epochs=2",
            "train.checkpoint_every=1", "train.keep_checkpoints=1",
            "generator.network={name: UnetGenerator, num_downs: 5, ngf: 1}",
            "discriminator.network.ndf=2", "expect={split: test, at_least: {psnr: 1.0}, at_most: {l1: 2.0}}",
        ),
        ("save", 1), ("test",), (("translate",), ("--count", "2")),
    ),
    "PaddleGAN_cyclegan": Case(
        "PaddleGAN", "dusk2day_cyclegan.yaml",
        (
            "data.root=null", *_UNPAIRED, "samples.every=2", "samples.count=2", "train.epochs=2",
            "train.checkpoint_every=1", "train.keep_checkpoints=1", "train.ema=0.3", "task.pool_size=3",
            "generator.network={name: UnetGenerator, num_downs: 5, ngf: 1}",
            "discriminator.network={name: NLayerDiscriminator, ndf: 2, n_layers: 2, norm_type: batch}", "expect=null",
        ),
        ("step", 3), ("test",), (("translate",), ("--count", "2", "--direction", "BtoA")),
    ),
    "PaddleGAN_stgan": Case(
        "PaddleGAN", "faces_stgan.yaml",
        (
            *(change.replace("SIZE", "32") for change in _FACES), *_SAMPLES, "train.epochs=2",
            "train.checkpoint_every=1", "train.keep_checkpoints=1", "task.critic_steps=2",
            "generator.network={name: STGANGenerator, ngf: 2, n_layers: 2}",
            "discriminator.network={name: STGANDiscriminator, ndf: 2, n_layers: 3, fc_dim: 4}", "expect=null",
        ),
        ("step", 5), ("test",), (("edit",), ("--count", "2")),
    ),
}  # fmt: skip
