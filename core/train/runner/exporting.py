"""The export command: from a run to a folder that computes on its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Optional

import core
from core.train.logs.run_folder import writing
from core.train.runner.experiment import open_run
from core.train.runner.task import Program
from core.train.runner.toolkit import Toolkit
from core.weights.atomic import atomic_write


def export_run(
    toolkit: Toolkit,
    run: str,
    checkpoint: str = "best",
    overrides: Sequence[str] = (),
    output: Optional[str] = None,
    onnx: bool = False,
) -> int:
    """Export what a run has trained.

    Args:
        toolkit: of the run.
        run: the run's folder.
        checkpoint: which one of the run.
        overrides: changes of keys.
        output: where to write; None: the run's folder "exported".
        onnx: whether to write model.onnx, too.

    Returns:
        The exit code.
    """
    task, folder = open_run(toolkit, run, checkpoint, overrides)
    write_program(task.program(), Path(output) if output else folder.path / "exported", onnx)
    return 0


def write_program(program: Program, target: Path, onnx: bool = False, compared: str = "equal") -> None:
    """Write a program, and say what it takes and gives.

    Args:
        program: the network, its inputs, and what else belongs to them.
        target: the folder to write.
        onnx: whether to write model.onnx in it, too.
        compared: how the program and the network compare, if it is written.

    Raises:
        OperatorError: what was written gives other numbers than the network, or ONNX cannot express it.
    """
    with writing(target):
        core.jit.save(program.network, target, program.inputs, **program.extra)
        for name, content in program.files.items():
            with atomic_write(target / name) as stream:
                stream.write(content)
    megabytes = sum(file.stat().st_size for file in target.iterdir()) / 1e6
    print(f"wrote {target}: {program.description}, {megabytes:.1f} MB\ncompared with the live network: {compared}")
    if onnx:
        core.onnx.export(program.network, str(target / "model"), program.inputs, compare=program.ordered)
        size = (target / "model.onnx").stat().st_size / 1e6
        text = f"; run by onnxruntime and compared: {compared}" if program.ordered else ""
        print(f"wrote {target}/model.onnx, {size:.1f} MB{text}")
