"""Graph layers with pgl's names, each loaded when it is first asked for: ``PGL.nn.GCNConv`` and so on."""

from __future__ import annotations

import importlib
from typing import Any

LAYERS = {
    "APPNP": "appnp",
    "ARMAConv": "spectral.arma_conv",
    "ChebConv": "spectral.cheb_conv",
    "EdgeConv": "edge_conv",
    "ErnieSageV2Conv": "ernie_sage_conv",
    "FAConv": "fa_conv",
    "GATConv": "gat_conv",
    "GATv2Conv": "gatv2_conv",
    "GCNConv": "gcn_conv",
    "GCNII": "gcnii",
    "GINConv": "gin_conv",
    "GINEConv": "gine_conv",
    "GPRConv": "gpr_conv",
    "GlobalAttention": "pooling.global_attention",
    "GraphMultisetTransformer": "pooling.graph_multiset_transformer",
    "GraphNorm": "pooling.graph_norm",
    "GraphPool": "pooling.graph_pool",
    "GraphSageConv": "graph_sage_conv",
    "LightGCNConv": "light_gcn_conv",
    "NGCFConv": "ngcf_conv",
    "NNConv": "nn_conv",
    "PNAConv": "pna_conv",
    "PinSageConv": "pin_sage_conv",
    "RGCNConv": "rgcn_conv",
    "SAGPool": "pooling.sag_pool",
    "SGCConv": "sgc_conv",
    "SSGCConv": "ssgc_conv",
    "Set2Set": "pooling.set2set",
    "TAGConv": "spectral.tag_conv",
    "TransformerConv": "transformer_conv",
}
"""Layer to the module of PGL.nn that holds it."""

__all__ = [*LAYERS, "functional"]


def __getattr__(name: str) -> Any:
    if name in LAYERS:
        return getattr(importlib.import_module(f"PGL.nn.{LAYERS[name]}"), name)
    if name == "functional":
        return importlib.import_module("PGL.nn.functional")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
