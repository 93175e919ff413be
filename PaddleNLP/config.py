"""The keys of a language config, and the toolkit's record."""

from __future__ import annotations

from typing import Annotated

import pydantic

from core.train.config.table import Component, Named, Table
from core.train.runner.config import Experiment
from core.train.runner.splits import Splits
from core.train.runner.toolkit import Toolkit
from PaddleNLP.data.splits import SplitSection
from PaddleNLP.models.registry import MODELS
from PaddleNLP.tokenizing import TokenizerChoice

TASKS = Table(
    "task",
    {
        "Classification": "PaddleNLP.tasks.classification:Classification",
        "MultiLabel": "PaddleNLP.tasks.classification:MultiLabel",
        "Regression": "PaddleNLP.tasks.classification:Regression",
        "Ranking": "PaddleNLP.tasks.ranking:Ranking",
        "TokenClassification": "PaddleNLP.tasks.tagging:TokenClassification",
        "QuestionAnswering": "PaddleNLP.tasks.reading:QuestionAnswering",
        "Pretraining": "PaddleNLP.tasks.pretraining:Pretraining",
    },
    provided=("config",),
)


class LanguageConfig(Experiment):
    """One experiment."""

    task: Annotated[Component, Named(TASKS)] = pydantic.Field(description="the task to train, with its settings")
    tokenizer: TokenizerChoice = pydantic.Field(description="how texts become ids, with its files")
    network: Annotated[Component, Named(MODELS)] = pydantic.Field(
        description="a family with the settings of its size, or a checkpoint; pretrained (true: official weights, "
        "downloaded once; a path: a weight file)"
    )
    data: Splits[SplitSection]


TOOLKIT = Toolkit("PaddleNLP", LanguageConfig, inference="PaddleNLP.inference:infer")
