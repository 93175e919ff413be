"""``paddle.fluid.core``."""

from core.internals.base.core import *
