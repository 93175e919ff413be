"""``paddle.base.framework``."""

from core.framework import in_dynamic_mode
from core.framework.mode import in_dynamic_or_pir_mode
from core.nn import Parameter as EagerParamBase
from core.tensor import Tensor as Variable

in_dygraph_mode = in_dynamic_mode

__all__ = ["EagerParamBase", "Variable", "in_dygraph_mode", "in_dynamic_mode", "in_dynamic_or_pir_mode"]
