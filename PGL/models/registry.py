"""The one table of models, and functions that read it. Importing this module loads no network and no engine."""

from __future__ import annotations

import importlib
import os
from typing import Any, Optional, Union

from core.train.config.table import Table

FAMILIES = {
    "gcn": ("GCN",),
    "gat": ("GAT", "GATv2"),
    "graph_sage": ("GraphSAGE",),
    "gin": ("GIN",),
    "sgc": ("SGC", "SSGC"),
    "appnp": ("APPNP",),
    "gcnii": ("GCNII",),
    "rgcn": ("RGCN",),
    "transformer": ("Transformer",),
    "unimp": ("UniMP",),
    "sag_pool": ("SAGPool",),
    "deepwalk": ("DeepWalk",),
    "node2vec": ("Node2vec",),
    "line": ("LINE",),
    "metapath2vec": ("Metapath2vec",),
    "transe": ("TransE",),
    "rotate": ("RotatE",),
    "ernie_sage": ("ErnieSageV1", "ErnieSageV2"),
}
"""Module of PGL.models to the names of its models, which are classes of the module."""

MODELS = {name: family for family, names in FAMILIES.items() for name in names}
"""Model name to the module of PGL.models that holds it."""

NETWORKS = Table(
    "model",
    {name: f"PGL.models.{family}:{name}" for name, family in MODELS.items()},
    provided=(
        *("input_size", "num_class", "num_nodes", "num_entities", "num_relations"),
        *("vocab_size", "max_seqlen", "cls_token_id"),
    ),
)
"""Classes by name; a config names one with its arguments, less those that follow from the data."""


def list_models(pattern: str = "*") -> list[str]:
    """Return the names of the models, families together.

    Args:
        pattern: a shell pattern such as ``"GAT*"``; upper and lower case are the same.

    Example:
        >>> PGL.models.list_models("gat*")
        ['GAT', 'GATv2']
    """
    return NETWORKS.list(pattern)


def model_class(name: str) -> Any:
    """Return the class of a model: ``model_class("GCN")`` is :class:`PGL.models.gcn.GCN`.

    Raises:
        ValueError: there is no model of this name; the message has the nearest ones.
    """
    return NETWORKS.resolve(name)


def create_model(name: str, pretrained: Optional[Union[str, os.PathLike[str]]] = None, **arguments: Any) -> Any:
    """Build a model by name.

    Args:
        name: one of :func:`list_models`, such as ``"GCN"``.
        pretrained: the path of a ``.pdparams`` or ``.safetensors`` file with exactly the model's parameters, pgl's own
            files included; None for fresh weights.
        **arguments: of the model's class; for a network that classifies nodes ``input_size``, the size of the features,
            and ``num_class``.

    Returns:
        The model, a :class:`core.nn.Layer` in training mode.

    Raises:
        ValueError: there is no such model (the message has the nearest names), or the file does not fit it.
        TypeError: the model takes no such argument, or lacks one.
        FileNotFoundError: there is no such file.

    Example:
        >>> network = PGL.models.create_model("GCN", input_size=1433, num_class=7)
        >>> logits = network(graph, graph.node_feat["words"])
    """
    model = model_class(name)(**arguments)
    if pretrained is not None:
        importlib.import_module("core.weights").load_weights(model, pretrained)
    return model
