"""Store what Hugging Face's small models say of seeded texts, and their files.

    PEER_PYTHON tests/parity/PaddleNLP/make/transformers_models.py

PEER_PYTHON has torch 2 and transformers 5. It writes ``references/hugging_face/``: ``NAME.safetensors`` or
``NAME.bin``, the weights, and ``outputs.npz``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import transformers
from safetensors.torch import save_file

FOLDER = Path(__file__).parents[1] / "references" / "hugging_face"
SIZES = {
    "vocab_size": 40,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 20,
    "max_position_embeddings": 24,
    "type_vocab_size": 2,
    "pad_token_id": 0,
}
MODELS = {
    "bert_pretraining": (transformers.BertForPreTraining, transformers.BertConfig, {}),
    "bert_answers": (transformers.BertForQuestionAnswering, transformers.BertConfig, {}),
    "ernie_classes": (
        transformers.ErnieForSequenceClassification,
        transformers.ErnieConfig,
        {"use_task_id": True, "task_type_vocab_size": 3, "num_labels": 3},
    ),
    "roberta_words": (transformers.RobertaForMaskedLM, transformers.RobertaConfig, {}),
    "roberta_classes": (transformers.RobertaForSequenceClassification, transformers.RobertaConfig, {"num_labels": 3}),
}


def main() -> None:
    """Write the files."""
    FOLDER.mkdir(exist_ok=True)
    draw = np.random.RandomState(3)
    tokens = draw.randint(1, SIZES["vocab_size"], (3, 9))
    tokens[1, 6:] = 0
    kinds = draw.randint(0, 2, tokens.shape) * (tokens != 0)
    stored = {"input_ids": tokens, "token_type_ids": kinds}
    for name, (model_class, config_class, more) in MODELS.items():
        torch.manual_seed(len(name))
        model = model_class(config_class(**SIZES, **more)).eval()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.2 * torch.randn_like(parameter))
        mask = torch.tensor((tokens != 0).astype(np.int64))
        with torch.no_grad():
            given = {"input_ids": torch.tensor(tokens), "token_type_ids": torch.tensor(kinds), "attention_mask": mask}
            outputs = model(**given, return_dict=False)
        for index, one in enumerate(outputs):
            stored[f"{name} {index}"] = one.numpy()
        if name.startswith("bert"):
            torch.save(model.state_dict(), FOLDER / f"{name}.bin")
        else:
            distinct = {}
            for key, value in model.state_dict().items():
                if not any(value.data_ptr() == other.data_ptr() for other in distinct.values()):
                    distinct[key] = value.contiguous()
            save_file(distinct, FOLDER / f"{name}.safetensors")
    np.savez_compressed(FOLDER / "outputs.npz", **stored)


if __name__ == "__main__":
    main()
