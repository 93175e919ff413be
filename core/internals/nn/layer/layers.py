"""Inner names of ``paddle.nn.layer.layers``."""

from core.framework.mode import in_to_static_mode as in_declarative_mode

__all__ = ["in_declarative_mode"]
