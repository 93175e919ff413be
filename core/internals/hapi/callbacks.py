"""``paddle.hapi.callbacks``."""

from core.callbacks import *
