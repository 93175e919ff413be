"""Store what transformers' models say of small seeded texts, and the names that their files have.

    PEER_PYTHON tests/parity/PaddleNLP/make/hugging_face_models.py

PEER_PYTHON has torch and transformers 5.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

PARITY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PARITY.parents[1]))

import numpy as np  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from safetensors.numpy import load_file  # noqa: E402

from tests.parity.PaddleNLP import foreign_cases as cases  # noqa: E402

RESULTS = ("logits", "prediction_logits", "sop_logits", "start_logits", "end_logits")


def main() -> None:
    """Write names and results of all models."""
    stored: dict[str, np.ndarray] = {}
    for case in cases.CASES:
        foreign = getattr(transformers, case.foreign)
        labels = {"num_labels": cases.CLASSES} if case.task.endswith("classification") else {}
        model = foreign(foreign.config_class(**case.settings, **labels))
        with tempfile.TemporaryDirectory() as folder:
            model.save_pretrained(folder)
            shapes = {name: value.shape for name, value in load_file(f"{folder}/model.safetensors").items()}
        values = {name: torch.from_numpy(value) for name, value in cases.weights(shapes).items()}
        model.load_state_dict(values, strict=False)
        model.tie_weights()
        model.eval()
        given = {name: torch.from_numpy(value) for name, value in cases.inputs(case.family).items()}
        with torch.no_grad():
            found = model(**given)
        stored[f"{case.foreign} names"] = cases.listing(shapes)
        for index, name in enumerate(name for name in RESULTS if name in found):
            stored[f"{case.foreign} {index}"] = found[name].numpy()
    np.savez_compressed(cases.FILE, **stored)


if __name__ == "__main__":
    main()
