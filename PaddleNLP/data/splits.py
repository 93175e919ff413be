"""What a split of the data is: a data set of texts, and how its samples become batches."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Optional

import pydantic

from core.train.config.batching import Batching
from core.train.config.table import Component, Named, Table
from core.train.runner.splits import RaggedSplitSection
from PaddleNLP.data.joined import of_section
from PaddleNLP.data.parts import PartSection
from PaddleNLP.data.registry import DATASETS

LENGTHS = [16, 32, 48, 64, 96, 128, 192, 256, 384, 512]
"""Tokens to which the samples of a batch are padded, unless a config says otherwise."""

TRANSFORMS = Table("transform", {})


class SplitSection(RaggedSplitSection):
    """One split of the data."""

    datasets: ClassVar[Table] = DATASETS
    transform_table: ClassVar[Table] = TRANSFORMS

    dataset: Annotated[Component, Named(DATASETS)] = pydantic.Field(description="with its settings")
    transforms: list[Component] = pydantic.Field([], max_length=0, description="none: the task makes ids of the texts")
    part: Optional[PartSection] = pydantic.Field(
        None, description="which lines of the file are of this split, such as {every: 10, keep: [8]}; null: all"
    )
    batching: Batching = pydantic.Field(
        Batching.model_validate({"buckets": LENGTHS}),
        description="how samples of alike length become batches; tokens: so many tokens instead of batch_size samples",
    )

    def build_dataset(self, root: Optional[str] = None) -> Any:
        """Return the data set, or the part of it that the config asks for."""
        found = super().build_dataset(root)
        return found if self.part is None else of_section(found, self.part, root)

    def build_transform(self) -> Any:
        """Return None: samples stay as they are read."""
        return None
