"""Our model files on other frameworks: one definition of a network for every side of a comparison.

The files of ``PaddleClas.models`` are written with Paddle's interface, so Paddle runs them as they are; for PyTorch the
few names that they use are given here in its own layers and functions, the ones that a user of it would write.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NO_FILES = ("core.vision.models.base",)
"""Files beside those of networks that need all of core."""


def on_paddle(name: str) -> Any:
    """Return a classifier made of Paddle's layers; this process must not have loaded core."""
    import paddle

    paddle.nn.ParamAttr = paddle.ParamAttr
    return _entry(name, paddle)(class_num=1000)


def on_torch(name: str, class_num: int = 1000) -> Any:
    """Return a classifier made of PyTorch's layers; this process must not have loaded core."""
    return _entry(name, _torch_names())(class_num=class_num)


def _entry(name: str, framework: Any) -> Any:
    """Return a model's entry function on a framework; it has no weights to offer here."""
    modules = {"core": framework, "core.nn": framework.nn, "core.nn.functional": framework.nn.functional}
    modules.update({"core.nn.initializer": framework.nn.initializer, "core.regularizer": framework.regularizer})
    sys.modules.update(modules)
    sys.meta_path.insert(0, _CoreFiles(framework))
    pretrained = types.ModuleType("PaddleClas.models.pretrained")
    pretrained.Pretrained = Any  # type: ignore[attr-defined]
    pretrained.build = lambda name, network, pretrained, **arguments: network(**arguments)  # type: ignore[attr-defined]
    sys.modules["PaddleClas.models.pretrained"] = pretrained
    family = importlib.import_module("PaddleClas.models.registry").MODELS[name]
    return getattr(importlib.import_module(f"PaddleClas.models.{family}"), name)


