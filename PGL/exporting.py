"""The export command: from a run to a folder that computes on its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from PGL.runs import open_run


def export_run(run: str, checkpoint: str, overrides: Sequence[str], output: Optional[str]) -> int:
    """Export a run's network.

    Args:
        run: the run's folder.
        checkpoint: which one of the run.
        overrides: changes of keys.
        output: where to write; None: the run's folder "exported".

    Returns:
        The exit code.

    Raises:
        OperatorError: what was written gives other numbers than the network.
    """
    task, folder = open_run(run, checkpoint, overrides)
    target = Path(output) if output else folder.path / "exported"
    told = task.export(target)
    megabytes = sum(file.stat().st_size for file in target.iterdir()) / 1e6
    print(f"wrote {target}: {told}, {megabytes:.1f} MB\ncompared with the live network: equal")
    return 0
