"""The preview command: what there is to learn from, before anything is trained."""

from __future__ import annotations

import argparse

import numpy as np

from core.drawing import loglog_plot
from core.train.runner.toolkit import Toolkit
from core.vision.image import write_image


def preview(toolkit: Toolkit, options: argparse.Namespace) -> int:
    """Print what a config's graph has, and draw how many nodes have how many neighbours.

    Args:
        toolkit: of the experiment.
        options: of the command line: config, overrides and output.

    Returns:
        The exit code.
    """
    config = toolkit.load(options.config, options.overrides)
    task = toolkit.build_task(config)
    print(*task.facts(), sep="\n")
    degrees, counts = np.unique(np.asarray(task.data.graph.indegree()), return_counts=True)
    title = f"{config.data.dataset.name}: {counts.sum():,} nodes"
    ends, shift = "edges that end at a node", int(degrees[0] == 0)  # a logarithm needs one at least
    across = f"{ends}, + 1" if shift else ends
    write_image(options.output, loglog_plot(degrees + shift, counts, across, "nodes", title))
    print(f"wrote {options.output}: {degrees.min()} to {degrees.max()} edges end at a node")
    return 0
