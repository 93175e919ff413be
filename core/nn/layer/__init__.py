"""Layers, in the modules that Paddle keeps them in (paddle.nn.layer). Each module lists its layers in ``__all__``."""

from __future__ import annotations

from core.nn.layer import (
    activation,
    common,
    container,
    conv,
    dropout,
    layers,
    loss,
    norm,
    padding,
    pooling,
    rnn,
    transformer,
    upsample,
    vision,
)
from core.nn.layer.activation import *
from core.nn.layer.common import *
from core.nn.layer.container import *
from core.nn.layer.conv import *
from core.nn.layer.dropout import *
from core.nn.layer.layers import *
from core.nn.layer.loss import *
from core.nn.layer.norm import *
from core.nn.layer.padding import *
from core.nn.layer.pooling import *
from core.nn.layer.rnn import *
from core.nn.layer.transformer import *
from core.nn.layer.upsample import *
from core.nn.layer.vision import *

_MODULES = (
    activation,
    common,
    container,
    conv,
    dropout,
    layers,
    loss,
    norm,
    padding,
    pooling,
    rnn,
    transformer,
    upsample,
    vision,
)

# not by a statement: mypy reads only lists that are written out, and would hide what is not in one
globals()["__all__"] = [name for module in _MODULES for name in module.__all__]
