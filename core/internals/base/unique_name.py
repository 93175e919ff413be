"""``paddle.base.unique_name``."""

from core.nn.naming import generate, generate_with_ignorable_key, guard, switch

__all__ = ["generate", "generate_with_ignorable_key", "guard", "switch"]
