"""``paddle.hapi``: what ``Model`` is made of."""

from core.train.model.model import Model

__all__ = ["Model"]
