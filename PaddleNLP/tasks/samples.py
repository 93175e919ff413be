"""What a task's data must be: samples with its fields, of known classes, cut into words as its tokeniser cuts them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.train.config.yaml_file import shortened
from PaddleNLP.data.encoded import texts_of
from PaddleNLP.data.several import SeveralDatasets
from PaddleNLP.word_level import WordLevelTokenizer


def check_fields(split: str, dataset: Any, task: str, takes: Sequence[str]) -> None:
    """Refuse data of another task.

    Args:
        split: of the data, for messages.
        dataset: the samples.
        task: the name of the task.
        takes: what a sample must have.

    Raises:
        ValueError: the samples lack some of it, or are those of several tasks.
    """
    if isinstance(dataset, SeveralDatasets):
        raise ValueError(f"data.{split}.dataset is SeveralDatasets; task.name: MultiTask learns those")
    found = list(dataset[0])
    if not set(takes) <= set(found):
        message = f"takes samples with {', '.join(takes)}, and these have {', '.join(found)}"
        raise ValueError(f"data.{split}.dataset: {task} {message}; choose another of either")


def check_classes(split: str, names: Sequence[str], known: Sequence[str]) -> None:
    """Refuse data with other classes than the network has.

    Args:
        split: of the data, for messages.
        names: the classes of the data.
        known: those of the network.

    Raises:
        ValueError: there is another one.
    """
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(
            f"data.{split} has the class {shortened(unknown[0])}, which the network is not trained on; "
            f"it knows {shortened(', '.join(known))}"
        )


def check_segmentation(split: str, dataset: Any, tokenizer: Any) -> None:
    """Refuse texts that are cut into words in another way than the tokeniser's, where it looks up whole words.

    Args:
        split: of the data, for messages.
        dataset: the samples.
        tokenizer: what makes ids of their texts.

    Raises:
        ValueError: some are.
    """
    if isinstance(tokenizer, WordLevelTokenizer):
        samples = ((dataset[number], dataset.place(number)) for number in range(len(dataset)))
        texts = ((text, place) for sample, place in samples for text in texts_of([sample]))
        tokenizer.check_texts(texts, f"data.{split}")
