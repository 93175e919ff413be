"""The pages of the API describe every family of names."""

from __future__ import annotations

import inspect

import core
import core.nn
from tools.api_pages import PAGES, page, public_names


def test_a_page_has_an_entry_for_each_name() -> None:
    text = page(*PAGES["api/layers.md"])
    layers = [name for name in core.nn.__all__ if inspect.isclass(getattr(core.nn, name))]
    assert [name for name in layers if f"heading: core.nn.{name}\n" not in text] == []
    assert "::: core.nn.layer.conv.Conv2D\n    options:\n      heading: core.nn.Conv2D\n" in text
    assert "\n## Abstract construction\n" in text


def test_functions_are_found_by_what_users_call() -> None:
    text = page(*PAGES["api/functions.md"])
    assert "::: core.operators.linear_algebra.linalg.matmul\n" in text and "heading: core.matmul\n" in text
    assert "heading: core.relu\n" not in text  # it is with the functions of networks


def test_graphs_their_layers_and_networks_are_described() -> None:
    text = page(*PAGES["api/graphs.md"])
    for name in (
        "Graph",
        "nn.GCNConv",
        "sampling.node2vec_walk",
        "storage.store_stream",
        "models.UniMP",
        "math.segment_topk",
    ):
        assert f"heading: PGL.{name}\n" in text, name


def test_what_a_module_imports_is_not_its_own() -> None:
    import core.regularizer

    assert public_names(core.regularizer) == ["L1Decay", "L2Decay", "WeightDecayRegularizer"]


def test_every_public_module_has_a_page() -> None:
    sources = {source.split(".")[1] for _, sources in PAGES.values() for source in sources if "." in source}
    inside = {"kernels", "operators", "tensor"}  # what others offer
    parts = {"text", "version", "common_ops_import"}  # no names of their own
    assert set(core.SUBMODULES) - sources - inside - parts == set()
