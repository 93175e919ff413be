"""``paddle.framework.io``."""

from core.nn import Parameter as EagerParamBase
from core.weights import load, save

__all__ = ["EagerParamBase", "load", "save"]
