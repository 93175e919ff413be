"""Store what the metrics of paddlenlp, and seqeval, say of the cases.

    REFERENCE_PYTHON tests/parity/PaddleNLP/make/metrics.py

REFERENCE_PYTHON has paddlepaddle 2.6.2, paddlenlp 2.8.1 and seqeval 1.2.2.
"""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path

PARITY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PARITY / "PaddleNLP"))
sys.modules["aistudio_sdk"] = missing = types.ModuleType("aistudio_sdk")
sys.modules["aistudio_sdk.hub"] = missing.hub = types.ModuleType("aistudio_sdk.hub")  # type: ignore[attr-defined]
missing.hub.download = None

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import metric_cases as cases  # noqa: E402
import paddle  # noqa: E402
import scipy  # noqa: E402, F401
from paddlenlp.metrics import AccuracyAndF1, ChunkEvaluator, Mcc, PearsonAndSpearman  # noqa: E402
from paddlenlp.metrics.squad import compute_prediction, squad_evaluate  # noqa: E402
from seqeval.metrics import classification_report  # noqa: E402


def chunks(scheme: str) -> dict:
    """Return precision, recall and F1 of paddlenlp, and seqeval's of each kind."""
    labels = cases.SCHEMES[scheme]
    truth, predicted, lengths = cases.tag_rows(scheme)
    suffix = scheme == "suffix"
    evaluator = ChunkEvaluator(labels, suffix=suffix)
    tensors = map(paddle.to_tensor, (lengths, predicted, truth))
    counts = evaluator.compute(*tensors)
    evaluator.update(*(count.numpy() for count in counts))
    rows = [
        [[labels[tag] for tag in row[:length]] for row, length in zip(tags, lengths)] for tags in (truth, predicted)
    ]
    report = classification_report(*rows, suffix=suffix, output_dict=True, zero_division=0)
    kinds = {
        kind: [row["precision"], row["recall"], row["f1-score"], int(row["support"])]
        for kind, row in report.items()
        if not kind.endswith(" avg")
    }
    return {"scores": list(map(float, evaluator.accumulate())), "kinds": kinds}


def squad() -> dict:
    """Return what paddlenlp's squad_evaluate says of the answers with a threshold of 0.6."""
    examples = [
        {"id": str(number), "answers": {"text": right, "answer_start": [0] * len(right)}}
        for number, (right, _, _) in enumerate(cases.ANSWERS)
    ]
    predictions = {str(number): given for number, (_, given, _) in enumerate(cases.ANSWERS)}
    null = {str(number): score for number, (_, _, score) in enumerate(cases.ANSWERS)}
    return dict(squad_evaluate(examples, predictions, null, 0.6))


class Examples(list):
    """A list whose fields are columns, too."""

    def __getitem__(self, key: object) -> object:
        return [example[key] for example in self] if isinstance(key, str) else super().__getitem__(key)


def spans(null: bool) -> dict:
    """Return the n best answers of paddlenlp's compute_prediction."""
    questions = cases.windows()
    examples = Examples({"id": str(number), "context": found["context"]} for number, found in enumerate(questions))
    features, starts, ends = [], [], []
    for number, found in enumerate(questions):
        for part in found["windows"]:
            features.append({"example_id": str(number), "offset_mapping": part["offsets"]})
            starts.append(part["start"])
            ends.append(part["end"])
    chosen, n_best, differences = compute_prediction(examples, features, (starts, ends), null, 5, 8, 0.5)
    best = [[[one["text"], round(one["probability"], 6)] for one in answers] for answers in n_best.values()]
    return {"chosen": list(chosen.values()), "n_best": best, "differences": list(differences.values())}


def glue() -> dict:
    """Return accuracy and F1, Matthews' correlation, and Pearson's and Spearman's."""
    logits, labels = map(paddle.to_tensor, cases.marks())
    found = {}
    for name, metric in (("accuracy_f1", AccuracyAndF1()), ("mcc", Mcc())):
        metric.update(metric.compute(logits, labels))
        found[name] = list(map(float, metric.accumulate()))
    metric = PearsonAndSpearman()
    metric.update(tuple(paddle.to_tensor(values[:, None]) for values in cases.degrees()))
    return {**found, "correlation": list(map(float, metric.accumulate()))}


if __name__ == "__main__":
    stored = {
        "chunks": {scheme: chunks(scheme) for scheme in cases.SCHEMES},
        "squad": squad(),
        "spans": spans(False),
        "spans_or_none": spans(True),
        "glue": glue(),
    }
    text = json.dumps(stored, indent=1, ensure_ascii=False)
    (PARITY / "PaddleNLP" / "references" / "metrics.json").write_text(text + "\n", "utf-8")
