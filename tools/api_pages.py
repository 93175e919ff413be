"""A hook for mkdocs: the pages of the API, one for each family of names, made from the docstrings.

Each page lists what a module offers, in sections after the files that define it. Nothing of this is stored: mkdocs asks
for it when it builds the site.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any, Optional

from PGL.models.registry import MODELS as GRAPHS

PAGES = {
    "api/tensor.md": ("Tensor", ("core.Tensor",)),
    "api/functions.md": ("Functions", ("core.operators",)),
    "api/linalg.md": ("Linear algebra", ("core.linalg",)),
    "api/autograd.md": ("Gradients", ("core.autograd", "core.incubate.autograd")),
    "api/signal.md": (
        "Sound and Fourier transforms",
        (
            *("core.fft", "core.signal", "core.operators.arithmetic.complex_tensor"),
            *("core.audio", "core.audio.features", "core.audio.functional", "core.audio.backends"),
        ),
    ),
    "api/layers.md": ("Layers", ("core.nn", "core.nn.utils")),
    "api/functional.md": ("Functions of networks", ("core.nn.functional",)),
    "api/initializer.md": ("Initializers", ("core.nn.initializer", "core.regularizer")),
    "api/optimizer.md": ("Optimizers and schedules", ("core.optimizer", "core.optimizer.lr")),
    "api/amp.md": ("Mixed precision", ("core.amp",)),
    "api/quantization.md": (
        "Quantization",
        ("core.quantization", "core.quantization.observers", "core.quantization.quanters", "core.nn.quant"),
    ),
    "api/jit.md": ("Compiling and exporting", ("core.jit", "core.static", "core.onnx", "core.inference")),
    "api/io.md": ("Reading data", ("core.io",)),
    "api/vision.md": (
        "Images",
        ("core.vision.transforms", "core.vision.datasets", "core.vision.models", "core.vision.ops"),
    ),
    "api/text.md": ("Texts", ("core.text", "core.text.tokenizers")),
    "api/distribution.md": ("Distributions", ("core.distribution",)),
    "api/geometric.md": ("Graphs", ("core.geometric", "core.incubate", "core.graphs")),
    "api/metric.md": ("Metrics and pictures", ("core.metric", "core.drawing")),
    "api/weights.md": ("Weight files", ("core.weights",)),
    "api/train.md": ("Training", ("core.train", "core.callbacks", "core.Model", "core.summary", "core.flops")),
    "api/device.md": (
        "Devices and processes",
        (
            *("core.device", "core.device.cuda", "core.distributed", "core.distributed.fleet", "core.profiler"),
            *("core.distributed.fleet.meta_parallel", "core.distributed.sharding"),
            *("core.framework", "core.utils", "core.hub", "core.reader"),
        ),
    ),
    "api/classifiers.md": ("PaddleClas", ("PaddleClas",)),
    "api/graphs.md": (
        "PGL",
        (
            *("PGL", "PGL.math", "PGL.nn", "PGL.nn.functional", "PGL.sampling", "PGL.data"),
            *(
                "PGL.storage",
                "PGL.generator",
                "PGL.models",
                *(f"PGL.models.{name}" for name in GRAPHS),
            ),
        ),
    ),
}
"""Page to its title and to the modules, or single names, that it describes."""

INTRODUCTION = "Written from the docstrings; what is under `core` is found under `paddle` in Paddle 2.6.\n"


def public_names(module: Any) -> list[str]:
    """Return the names that a module offers: those of ``__all__``, or its own classes and functions."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__)
    return sorted(name for name in dir(module) if not name.startswith("_") and _at_home(module, getattr(module, name)))


def page(title: str, sources: tuple[str, ...], described: Optional[set[int]] = None) -> str:
    """Return the Markdown of one page.

    Args:
        title: its heading.
        sources: modules, or single names.
        described: the ``id`` of what other pages describe, which is left out; what this one does is added.
    """
    sections: dict[str, list[str]] = {}
    known = set() if described is None else described
    for source in sources:
        for path, thing in _members(source):
            if id(thing) in known:
                continue
            known.add(id(thing))
            entry = f"::: {thing.__module__}.{thing.__qualname__}\n    options:\n      heading: {path}\n"
            sections.setdefault(_subject(thing), []).append(entry)
    text = [f"# {title}\n", INTRODUCTION]
    for subject, entries in sections.items():
        text += [f"\n## {subject}\n", *entries]
    return "\n".join(text) + "\n"


def _members(source: str) -> Iterator[tuple[str, Any]]:
    """Yield path and object of everything that a source stands for."""
    try:
        module = importlib.import_module(source)
    except ModuleNotFoundError:  # a single name
        parent, _, name = source.rpartition(".")
        yield source, getattr(importlib.import_module(parent), name)
        return
    if source == "core.operators":  # what users call core.NAME
        functional = set(public_names(importlib.import_module("core.nn.functional")))
        names = [name for name in dir(module) if name not in functional and _documented(getattr(module, name))]
        core = importlib.import_module("core")
        members = {name: (f"core.{name}", getattr(core, name)) for name in names}
    else:
        members = {name: (f"{source}.{name}", getattr(module, name)) for name in public_names(module)}
    ordered = sorted(members, key=lambda name: (_subject(members[name][1]), name.lower()))
    yield from (members[name] for name in ordered if _documented(members[name][1]))


def _at_home(module: Any, thing: Any) -> bool:
    return _documented(thing) and thing.__module__.startswith(module.__name__)


def _documented(thing: Any) -> bool:
    home = getattr(thing, "__module__", None) or ""
    return (inspect.isclass(thing) or callable(thing)) and home.split(".")[0] in ("core", "PaddleClas", "PGL")


def _subject(thing: Any) -> str:
    """Return what the file that defines an object is about: the first sentence of its docstring."""
    text = inspect.getdoc(inspect.getmodule(thing)) or "Others"
    first = re.split(r"[:.](?:\s|$)", text.replace("\n", " "), maxsplit=1)
    return first[0].strip()


def on_files(files: Any, config: Any) -> Any:
    """Add the pages to the site."""
    from mkdocs.structure.files import File

    described: set[int] = set()
    for name, (title, sources) in PAGES.items():
        files.append(File.generated(config, name, content=page(title, sources, described)))
    return files
