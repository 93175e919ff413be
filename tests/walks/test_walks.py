"""Every kind of experiment from training, killed and continued, to predictions, by the command line only.

The default run walks a classifier, a graph network and a language model; ``-m exhaustive`` walks the others, whose
commands are tested with their toolkits.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.weights import write_pickle
from PaddleDetection.config import TASKS as DETECTION_TASKS
from PaddleGAN.config import TASKS as ADVERSARIAL_TASKS
from PaddleNLP.config import TASKS as LANGUAGE_TASKS
from PaddleVideo.config import TASKS as VIDEO_TASKS
from PGL.config import TASKS as GRAPH_TASKS
from tests.core.vision.video_files import drawn_frames, write_video
from tests.PaddleNLP.small import SETS as LANGUAGE_SETS
from tests.PaddleNLP.small import experiment
from tests.sampling import sampled
from tests.walks.cases import (
    ADVERSARIAL,
    DETECTION,
    GRAPHS,
    ROOT,
    UNBOUNDED,
    write_labelled,
    write_photos,
    write_weights,
)
from tests.walks.killing import KillingServer
from tests.walks.steps import (
    Walk,
    walk_adversarial,
    walk_classifier,
    walk_detector,
    walk_graph,
    walk_intervals,
    walk_language,
    walk_recogniser,
    walk_restorer,
)

CLASSIFICATION = ROOT / "PaddleClas" / "configs"
SMALL_PHOTOS = tuple(
    f"data.{split}.transforms=[{{name: Resize, size: [32, 32]}}, {{name: ToTensor}}, "
    "{name: Normalize, mean: 0.5, std: 0.5}]"
    for split in ("train", "test")
)
WORDS = ("虽然房间很小，但是服务员很热情", "李雷在上海。")
LED_TALK = '{"goal": [["START", "李雷", "西湖"]], "knowledge": [], "history": ["你 好"], "candidate": ["好", "不 好"]}'
READ = {
    "Pretraining": (),
    "Regression": ("今天天气好\t今天天气很好", "好\t今天"),
    "Ranking": ("李雷在哪里？\t李雷在上海。", "谁在西湖？\t今天下雨。"),
    "PairClassification": ("李雷在哪里？\t李雷在上海。", "谁在西湖？\t今天下雨。"),
    "Similarity": ("李雷在哪里？\t李雷在上海。", "谁在西湖？\t今天下雨。"),
    "MultipleChoice": ("李雷在上海。\t李雷在哪里？\t上海\t北京", "今天下雨。\t谁在西湖？\t李雷\t王小明\t没有人"),
    "DistantRelation": ("Ann was born in Rome\tAnn\tRome", "In Oslo Bob lives\tBob\tOslo\tPERSON\tCITY"),
    "PassageReading": ("李雷在哪里？\t今天下雨。\t李雷在上海。", "谁在西湖？\t今天下雨。"),
    "ResponseSelection": ("李雷 在 上海\t李雷 在 哪里\t在 上海", "谁 在 西湖\t没 有"),
    "ResponseQuality": ("李雷 在 哪里\t在 上海", "谁 在 西湖\t没 有"),
    "KnowledgeSelection": (LED_TALK,),
    "Reply": (LED_TALK,),
    "QuestionAnswering": ("李雷在哪里？\t李雷在上海。", "谁在西湖？\t今天下雨。王小明在西湖。"),
    "LanguageModel": ("meba gofi", "gofi"),
    "BidirectionalLanguageModel": (),
}
"""What infer.py reads, of tasks that do not read one text at a time."""


@pytest.fixture(scope="module")
def server() -> Iterator[KillingServer]:
    started = KillingServer()
    yield started
    started.close()


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Three pictures to classify."""
    folder = write_photos(tmp_path / "photos", classes=1, count=3)
    return folder / "class_0"


@pytest.mark.exhaustive
def test_a_classifier_from_fresh_weights(server: KillingServer, photos: Path, tmp_path: Path) -> None:
    config = CLASSIFICATION / "digits_lenet.yaml"
    walk = Walk(server, tmp_path, "PaddleClas", config, None, ["data.train.batch_size=600"])
    walk_classifier(walk, photos)
    walk.evaluate("valid")


