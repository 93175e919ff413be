"""Store what paddlenlp's translating Transformers give: scores, losses, gradients, and both beam searches.

    REFERENCE_PYTHON tests/parity/PaddleNLP/make/translation.py

REFERENCE_PYTHON has paddlepaddle 2.6.2 and paddlenlp 2.8.1. It writes ``references/translation.npz``.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

PARITY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PARITY.parents[1]))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import numpy as np  # noqa: E402
import paddle  # noqa: E402

from tests.parity.PaddleNLP import translation_cases as cases  # noqa: E402

PACKAGE = Path(importlib.util.find_spec("paddlenlp").submodule_search_locations[0])
SPEC = importlib.util.spec_from_file_location("modeling", PACKAGE / "transformers" / "transformer" / "modeling.py")
modeling = importlib.util.module_from_spec(SPEC)  # this file alone: the whole package needs many others
SPEC.loader.exec_module(modeling)


def stored(case: str) -> dict[str, np.ndarray]:
    """Return everything of a case."""
    network = modeling.TransformerModel(**cases.settings(case))
    weights = cases.weights(case, {name: one.shape for name, one in network.state_dict().items()})
    network.set_state_dict(weights)
    network.eval()
    source, target, labels = (paddle.to_tensor(rows) for rows in cases.sentences(case))
    scores = network(source, target)
    found = {"names": np.array(sorted(network.state_dict())), "scores": scores.numpy()}
    for smoothing in (None, 0.1):
        criterion = modeling.CrossEntropyCriterion(smoothing, network.pad_id)
        total, mean, count = criterion(scores, labels.unsqueeze(-1))
        found[f"loss {smoothing}"] = np.array([float(total), float(mean), float(count)])
    mean.backward()
    for name, one in network.named_parameters():
        if one.grad is not None:
            found[f"gradient {name}"] = one.grad.numpy()
    for version in ("v1", "v2"):
        searching = modeling.InferTransformerModel(
            **cases.settings(case), beam_size=cases.BEAMS, max_out_len=cases.LONGEST, beam_search_version=version
        )
        searching.set_state_dict(weights)
        searching.eval()
        found[f"beams {version}"] = searching(source).numpy()
    return {f"{case} {name}": value for name, value in found.items()}


if __name__ == "__main__":
    everything: dict[str, np.ndarray] = {}
    for case_name in cases.CASES:
        everything.update(stored(case_name))
    np.savez_compressed(cases.FILE, **everything)
    print(f"wrote {cases.FILE}: {cases.FILE.stat().st_size:,} bytes")
