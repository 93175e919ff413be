"""Several data sets as one, of which each task that shares an encoder has its own."""

from __future__ import annotations

from typing import Annotated, Optional

from core.io import ConcatDataset
from core.train.config.table import Component, Named
from PaddleNLP.data.dataset import Transform
from PaddleNLP.data.registry import DATASETS


class SeveralDatasets(ConcatDataset):
    """The samples of several data sets, one after another.

    Args:
        parts: the data sets by name, each with its settings.
        transform: what to do with a sample.

    Attributes:
        parts: the data sets by name.

    Raises:
        FileNotFoundError: a file of a part is missing.
        ValueError: there are no parts, or one is broken.
    """

    def __init__(
        self, parts: dict[str, Annotated[Component, Named(DATASETS)]], transform: Optional[Transform] = None
    ) -> None:
        if not parts:
            raise ValueError("SeveralDatasets: there are no parts; name a data set for each task")
        components = {name: Component.model_validate(part) for name, part in parts.items()}
        self.parts = {name: DATASETS.build(part, transform=transform) for name, part in components.items()}
        super().__init__(self.parts.values())
