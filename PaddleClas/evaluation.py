"""The evaluation command, and the pictures that belong to an evaluation."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Optional

import numpy as np

from core.drawing import confusion_matrix, reliability_diagram
from core.train.checkpoint import load_network
from core.train.config import load_config
from core.train.evaluation_pass import EvaluationPass
from core.train.run_folder import RunFolder
from core.train.seeds import seed_everything
from core.vision.image import write_image
from core.weights.atomic import atomic_write
from PaddleClas.classifier import read_class_names
from PaddleClas.config import ClassificationConfig
from PaddleClas.pictures import prediction_sheet, sheet_selection
from PaddleClas.task import ClassificationEvaluator, ClassificationTask


def evaluate(
    run: Optional[str],
    config_file: Optional[str],
    overrides: Sequence[str],
    split: str,
    checkpoint: str,
    output: Optional[str],
) -> int:
    """Evaluate a run's checkpoint, or a config's network with the weights that it names.

    Args:
        run: a run's folder; None: ``config_file`` is given.
        config_file: an experiment; None: ``run`` is given.
        overrides: changes of keys.
        split: "train", "valid" or "test".
        checkpoint: which one of the run.
        output: where to write; None: the run's folder, else runs/evaluation.

    Returns:
        The exit code: 1 when the config expects more than is reached.
    """
    folder = None if run is None else RunFolder.open(run)
    config = load_config(ClassificationConfig, folder.config if folder is not None else str(config_file), overrides)
    seed_everything(config.seed)
    config.teacher = None  # only training asks it
    if folder is not None:
        config.model = config.model.architecture()
    _read_in_order(config, split)
    names = None if folder is None else read_class_names(folder, config.model.class_num)
    task = ClassificationTask(config, class_names=names, several_views=True)
    task.dataset(split)  # what does not fit is found before weights are read
    if folder is not None:
        chosen = folder.find_checkpoint(checkpoint)
        load_network(chosen, "model", task.network)
        print(f"weights: {chosen}")
    evaluator = EvaluationPass(task, config.train.compiled)(split)
    numbers = {**evaluator.result(), "calibration_error": evaluator.calibration().error}
    print(f"{split}: " + ", ".join(f"{name.replace('_', ' ')} {value:.4f}" for name, value in numbers.items()))
    _print_classes(evaluator, task.dataset(split).class_names)
    target = (
        Path(output)
        if output
        else folder.path / f"evaluation_{split}"
        if folder is not None
        else Path("runs/evaluation")
    )
    target.mkdir(parents=True, exist_ok=True)
    write_pictures(evaluator, task, split, target)
    classes = task.dataset(split).class_names
    record = {**numbers, "accuracy_of_classes": dict(zip(classes, evaluator.accuracy_of_classes()))}
    with atomic_write(target / "results.json") as stream:
        stream.write((json.dumps({split: record}, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))
    print(f"wrote {target}/results.json, confusion_matrix.png and .csv, calibration.png, predictions.png")
    return 0 if meets_expectation(config, {split: numbers}) else 1


def _read_in_order(config: ClassificationConfig, split: str) -> None:
    """Make a split's loader give every image once, in order, without the augmentation of training."""
    section = getattr(config.data, split)
    if section is not None:
        section.shuffle = section.drop_last = False
        unaugmented = config.data.test or config.data.valid
        if split == "train" and unaugmented is not None:
            section.transforms = unaugmented.transforms


def _print_classes(evaluator: ClassificationEvaluator, names: Sequence[str], most: int = 20) -> None:
    """Say of each class, where they are few, how many of its images were recognised."""
    matrix = evaluator.confusion.matrix
    for name, row, right in list(zip(names, matrix, matrix.diagonal()))[: most if len(names) <= most else 0]:
        print(f"  {name}: {right} of {row.sum()} right")


def _write_confusion(matrix: np.ndarray, names: Sequence[str], path: Path) -> None:
    """Write a confusion matrix as CSV: a row for each true class, a column for each predicted one."""
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(["true \\ predicted", *names])
    rows.writerows([name, *row] for name, row in zip(names, matrix.tolist()))
    with atomic_write(path) as stream:
        stream.write(text.getvalue().encode("utf-8"))


def write_pictures(evaluator: ClassificationEvaluator, task: ClassificationTask, split: str, folder: Path) -> None:
    """Write confusion_matrix.png and .csv, calibration.png and predictions.png.

    Args:
        evaluator: a filled evaluator.
        task: the task, for its images.
        split: what was evaluated.
        folder: where to write.
    """
    dataset = task.dataset(split)
    names = [*dataset.class_names, *map(str, range(len(dataset.class_names), evaluator.class_num))]
    accuracy = evaluator.result()["accuracy"]
    title = f"{task.config.model.name}, {split}: {accuracy:.2%} of {len(evaluator.labels)} images right"
    write_image(folder / "confusion_matrix.png", confusion_matrix(evaluator.confusion.matrix, names, title))
    _write_confusion(evaluator.confusion.matrix, names, folder / "confusion_matrix.csv")
    found = evaluator.calibration()
    remark = f"expected calibration error {found.error:.3f}"
    diagram = reliability_diagram(found.edges, found.accuracy, found.counts, f"{task.config.model.name}, {split}", remark)
    write_image(folder / "calibration.png", diagram)
    chosen = sheet_selection(evaluator.labels, evaluator.predictions)
    sheet = prediction_sheet(
        [dataset.image(i) for i in chosen],
        [evaluator.labels[i] for i in chosen],
        [evaluator.predictions[i] for i in chosen],
        [evaluator.confidences[i] for i in chosen],
        names,
        f"{title} (mistakes first)",
    )
    write_image(folder / "predictions.png", sheet)


def meets_expectation(config: ClassificationConfig, results: Mapping[str, Mapping[str, float]]) -> bool:
    """Compare results with what the config expects, and say so.

    Args:
        config: the experiment.
        results: numbers of each evaluated split.

    Returns:
        False when the expected split was evaluated and fell short, or drifted further than the tolerance.
    """
    expect = config.expect
    if expect is None or expect.split not in results:
        return True
    reached = results[expect.split]["accuracy"]
    if expect.tolerance is None:
        good, wanted = reached >= expect.accuracy, f"at least {expect.accuracy:.4f}"
        wrong = "BELOW what the config expects"
    else:
        good = abs(reached - expect.accuracy) <= expect.tolerance + 1e-12
        wanted, wrong = f"{expect.accuracy:.4f} within {expect.tolerance:.4f}", "DRIFTED from what the config expects"
    print(f"{expect.split} accuracy {reached:.4f}, expected {wanted}: {'as expected' if good else wrong}")
    return good
