"""``paddle.base.core``: what Paddle has of its C++ library."""

from core.framework.core import *
from core.internals import _legacy_C_ops as ops
