"""Data in splits: each is a data set with transforms, made into batches."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Optional, TypeVar

import numpy as np
import pydantic

from core.io import DataLoader
from core.io.files import is_url
from core.train.config.batching import Batching
from core.train.config.schema import Section
from core.train.config.table import Component, Table
from core.train.runner.config import DataSection
from core.train.runner.pictures import LARGEST, to_picture
from core.vision.transforms import Compose

if TYPE_CHECKING:
    from typing_extensions import Self

SPLITS = ("train", "valid", "test")


class SplitSection(Section):
    """One split of the data; a toolkit names its tables, and may add keys.

    Attributes:
        datasets: the table of data sets, which take ``transform`` from the program.
        transform_table: the table of transforms.
        largest: pixels of the longer side of a sample's picture in a preview, at most.
    """

    datasets: ClassVar[Table]
    transform_table: ClassVar[Table]
    largest: ClassVar[int] = LARGEST

    dataset: Component = pydantic.Field(description="with its settings")
    transforms: list[Component] = pydantic.Field(description="in order")
    batch_size: pydantic.PositiveInt = pydantic.Field(description="samples per step")
    shuffle: bool = pydantic.Field(False, description="visit the samples in a new random order each epoch")
    drop_last: bool = pydantic.Field(False, description="leave out the last batch when it is not full")

    def build_transform(self) -> Any:
        """Return the function of a sample that the transforms make."""
        return self.composed(self.transforms)

    @classmethod
    def composed(cls, components: Sequence[Component], **provided: Any) -> Any:
        """Return one function of some transforms.

        Args:
            components: of the table of transforms, in order.
            **provided: what each is given beside its arguments.
        """
        return Compose([cls.transform_table.build(component, **provided) for component in components])

    def build_dataset(self, root: Optional[str] = None) -> Any:
        """Return the data set.

        Args:
            root: the folder that its paths are relative to; None: the working directory.

        Raises:
            FileNotFoundError: files of it are missing.
            ValueError: they are broken, or an argument is out of range.
        """
        return self.datasets.build(self.datasets.below(self.dataset, root), transform=self.build_transform())

    def build_loader(
        self,
        dataset: Any,
        seed: int,
        num_workers: int = 0,
        keep_workers: bool = False,
        collate_fn: Any = None,
    ) -> DataLoader:
        """Return the loader of batches.

        Args:
            dataset: the data set, or what was made of it.
            seed: of the run; order and augmentation depend on it, the epoch and the sample alone.
            num_workers: how many processes read; the batches do not depend on it.
            keep_workers: whether they live from one epoch to the next.
            collate_fn: makes a batch of samples; None: arrays of their fields.
        """
        return self.loader_of(
            dataset,
            collate_fn,
            shuffle=self.shuffle,
            drop_last=self.drop_last,
            num_workers=num_workers,
            persistent_workers=keep_workers and num_workers > 0,
            seed=seed,
        )

    def loader_of(self, dataset: Any, collate_fn: Any, **options: Any) -> DataLoader:
        """Return a loader; the options are those of :class:`core.io.DataLoader` that all kinds of splits share."""
        return DataLoader(dataset, collate_fn=collate_fn, batch_size=self.batch_size, **options)

    # what preview.py shows

    def steps(self) -> list[str]:
        """Return the names of what is done to the samples."""
        return [component.name for component in self.transforms]

    def mixed(self, samples: Sequence[Any], config: Any, split: str, epoch: int) -> Sequence[Any]:
        """Return samples as a batch of an epoch has them, where a batch is more than its samples."""
        return samples

    def pictures(self, sample: Any) -> list[np.ndarray]:
        """Return the images of a sample as pictures, uint8, each (H, W, 3) or (H, W, 1)."""
        fields = sample if isinstance(sample, (tuple, list)) else [sample]
        return [to_picture(field, self.transforms) for field in fields if getattr(field, "ndim", 0) == 3]

    def original(self, dataset: Any, index: int) -> list[tuple[Any, str]]:
        """Return a sample before the transforms, if it is known: pictures, uint8 (H, W, C), with captions."""
        return []

    def caption(self, sample: Any, dataset: Any) -> str:
        """Return what is written below a sample's pictures."""
        return ""


class RaggedSplitSection(SplitSection):
    """One split of data whose samples have sizes of their own; the task says how each field is batched.

    :meth:`core.train.runner.task.ToolkitTask.collate` returns that, as :class:`core.io.Collate` takes it.
    """

    batching: Batching = pydantic.Field(
        Batching.model_validate({}), description="how samples of different sizes become batches"
    )

    def loader_of(self, dataset: Any, collate_fn: Any, **options: Any) -> DataLoader:
        """Return a loader of batches of few shapes; ``collate_fn`` says how each field is batched."""
        return self.batching.loader(dataset, collate_fn, self.batch_size, **options)


Split = TypeVar("Split", bound=SplitSection)


class Splits(DataSection, Generic[Split]):
    """Which data."""

    train: Split
    valid: Optional[Split] = None
    test: Optional[Split] = None

    @property
    def names(self) -> list[str]:
        """The splits that there are."""
        return [name for name in SPLITS if getattr(self, name) is not None]

    def split(self, name: str) -> Split:
        """Return the section of a split.

        Raises:
            ValueError: there is no such split.
        """
        if name not in self.names:
            raise ValueError(f"the config has no data.{name}; it has {', '.join(self.names)}")
        section: Split = getattr(self, name)
        return section

    def build_dataset(self, name: str) -> Any:
        """Return the data set of a split.

        Raises:
            ValueError: there is no such split, or its data is broken.
            OSError: its folder or files are missing.
        """
        section = self.split(name)
        require_root(self.root)
        try:
            return section.build_dataset(self.root)
        except (OSError, ValueError) as error:
            kind = ValueError if isinstance(error, ValueError) else type(error)
            raise kind(f"data.{name}: {error}") from None

    def evaluated(self, split: str) -> Self:
        """Return the same data of which a split is seen once, in order, and without the augmentation of training.

        Args:
            split: which one.
        """
        section: Optional[SplitSection] = getattr(self, split, None)
        if section is None:
            return self
        unaugmented = self.test or self.valid
        transforms = unaugmented.transforms if split == "train" and unaugmented is not None else section.transforms
        changes = {"shuffle": False, "drop_last": False, "transforms": transforms}
        return self.model_copy(update={split: section.model_copy(update=changes)})


def require_root(root: Optional[str]) -> None:
    """Refuse a root that is no folder.

    Args:
        root: a folder, a URL, or None.

    Raises:
        NotADirectoryError: there is no such folder.
    """
    if root is not None and not is_url(root) and not os.path.isdir(root):
        raise NotADirectoryError(f"data.root: no folder {root!r}; say where the data is with --data FOLDER")
