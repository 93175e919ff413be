"""``paddle.fluid.dataloader.dataloader_iter``."""

from core.internals.io.dataloader.dataloader_iter import _DataLoaderIterBase

__all__ = ["_DataLoaderIterBase"]