@pytest.mark.exhaustive
def test_a_fine_tuned_classifier_without_validation_split(server: KillingServer, photos: Path, tmp_path: Path) -> None:
    """The weights that it started from are gone when it is continued."""
    weights = write_weights(tmp_path / "official.pdparams", "ResNet18", 5)
    changes = [*SMALL_PHOTOS, f"network.pretrained={weights}", "data.train.batch_size=2", "data.num_workers=0"]
    config = CLASSIFICATION / "hymenoptera_resnet18.yaml"
    walk = Walk(server, tmp_path, "PaddleClas", config, write_photos(tmp_path / "data"), changes)
    walk.after_killing = weights.unlink
    walk_classifier(walk, photos)


@pytest.mark.exhaustive
def test_a_distilled_classifier(server: KillingServer, photos: Path, tmp_path: Path) -> None:
    """Its teacher is gone when it is evaluated."""
    teacher = write_weights(tmp_path / "teacher.pdparams", "LeNet", 10)
    changes = ["data.train.batch_size=600", f"teacher.network={{name: LeNet, class_num: 10, pretrained: {teacher}}}"]
    walk = Walk(server, tmp_path, "PaddleClas", CLASSIFICATION / "digits_lenet.yaml", None, changes)
    walk.after_training = teacher.unlink
    walk_classifier(walk, photos)


@pytest.mark.parametrize("task", sampled(GRAPHS, 10**9, group=lambda task: None))
def test_a_graph_network(task: str, server: KillingServer, tmp_path: Path) -> None:
    name, write, changes, near, given, expected = GRAPHS[task]
    data = write(tmp_path / "data")
    walk = Walk(server, tmp_path, "PGL", ROOT / "PGL" / "configs" / f"{name}.yaml", data, changes)
    walk_graph(walk, near, given(data), expected)


@pytest.mark.exhaustive
@pytest.mark.parametrize("task", list(ADVERSARIAL))
def test_a_generator(task: str, server: KillingServer, tmp_path: Path) -> None:
    name, write, changes, modes = ADVERSARIAL[task]
    data = None if write is None else write(tmp_path / "data")
    walk = Walk(server, tmp_path, "PaddleGAN", ROOT / "PaddleGAN" / "configs" / f"{name}.yaml", data, changes)
    walk_restorer(walk) if "restore" in modes else walk_adversarial(walk, modes, task not in UNBOUNDED)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["masks", "boxes"])
def test_a_detector(kind: str, server: KillingServer, photos: Path, tmp_path: Path) -> None:
    name, changes = DETECTION[kind]
    config = ROOT / "PaddleDetection" / "configs" / f"{name}.yaml"
    walk_detector(Walk(server, tmp_path, "PaddleDetection", config, None, changes), photos)


@pytest.mark.parametrize(
    "task", [pytest.param(name, marks=pytest.mark.exhaustive) for name in LANGUAGE_SETS if name != "Pretraining"]
)
def test_a_language_model(task: str, server: KillingServer, tmp_path: Path) -> None:
    config = experiment(task, tmp_path / "data")
    walk_language(Walk(server, tmp_path, "PaddleNLP", config, None, ["tokenizer.learn=200"]), READ.get(task, WORDS))


@pytest.mark.exhaustive
def test_a_language_model_fine_tuned_from_a_run_that_is_gone(server: KillingServer, tmp_path: Path) -> None:
    """Only the tokeniser's vocabulary is needed to continue; the weights are in the checkpoint."""
    first = Walk(server, tmp_path / "before", "PaddleNLP", experiment("Pretraining", tmp_path / "texts"), None, [])
    (tmp_path / "before").mkdir()
    first.command("train", *first.training)
    weights = (first.run / "checkpoints" / "best" / "model.safetensors").rename(tmp_path / "words.safetensors")
    vocabulary = f"vocab_file: {first.run / 'tokenizer' / 'vocab.txt'}"
    tokenizer = f"tokenizer={{name: ErnieTokenizer, max_length: 48, {vocabulary}}}"
    config = experiment("Classification", tmp_path / "data")
    walk = Walk(server, tmp_path, "PaddleNLP", config, None, [tokenizer, f"network.pretrained={weights}"])
    walk.after_killing = weights.unlink
    walk_language(walk, WORDS)


@pytest.mark.exhaustive
def test_a_recogniser_of_clips(server: KillingServer, tmp_path: Path) -> None:
    config = ROOT / "PaddleVideo" / "configs" / "moving_digits_tsm.yaml"
    counts = [f"data.{split}.dataset.{key}" for split in ("train", "valid", "test") for key in ("count=16", "size=32")]
    walk = Walk(server, tmp_path, "PaddleVideo", config, None, [*counts, "data.train.batch_size=8", "network.width=8"])
    write_video(tmp_path / "clip.mp4", list(drawn_frames(20)))
    walk_recogniser(walk, tmp_path / "clip.mp4")


