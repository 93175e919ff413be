"""The training command: from a config to a run folder with a trained, tested network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core.train.checkpoint import CheckpointStore
from core.train.command_line import folder_of
from core.train.experiment import claimed_folder, open_experiment
from core.train.finish import Outcome
from core.train.run_folder import RunFolder, writing
from core.train.seeds import seed_everything
from core.train.trainer import Trainer
from PaddleClas.classifier import write_class_names
from PaddleClas.config import ClassificationConfig
from PaddleClas.evaluation import meets_expectation, write_pictures
from PaddleClas.task import ClassificationTask, build_network


def train(config_file: Optional[str], overrides: Sequence[str], resume: Optional[str], profile: bool = False) -> int:
    """Train, test and report.

    Args:
        config_file: the experiment; None with ``resume``: the run's own config.
        overrides: changes of keys.
        resume: None for a new run; a run's folder; or "" for the newest run of the config.
        profile: whether to measure where time goes.

    Returns:
        The exit code.
    """
    config, folder = open_experiment(ClassificationConfig, config_file, overrides, resume)
    seed_everything(config.seed)
    begun = folder is not None and CheckpointStore(folder.checkpoints).newest() is not None
    network = build_network(config.model.architecture()) if begun else None  # the checkpoint has the weights
    task = ClassificationTask(config, network)
    datasets = [task.dataset(split) for split in task.sections]
    folder = claimed_folder(config, folder)
    with writing(folder.path):
        write_class_names(folder, datasets[0].class_names)
    trainer = Trainer(task, config.train, folder, config.seed, profile=profile)
    _announce(config, task)
    print("".join(f"{line}\n" for line in _remarks(task)), end="")
    if resume is not None:
        trainer.resume()
    outcome = trainer.fit()
    return _report(config, folder, task, outcome)


def _announce(config: ClassificationConfig, task: ClassificationTask) -> None:
    images = ", ".join(f"{len(task.dataset(split)):,} {split}" for split in task.sections)
    print(
        f"{config.model.name}, {config.model.class_num} classes\n"
        f"data: {images} images\n"
        f"{config.optimizer.name}, learning rate {config.schedule.arguments['learning_rate']} ({config.schedule.name})"
    )


def _remarks(task: ClassificationTask) -> list[str]:
    """Say what may be a mistake: classes without an image to train on."""
    dataset = task.dataset("train")
    names, lines = dataset.class_names, []
    seen = {dataset.label(index) for index in range(len(dataset))}
    unseen = [name for number, name in enumerate(names) if number not in seen]
    if unseen:
        more = f" and {len(unseen) - 5} more" if len(unseen) > 5 else ""
        lines.append(f"note: data.train has no image of the class {', '.join(unseen[:5])}{more}")
    return lines


def _report(config: ClassificationConfig, folder: RunFolder, task: ClassificationTask, outcome: Outcome) -> int:
    print(f"trained in {outcome.seconds:.1f} s; weights of epoch {outcome.best_epoch or config.train.epochs}")
    for split, numbers in outcome.results.items():
        print(f"  {split}: " + ", ".join(f"{name.replace('_', ' ')} {value:.4f}" for name, value in numbers.items()))
    split = "test" if "test" in outcome.evaluators else "valid"
    if split in outcome.evaluators:
        write_pictures(outcome.evaluators[split], task, split, folder.path)
    good = meets_expectation(config, outcome.results)
    commands = folder_of(__file__)
    other = next(name for name in ("valid", "train") if name in task.sections)
    print(
        f"\nlook at   {folder}/learning_curve.png, confusion_matrix.png, predictions.png\n"
        f"next, try\n"
        f"  python {commands}/infer.py {folder} --demo 8          classify eight test images and draw the answers\n"
        f"  python {commands}/eval.py {folder} --split {other}      evaluate again, on another split\n"
        f"  tensorboard --logdir {folder}/tensorboard             watch the curves (pip install tensorboard)\n"
        f"  python {commands}/train.py --keys                     what a config can say; change it with -o key=value"
    )
    return 0 if good else 1
