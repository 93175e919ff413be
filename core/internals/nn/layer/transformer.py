"""Inner names of ``paddle.nn.layer.transformer``."""

from core.nn.layer.attention import attention_mask as _convert_attention_mask
from core.nn.layer.transformer_parts import attributes_per_part as _convert_param_attr_to_list

__all__ = ["_convert_attention_mask", "_convert_param_attr_to_list"]
