"""Writes what paddlenlp's LAC (``BiGruCrf``) computes with drawn weights.

Run from the repository's root with paddlepaddle 2.6.2 and paddlenlp 2.8.1:

    python -m tests.parity.PaddleNLP.make.lac
"""

import sys
import types
import zlib  # noqa: F401  # before paddle, which crashes otherwise
from pathlib import Path

import numpy as np
import paddle
import scipy  # noqa: F401  # likewise

from tests.parity.recipe import uniform

sys.modules.setdefault("pip", types.ModuleType("pip"))
hub, errors = types.ModuleType("aistudio_sdk.hub"), types.ModuleType("aistudio_sdk.errors")
hub.download = hub.create_repo = hub.upload = None
errors.NotExistError = Exception
stubs = {"aistudio_sdk": types.ModuleType("aistudio_sdk"), "aistudio_sdk.hub": hub, "aistudio_sdk.errors": errors}
sys.modules.update(stubs)


def main() -> None:
    """Write the file."""
    from paddlenlp.taskflow.models.lexical_analysis_model import BiGruCrf  # needs the stubs

    model = BiGruCrf(6, 5, 30, 7)
    weights = {}
    for name, value in model.state_dict().items():
        parts = name.split(".")
        if name.startswith("gru.0.") or name.startswith("gru.1.") or parts[0] in ("crf_loss", "viterbi_decoder"):
            continue
        weights[name] = uniform(f"paddlenlp {name}", value.shape, -0.7, 0.7)
        value.set_value(weights[name])
    model.eval()
    texts = [[3, 9, 1, 7, 7], [12], [5, 0, 29, 28, 4, 4, 8, 2]]
    ids = np.zeros((3, 8), np.int64)
    for row, text in zip(ids, texts):
        row[: len(text)] = text
    lengths = paddle.to_tensor([len(text) for text in texts])
    with paddle.no_grad():
        states, _ = model.gru(model.word_embedding(paddle.to_tensor(ids)), sequence_length=lengths)
        found = {"emissions": model.fc(states).numpy(), "path": model(paddle.to_tensor(ids), lengths).numpy()}
    target = Path(__file__).parents[1] / "references" / "paddlenlp_lac.npz"
    np.savez_compressed(target, **found, **{f"weight {name}": value for name, value in weights.items()})
    print(list(weights), found["path"])


if __name__ == "__main__":
    main()
