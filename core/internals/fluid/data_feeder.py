"""``paddle.fluid.data_feeder``."""

from core.internals.base.data_feeder import *
