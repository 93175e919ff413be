"""Layers, functions on tensors and initial values (paddle.nn)."""

from __future__ import annotations

from core.nn import functional, initializer, layer, naming, quant, utils
from core.nn.abstract import LazyGuard, abstract
from core.nn.clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from core.nn.decode import BeamSearchDecoder, dynamic_decode
from core.nn.layer import *
from core.nn.layer import loss
from core.nn.param_attr import ParamAttr
from core.nn.parameter import Parameter, create_parameter

globals()["__all__"] = [  # as in core.nn.layer
    *layer.__dict__["__all__"],
    "ClipGradByGlobalNorm",
    "ClipGradByNorm",
    "ClipGradByValue",
    "BeamSearchDecoder",
    "LazyGuard",
    "ParamAttr",
    "Parameter",
    "abstract",
    "create_parameter",
    "dynamic_decode",
    "functional",
    "initializer",
    "layer",
    "loss",
    "naming",
    "quant",
    "utils",
]
