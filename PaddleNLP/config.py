"""The keys of a language config, and the toolkit's record."""

from __future__ import annotations

from typing import Annotated, Optional

import pydantic

from core.train.config.table import Component, Named, Table
from core.train.config.teacher import TeacherSection
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
        "MultiPerspective": "PaddleNLP.tasks.perspectives:MultiPerspective",
        "MultiLabel": "PaddleNLP.tasks.classification:MultiLabel",
        "Regression": "PaddleNLP.tasks.classification:Regression",
        "Ranking": "PaddleNLP.tasks.ranking:Ranking",
        "TokenClassification": "PaddleNLP.tasks.tagging:TokenClassification",
        "LexicalAnalysis": "PaddleNLP.tasks.lexical:LexicalAnalysis",
        "RelationExtraction": "PaddleNLP.tasks.relations:RelationExtraction",
        "DistantRelation": "PaddleNLP.tasks.distant:DistantRelation",
        "QuestionAnswering": "PaddleNLP.tasks.reading:QuestionAnswering",
        "PassageReading": "PaddleNLP.tasks.passages:PassageReading",
        "PairClassification": "PaddleNLP.tasks.choices:PairClassification",
        "Similarity": "PaddleNLP.tasks.similarity:Similarity",
        "ResponseSelection": "PaddleNLP.tasks.dialogue.selection:ResponseSelection",
        "KnowledgeSelection": "PaddleNLP.tasks.dialogue.retrieval:KnowledgeSelection",
        "Reply": "PaddleNLP.tasks.dialogue.reply:Reply",
        "ResponseQuality": "PaddleNLP.tasks.dialogue.selection:ResponseQuality",
        "MultipleChoice": "PaddleNLP.tasks.choices:MultipleChoice",
        "MultiTask": "PaddleNLP.tasks.multi_task:MultiTask",
        "Pretraining": "PaddleNLP.tasks.pretraining:Pretraining",
        "LanguageModel": "PaddleNLP.tasks.language_model:LanguageModel",
        "BidirectionalLanguageModel": "PaddleNLP.tasks.bidirectional:BidirectionalLanguageModel",
        "Translation": "PaddleNLP.tasks.translation:Translation",
        "VariationalGeneration": "PaddleNLP.tasks.variational:VariationalGeneration",
        "ContinualPretraining": "PaddleNLP.tasks.continual:ContinualPretraining",
    },
    provided=("config",),
)


class LanguageTeacher(TeacherSection):
    """A trained network whose answers, and perhaps hidden states, the trained one learns to give."""

    network: Annotated[Component, Named(MODELS)] = pydantic.Field(description="with its weights, as pretrained")
    labels: pydantic.NonNegativeFloat = pydantic.Field(1.0, description="weight of the loss of the true labels")
    temperature: pydantic.PositiveFloat = pydantic.Field(
        1.0, description="logits of classes are divided by it, which makes the teacher's answers softer"
    )
    hidden: dict[pydantic.NonNegativeInt, pydantic.NonNegativeInt] = pydantic.Field(
        {}, description="layers whose hidden states are to be those of a layer of the teacher; 0: the embeddings"
    )
    hidden_weight: pydantic.PositiveFloat = pydantic.Field(
        1.0, description="of the mean squared distance of these hidden states"
    )


class LanguageConfig(Experiment):
    """One experiment."""

    task: Annotated[Component, Named(TASKS)] = pydantic.Field(description="the task to train, with its settings")
    tokenizer: TokenizerChoice = pydantic.Field(description="how texts become ids, with its files")
    network: Annotated[Component, Named(MODELS)] = pydantic.Field(
        description="a family with the settings of its size, or a checkpoint; pretrained (true: official weights, "
        "downloaded once; a path: a weight file)"
    )
    word_vectors: Optional[str] = pydantic.Field(
        None,
        description="a file of word2vec's text format, with whose vectors a network on words starts "
        "(PaddleNLP/tools/word_vectors.py writes one)",
    )
    data: Splits[SplitSection]
    teacher: Optional[LanguageTeacher] = pydantic.Field(
        None, description="learn the answers of this trained network beside the labels (distillation)"
    )

    def continued(self) -> LanguageConfig:
        """Return the same experiment without what only fresh weights start from."""
        return super().continued().model_copy(update={"word_vectors": None})

    def evaluated(self, split: str) -> LanguageConfig:
        """Return the same experiment for an evaluation of a split; only training asks a teacher."""
        return super().evaluated(split).model_copy(update={"teacher": None})


TOOLKIT = Toolkit("PaddleNLP", LanguageConfig, inference="PaddleNLP.inference:infer")