@pytest.mark.exhaustive
def test_labels_of_features(server: KillingServer, tmp_path: Path) -> None:
    config = ROOT / "PaddleVideo" / "configs" / "drawn_topics_nextvlad.yaml"
    counts = [f"data.{split}.dataset.count=64" for split in ("train", "valid", "test")]
    walk = Walk(server, tmp_path, "PaddleVideo", config, None, [*counts, "data.train.batch_size=32"])
    walk.train()
    walk.evaluate()
    program = walk.export()
    draw = np.random.default_rng(0)
    features = [draw.integers(0, 256, (3, 20, size), np.uint8) for size in (64, 16)]
    assert np.asarray(program.run([*features, np.array([20, 5, 1])])).shape == (3, 20)


@pytest.mark.exhaustive
def test_actions_of_skeletons(server: KillingServer, tmp_path: Path) -> None:
    config = ROOT / "PaddleVideo" / "configs" / "drawn_figures_stgcn.yaml"
    counts = [f"data.{split}.dataset.count=32" for split in ("train", "valid", "test")]
    walk = Walk(server, tmp_path, "PaddleVideo", config, None, [*counts, "data.train.batch_size=16"])
    walk.train()
    walk.evaluate()
    program = walk.export()
    skeletons = np.random.default_rng(0).normal(size=(3, 3, 32, 25, 2)).astype(np.float32)
    assert np.asarray(program.run(skeletons)).shape == (3, 8) and program.class_names[0] == "raise arms"


INTERVALS = {
    "ActionDetection": ("ctcn", ("length=64", "width=4", "channels=8", "head_channels=[8,8]")),
    "ActionProposals": ("bmn", ("tscale=16", "dscale=8", "num_sample=4", "width=8")),
    "ActionSegmentation": ("ms_tcn", ("num_stages=2", "num_layers=2", "num_f_maps=8")),
}
"""Task: its config, and what makes the network small."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("task", list(INTERVALS))
def test_intervals(task: str, server: KillingServer, tmp_path: Path) -> None:
    name, small = INTERVALS[task]
    config = ROOT / "PaddleVideo" / "configs" / f"moving_digits_{name}.yaml"
    counts = [f"data.{split}.dataset.count=8" for split in ("train", "valid", "test")]
    changes = [*counts, "data.train.batch_size=4", *(f"network.{change}" for change in small)]
    scores = np.random.default_rng(0).normal(size=(30, 12)).astype(np.float32)
    write_pickle({"scores": scores, "duration": 3.0}, str(tmp_path / "clip.pkl"))
    walk_intervals(Walk(server, tmp_path, "PaddleVideo", config, None, changes), tmp_path / "clip.pkl")


@pytest.mark.exhaustive
def test_a_detector_fine_tuned_to_other_classes(server: KillingServer, photos: Path, tmp_path: Path) -> None:
    """The weights that it started from are gone when it is continued."""
    name, changes = DETECTION["boxes"]
    config = ROOT / "PaddleDetection" / "configs" / f"{name}.yaml"
    first = Walk(server, tmp_path / "digits", "PaddleDetection", config, None, changes)
    (tmp_path / "digits").mkdir()
    first.command("train", *first.training)
    weights = (first.run / "checkpoints" / "best" / "model.safetensors").rename(tmp_path / "digits.safetensors")
    own = [change for change in changes if not change.startswith("data.")]
    own += ["network.num_classes=2", f"network.pretrained={weights}", "data.train.batch_size=2", "data.test=null"]
    for split in ("train", "valid"):
        dataset = f"{{name: YOLODataset, dataset_dir: ., anno_path: images/{split}, label_list: [green, red]}}"
        own += [f"data.{split}.dataset={dataset}"]
    walk = Walk(server, tmp_path, "PaddleDetection", config, write_labelled(tmp_path / "data"), own)
    walk.after_killing = weights.unlink
    walk_detector(walk, photos, "valid")


def test_every_task_is_walked() -> None:
    assert list(DETECTION_TASKS.entries) == ["Detection"]
    assert list(VIDEO_TASKS.entries) == ["Recognition", "Tagging", "SkeletonRecognition", *INTERVALS]
    assert list(LANGUAGE_TASKS.entries) == [*LANGUAGE_SETS, "ContinualPretraining"]  # continued in its own test
    assert list(GRAPHS) == list(GRAPH_TASKS.entries) and set(ADVERSARIAL) == set(ADVERSARIAL_TASKS.entries)
