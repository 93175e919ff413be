"""The official formats of tables of texts: the arguments of :class:`TableDataset` for each of them."""

from __future__ import annotations

from typing import Any, Callable, Literal, Optional

from PaddleNLP.data.dataset import Labels, TextDataset, Transform
from PaddleNLP.data.tsv import TableDataset


def _format(**settings: Any) -> Callable[..., TextDataset]:
    """Return what builds a data set of an official format; a config may give other labels, such as a file of them."""
    official: Labels = settings.pop("labels", None)

    def build(
        path: str,
        labels: Labels = official,
        bad_rows: Literal["refuse", "skip"] = "refuse",
        transform: Optional[Transform] = None,
    ) -> TextDataset:
        return TableDataset(path, labels=labels, bad_rows=bad_rows, transform=transform, **settings)

    return build


_YES_NO = ["0", "1"]
_ENTAILMENT = ["entailment", "not_entailment"]
_PAIR = {"text": "sentence1", "text_pair": "sentence2"}
_QUESTIONS = {"text": "text_a", "text_pair": "text_b", "columns": ["text_a", "text_b", "label"], "labels": _YES_NO}
_NEWS = "story culture entertainment sports finance house car edu tech military travel world stock agriculture game"

FORMATS: dict[str, Callable[..., TextDataset]] = {
    # Chinese
    "ChnSentiCorp": _format(text="text_a", columns=["text_a", "label"], labels=_YES_NO),
    "Senta": _format(text="text_a", columns=["label", "text_a"], labels=_YES_NO),
    "EmoTect": _format(text="text_a", columns=["label", "text_a"], labels=["0", "1", "2"]),
    "LCQMC": _format(**_QUESTIONS),
    "BQ": _format(**_QUESTIONS),
    "AFQMC": _format(**_PAIR, columns=["sentence1", "sentence2", "label"], labels=_YES_NO),
    "TNEWS": _format(
        text="sentence",
        label="label_desc",
        columns=["sentence", "label_desc"],
        labels=[f"news_{name}" for name in _NEWS.split()],
    ),
    "XNLI": _format(
        text=["sentence1", "premise"],
        text_pair=["sentence2", "hypo"],
        label=["gold_label", "label"],
        labels={
            name: name.replace("dictory", "diction")
            for name in ("contradiction", "entailment", "neutral", "contradictory")
        },
        only={"language": "zh"},
    ),
    "DBQA": _format(text="text_a", text_pair="text_b", group="qid", labels=_YES_NO),
    # dialogue understanding (DGU)
    "ATISIntent": _format(columns=["label", "text"]),
    "SWDA": _format(columns=["conversation", "label", "speaker", "text"]),
    # GLUE
    "CoLA": _format(text="sentence", columns=["source", "label", "mark", "sentence"], labels=_YES_NO),
    "SST-2": _format(text="sentence", labels=_YES_NO),
    "MRPC": _format(
        text="#1 String",
        text_pair="#2 String",
        label="Quality",
        columns=["Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"],
        labels=_YES_NO,
    ),
    "QQP": _format(text="question1", text_pair="question2", label="is_duplicate", labels=_YES_NO),
    "STS-B": _format(**_PAIR, label="score", numeric=True),
    "MNLI": _format(**_PAIR, label="gold_label", labels=["contradiction", "entailment", "neutral"]),
    "QNLI": _format(text="question", text_pair="sentence", labels=_ENTAILMENT),
    "RTE": _format(**_PAIR, labels=_ENTAILMENT),
    "WNLI": _format(**_PAIR, labels=_YES_NO),
    # English
    "SICK": _format(
        text="sentence_A",
        text_pair="sentence_B",
        label="entailment_judgment",
        columns=["pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment"],
        labels=["CONTRADICTION", "ENTAILMENT", "NEUTRAL"],
    ),
    "SICKRelatedness": _format(
        text="sentence_A",
        text_pair="sentence_B",
        label="relatedness_score",
        columns=["pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment"],
        numeric=True,
    ),
    "SuggestionMining": _format(
        text="sentence", columns=["id", "sentence", "label"], labels=_YES_NO, separator=",", quoting=True
    ),
    "Toxic": _format(
        text="comment_text",
        multi_label=["toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate"],
        separator=",",
        quoting=True,
    ),
}
"""The official formats: what each of them gives to :class:`TableDataset`."""
