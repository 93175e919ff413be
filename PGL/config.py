"""The keys of a graph-learning config."""

from __future__ import annotations

from typing import Annotated, Optional

import pydantic

from core.train.config import Section, describe_schema
from core.train.optimizers import OptimizerChoice
from core.train.options import DataRoot, Output, Seed, TrainOptions, Workers
from core.train.schedules import SCHEDULES, ScheduleChoice
from core.train.table import Component, Table
from PGL.data.registry import DATASETS
from PGL.models.registry import MODELS as FAMILY_OF

MODELS = Table(
    "model",
    {name: f"PGL.models.{family}:{name}" for name, family in FAMILY_OF.items()},
    provided=("input_size", "num_class", "num_nodes", "num_entities", "num_relations"),
)
TASKS = Table(
    "task",
    {
        "NodeClassification": "PGL.tasks.node_classification:NodeClassification",
        "MaskedLabelClassification": "PGL.tasks.masked_labels:MaskedLabelClassification",
        "SampledNodeClassification": "PGL.tasks.sampled_classification:SampledNodeClassification",
        "SkipGram": "PGL.tasks.skip_gram:SkipGramTask",
        "LinkPrediction": "PGL.tasks.link_prediction:LinkPrediction",
    },
    provided=("config",),
)


MOST_LAYERS = 1000
"""Of a network; each takes memory, and time to compile."""


def _possible_model(component: Component) -> Component:
    layers = MODELS.check(component).arguments.get("num_layers", 0)
    if layers > MOST_LAYERS:
        raise ValueError(f"num_layers is at most {MOST_LAYERS:,}, not {layers}")
    return component


class DataSection(Section):
    """Which graph."""

    dataset: Annotated[Component, pydantic.AfterValidator(DATASETS.check)] = pydantic.Field(
        description=f"one of {', '.join(DATASETS.entries)}"
    )
    root: DataRoot = pydantic.Field(
        None, description="the folder of the data set's files; --data FOLDER sets it; null: they are downloaded once"
    )
    num_workers: Workers = pydantic.Field(
        0, description="processes that sample beside the training; 0: the training's own; results are the same"
    )


class ExpectSection(Section):
    """What the experiment should reach; eval.py fails where it does not."""

    split: str = pydantic.Field("test", description="on which split")
    metric: str = pydantic.Field(description="which number of the evaluation, as accuracy, macro_f1 or mrr")
    value: float = pydantic.Field(description="what it should be at least")
    tolerance: Optional[pydantic.NonNegativeFloat] = pydantic.Field(
        None, description="how far from it is still right, in both directions; null: whatever is higher is right"
    )


class GraphConfig(Section):
    """One experiment."""

    seed: Seed = pydantic.Field(0, description="of weights, walks, samples and order")
    output: Output = pydantic.Field(description="the run's folder; a number is added when it is taken")
    task: Annotated[Component, pydantic.AfterValidator(TASKS.check)] = pydantic.Field(
        description=f"what is learnt, with its settings; of {', '.join(TASKS.entries)}"
    )
    model: Annotated[Component, pydantic.AfterValidator(_possible_model)] = pydantic.Field(
        description=f"the network or table of embeddings, with its settings; of {', '.join(MODELS.entries)}"
    )
    data: DataSection
    optimizer: OptimizerChoice = pydantic.Field(description="an optimizer of core.optimizer with its arguments")
    schedule: ScheduleChoice = pydantic.Field(description=f"with learning_rate; of {', '.join(SCHEDULES.entries)}")
    train: TrainOptions
    expect: Optional[ExpectSection] = None


def keys() -> list[str]:
    """Return one line for each key that a config may have, and one for each setting of a task, model and data set."""
    lines = describe_schema(GraphConfig)
    for table, key in ((TASKS, "task"), (MODELS, "model"), (DATASETS, "data.dataset")):
        lines += [f"{key}: {table.describe(name)}" for name in table.entries]
    return lines
