"""The export command: from a run to a folder that computes on its own."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

from PaddleGAN.runs import open_run


def export_run(run: str, checkpoint: str, output: Optional[str]) -> int:
    """Export a run's generator.

    Args:
        run: the run's folder.
        checkpoint: which one of the run.
        output: where to write; None: the run's folder "exported".

    Returns:
        The exit code.

    Raises:
        OperatorError: what was written gives other numbers than the network.
    """
    task, folder = open_run(run, checkpoint)
    target = Path(output) if output else folder.path / "exported"
    told = task.export(target)
    megabytes = sum(file.stat().st_size for file in target.iterdir()) / 1e6
    print(f"wrote {target}: {told}, {megabytes:.1f} MB\ncompared with the live network: equal")
    return 0
