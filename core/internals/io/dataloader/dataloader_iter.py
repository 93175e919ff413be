"""``paddle.io.dataloader.dataloader_iter``."""

from core.io.loader import DataLoaderIterator as _DataLoaderIterBase

__all__ = ["_DataLoaderIterBase"]
