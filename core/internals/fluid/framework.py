"""``paddle.fluid.framework``."""

from core.internals.base.framework import *
