"""The keys of a graph-learning config, and the toolkit's record."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import pydantic

from core.train.config.old_keys import Moved, OldKeys
from core.train.config.table import Component, Named, Table
from core.train.runner.config import DataSection, Experiment
from core.train.runner.toolkit import Toolkit
from PGL.data.registry import DATASETS
from PGL.models.registry import NETWORKS

TASKS = Table(
    "task",
    {
        "NodeClassification": "PGL.tasks.node_classification:NodeClassification",
        "MaskedLabelClassification": "PGL.tasks.masked_labels:MaskedLabelClassification",
        "SampledNodeClassification": "PGL.tasks.sampled_classification:SampledNodeClassification",
        "GraphClassification": "PGL.tasks.graph_classification:GraphClassification",
        "SkipGram": "PGL.tasks.skip_gram:SkipGramTask",
        "LinkPrediction": "PGL.tasks.link_prediction:LinkPrediction",
        "TextLinkPrediction": "PGL.tasks.text_links:TextLinkPrediction",
    },
    provided=("config",),
)


class GraphSection(DataSection):
    """Which graph."""

    dataset: Annotated[Component, Named(DATASETS)] = pydantic.Field(description="with its settings")


def _groups(decays: Any) -> Any:
    """Return the parameter groups of weight decays by pattern, as ``task.decays`` gave them."""
    if not isinstance(decays, dict):
        return [] if decays is None else decays
    return [{"parameters": [pattern], "weight_decay": decay} for pattern, decay in decays.items()]


class GraphConfig(Experiment):
    """One experiment."""

    old_keys: ClassVar[OldKeys] = {**Experiment.old_keys, "task.decays": Moved("optimizer.groups", _groups)}

    task: Annotated[Component, Named(TASKS)] = pydantic.Field(description="the task to train, with its settings")
    network: Annotated[Component, Named(NETWORKS)] = pydantic.Field(
        description="the network or table of embeddings, with its settings"
    )
    data: GraphSection


TOOLKIT = Toolkit("PGL", GraphConfig, inference="PGL.inference:infer", preview="PGL.previewing:preview")