class _CoreFiles(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds modules below ``core``: blocks and tables of networks are our files, all else has the framework's names.

    Args:
        framework: what stands for core.
    """

    def __init__(self, framework: Any) -> None:
        self.framework = framework

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return where a module comes from, None for those of others."""
        if not name.startswith("core."):
            return None
        file = ROOT / f"{name.replace('.', '/')}.py"
        if name.startswith("core.vision.models.") and file.exists() and name not in NO_FILES:
            return importlib.util.spec_from_file_location(name, file)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def exec_module(self, module: types.ModuleType) -> None:
        """Give a module the framework's names; what it has not is nothing that a network's speed depends on."""

        def named(name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return getattr(self.framework, name, _Nothing)

        module.__getattr__ = named  # type: ignore[method-assign]


class _Nothing:
    """Stands for classes that a network's files name and its forward pass does not need."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass


def _torch_names() -> Any:
    import torch
    import torch.nn.functional as F

    class Layer(torch.nn.Module):
        def add_sublayer(self, name: str, layer: Any) -> Any:
            self.add_module(name.replace(".", "_"), layer)
            return layer

    class Sequential(torch.nn.Sequential):
        def __init__(self, *layers: Any) -> None:
            super().__init__()
            for number, layer in enumerate(layers):
                name, module = layer if isinstance(layer, tuple) else (str(number), layer)
                self.add_module(name.replace(".", "_"), module)

    class SampleDropout(torch.nn.Module):
        def __init__(self, p: float) -> None:
            super().__init__()
            self.p = p

        def forward(self, x: Any) -> Any:
            if not self.training or self.p == 0:
                return x
            kept = torch.rand(len(x), 1, 1, 1) >= self.p
            return x * (kept / (1 - self.p))

    def convolution(
        *sizes: Any, padding: Any = 0, weight_attr: Any = None, bias_attr: Any = None, **options: Any
    ) -> Any:
        bias = bias_attr is not False
        if not isinstance(padding, int) and len(padding) == 4:  # (top, bottom, left, right)
            zeros = torch.nn.ZeroPad2d((*padding[2:], *padding[:2]))
            return torch.nn.Sequential(zeros, torch.nn.Conv2d(*sizes, bias=bias, **options))
        return torch.nn.Conv2d(*sizes, padding=padding, bias=bias, **options)

    def batch_norm(channels: int, momentum: float = 0.9, epsilon: float = 1e-5, **_: Any) -> Any:
        return torch.nn.BatchNorm2d(channels, epsilon, 1 - momentum)

    def linear(inputs: int, outputs: int, weight_attr: Any = None, bias_attr: Any = None) -> Any:
        return torch.nn.Linear(inputs, outputs, bias=bias_attr is not False)

    def average_pool(x: Any, kernel: int, stride: int, padding: Any = 0) -> Any:
        if padding == "SAME":  # sizes in a comparison are even
            padding = 0
        return F.avg_pool2d(x, kernel, stride, padding, count_include_pad=False)

    def maximum_pool(kernel: int, stride: int, padding: int = 0) -> Any:
        return torch.nn.MaxPool2d(kernel, stride, padding)

    def unsqueeze(x: Any, axes: Any) -> Any:
        return x[:, :, None, None] if list(axes) == [2, 3] else x.unsqueeze(axes)

    def nothing(*_: Any, **__: Any) -> None:
        """Initializers and regularizers do not matter for speed."""

    functional = types.SimpleNamespace(
        relu=lambda x: F.relu(x, inplace=True),
        relu6=lambda x: F.relu6(x, inplace=True),
        sigmoid=torch.sigmoid,
        hardswish=lambda x: F.hardswish(x, inplace=True),
        hardsigmoid=lambda x, slope=1 / 6, offset=0.5: (
            F.hardsigmoid(x) if offset == 0.5 and abs(slope - 1 / 6) < 1e-3 else (x * slope + offset).clamp(0, 1)
        ),
        swish=lambda x: F.silu(x, inplace=True),
        leaky_relu=lambda x, slope=0.01: F.leaky_relu(x, slope, inplace=True),
        adaptive_avg_pool2d=F.adaptive_avg_pool2d,
        avg_pool2d=average_pool,
        max_pool2d=lambda x, kernel, stride, padding=0: F.max_pool2d(x, kernel, stride, padding),
        dropout=F.dropout,
        softmax=F.softmax,
    )
    initializers = ("KaimingNormal", "Uniform", "Normal", "Constant", "XavierUniform")
    initializer = types.SimpleNamespace(Initializer=object, **dict.fromkeys(initializers, nothing))
    nn = types.SimpleNamespace(
        Layer=Layer,
        Sequential=Sequential,
        LayerList=torch.nn.ModuleList,
        Conv2D=convolution,
        BatchNorm2D=batch_norm,
        Linear=linear,
        MaxPool2D=maximum_pool,
        AvgPool2D=lambda kernel, stride, padding=0: torch.nn.AvgPool2d(kernel, stride, padding),
        AdaptiveAvgPool2D=torch.nn.AdaptiveAvgPool2d,
        Dropout=lambda p=0.5, axis=None, mode="upscale_in_train": (
            SampleDropout(p) if axis == 0 else torch.nn.Dropout(p)
        ),
        Flatten=torch.nn.Flatten,
        Identity=torch.nn.Identity,
        ReLU=lambda: torch.nn.ReLU(inplace=True),
        Hardswish=lambda: torch.nn.Hardswish(inplace=True),
        Swish=lambda: torch.nn.SiLU(inplace=True),
        functional=functional,
        initializer=initializer,
    )
    core: Any = types.ModuleType("core")
    core.__path__ = []  # so that modules below it are looked for
    core.nn, core.ParamAttr, core.regularizer = nn, nothing, types.SimpleNamespace(L2Decay=nothing)
    core.flatten = lambda x, start_axis=0: torch.flatten(x, start_axis)
    core.concat = lambda parts, axis=0: torch.cat(list(parts), axis)
    core.split = lambda x, parts, axis=0: torch.split(
        x, x.shape[axis] // parts if isinstance(parts, int) else parts, axis
    )
    core.unsqueeze = unsqueeze
    core.reshape, core.sqrt, nn.ParamAttr = torch.reshape, torch.sqrt, nothing
    return core
