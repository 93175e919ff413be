"""One experiment from several seeds: a run of each, judged by its best checkpoint, and a table of all of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from core.train.config.schema import differences, save_config
from core.train.logs.run_folder import RunFolder, writing
from core.train.runner.expectation import digits, meets_expectation, spaced
from core.train.runner.experiment import SEEDS, claimed_folder, open_experiment
from core.train.runner.toolkit import Toolkit
from core.train.runner.training import report, train_run
from core.weights.atomic import atomic_write

TABLE = "seeds.md"


def train_seeds(
    toolkit: Toolkit,
    config_file: Optional[str],
    count: int,
    overrides: Sequence[str] = (),
    resume: Optional[str] = None,
    profile: bool = False,
) -> int:
    """Train a run for each of several seeds, the config's and those after it; print and write what they give.

    The runs are the folders seed_0, seed_1, ... in the one that the config names. Of each counts the checkpoint that is
    best on the valid split. The table is written after every run, as seeds.json and seeds.md.

    Args:
        toolkit: what trains.
        config_file: the experiment; None with ``resume``: that of the folder.
        count: how many seeds.
        overrides: changes of keys.
        resume: None for new runs; the folder of earlier ones; or "" for the newest folder of the config. Runs that are
            complete stay as they are, one that was stopped continues, further ones begin.
        profile: whether to measure where time goes.

    Returns:
        The exit code: 1 when the mean falls short of what the config expects.

    Raises:
        FileNotFoundError: there is no such folder.
        ValueError: the folder is that of a single run, or its table is damaged.
    """
    config, folder = open_experiment(toolkit, config_file, overrides, resume)
    known = {} if folder is None else _read(folder)
    if folder is None:
        toolkit.build_task(config)  # a mistake leaves no empty folder behind
    folder = claimed_folder(config, folder)
    try:
        with writing(folder.path):
            save_config(config, folder.config)
        rows: list[dict[str, Any]] = []
        for seed in range(config.seed, config.seed + count):
            print(f"\nseed {seed}: run {len(rows) + 1} of {count}")
            _write(folder, [*rows, *(row for number, row in known.items() if number >= seed)])
            rows.append(_row(toolkit, folder, seed, known.get(seed), profile))
        _write(folder, rows)
    finally:
        folder.release()
    print("", *table(rows), "", f"wrote {folder}/{SEEDS}, {TABLE}", sep="\n")
    means = {split: dict(zip(names, values.mean(axis=0).tolist())) for split, (names, values) in _numbers(rows).items()}
    return 0 if meets_expectation(config.expect, means) else 1


def _row(
    toolkit: Toolkit, folder: RunFolder, seed: int, known: Optional[dict[str, Any]], profile: bool
) -> dict[str, Any]:
    """Return what a seed's run gives; train it unless it is known, and its config is still the same."""
    path = folder.path / f"seed_{seed}"
    changes = [f"seed={seed}", f"output={json.dumps(str(path))}", "expect=null"]  # the mean is judged
    begun = (path / "config.yaml").is_file()
    if begun and known is not None:
        now = toolkit.load(folder.config, changes, quiet=True)
        if not differences(toolkit.load(path / "config.yaml", quiet=True), now):
            print(f"complete: {path}")
            return known
    run = train_run(toolkit, str(folder.config), changes, str(path) if begun else None, profile)
    report(toolkit, run)
    task, outcome = run.task, run.outcome
    return {
        "seed": seed,
        "best_epoch": outcome.best_epoch,
        "best_step": outcome.best_step,
        "monitor": task.monitor,
        "higher_is_better": task.higher_is_better,
        "results": {split: run.numbers(split) for split in outcome.results},
    }


def _read(folder: RunFolder) -> dict[int, dict[str, Any]]:
    """Return what is known of the seeds of a folder."""
    file = folder.path / SEEDS
    if not file.is_file():
        raise ValueError(f"{str(folder)!r} is the folder of a single run: continue it without --seeds")
    try:
        return {row["seed"]: dict(row) for row in json.loads(file.read_text(encoding="utf-8"))["runs"]}
    except (ValueError, KeyError, TypeError):
        message = 'write {"runs": []} into it, and complete runs are evaluated once more'
        raise ValueError(f"{str(file)!r} is damaged: {message}") from None


def _write(folder: RunFolder, rows: Sequence[Mapping[str, Any]]) -> None:
    summary = {"runs": rows, **({"results": _summary(rows)} if rows else {})}
    for name, text in ((SEEDS, json.dumps(summary, indent=1)), (TABLE, "\n".join(table(rows)))):
        with writing(folder.path / name), atomic_write(folder.path / name) as stream:
            stream.write(f"{text}\n".encode())


def _numbers(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[list[str], np.ndarray]]:
    """Return of each split the names of the numbers that all runs have, and their values, (runs, names)."""
    found = {}
    for split in rows[0]["results"] if rows else ():
        parts = [row["results"].get(split, {}) for row in rows]
        names = [name for name in parts[0] if all(name in part for part in parts)]
        found[split] = names, np.array([[part[name] for name in names] for part in parts], np.float64)
    return found


def _spread(values: np.ndarray) -> np.ndarray:
    """Return the sample standard deviation of columns; of one row, zeros."""
    return values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros(values.shape[1])


def _best(rows: Sequence[Mapping[str, Any]]) -> Optional[int]:
    """Return the row that is best by the monitored number of the valid split; None where there is none."""
    found = [row["results"].get("valid", {}).get(row["monitor"]) for row in rows]
    if not found or None in found:
        return None
    return int(np.argmax(found) if rows[0]["higher_is_better"] else np.argmin(found))


def _summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return mean and standard deviation of each number, and the seed that is best on the valid split."""
    summary: dict[str, Any] = {}
    for split, (names, values) in _numbers(rows).items():
        summary[split] = {
            name: {"mean": mean, "standard_deviation": spread}
            for name, mean, spread in zip(names, values.mean(axis=0).tolist(), _spread(values).tolist())
        }
    best = _best(rows)
    return summary if best is None else {**summary, "best_seed": rows[best]["seed"]}


def table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a table in Markdown: a line for each seed, mean, standard deviation, and the best by the valid split.

    Args:
        rows: of seeds.json.
    """
    numbers = _numbers(rows)
    names = [f"{split} {spaced(name)}" for split, (own, _) in numbers.items() for name in own]
    lines = [f"| seed | {' | '.join(names)} |", f"|---|{'---:|' * len(names)}"] if names else []
    if not names:
        return lines
    values = np.concatenate([own for _, own in numbers.values()], axis=1)
    cells = {str(row["seed"]): own for row, own in zip(rows, values)}
    cells.update({"mean": values.mean(axis=0), "standard deviation": _spread(values)})
    best = _best(rows)
    if best is not None:
        cells[f"best on valid: {rows[best]['seed']}"] = values[best]
    return lines + [f"| {name} | {' | '.join(map(digits, own.tolist()))} |" for name, own in cells.items()]
