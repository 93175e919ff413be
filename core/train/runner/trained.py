"""The network of a run in evaluation mode, for what answers with it from Python."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Union

import core
from core.train.checkpoints.store import load_network
from core.train.logs.run_folder import RunFolder
from core.train.runner.toolkit import Toolkit


class TrainedNetwork:
    """The network of a run, with a checkpoint's weights.

    Args:
        toolkit: of the run; its configs have ``network`` and ``data``.
        path: the run's folder.
        checkpoint: "best", "newest", or the name of a folder in the run's checkpoints.
        overrides: changes of keys of the run's config.

    Attributes:
        folder: of the run.
        path: the folder's.
        config: of the run.
        checkpoint: the folder of the weights.
        network: the Layer, in evaluation mode.
        section: the split that says how samples are prepared: test, else valid, else train.
        forward: calls the network; compiled where the run's training was.

    Raises:
        FileNotFoundError: it is no run's folder, or there is no such checkpoint.
    """

    def __init__(
        self,
        toolkit: Toolkit,
        path: Union[str, os.PathLike[str]],
        checkpoint: str = "best",
        overrides: Sequence[str] = (),
    ) -> None:
        self.folder = RunFolder.open(path)
        self.path = self.folder.path
        self.config = toolkit.load(self.folder.config, overrides).continued()
        self.checkpoint = self.folder.find_checkpoint(checkpoint)
        self.network: Any = toolkit.tables["network"].build(self.config.network)
        load_network(self.checkpoint, "model", self.network)
        self.network.eval()
        data = self.config.data
        self.section: Any = data.test or data.valid or data.train
        self.forward: Any = core.jit.to_static(self.network.__call__) if self.config.train.compiled else self.network
