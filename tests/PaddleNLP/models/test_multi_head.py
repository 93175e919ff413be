"""Several heads on one encoder compute what each computes alone, and hold the encoder once."""

from __future__ import annotations

import numpy as np
import pytest

import core
from PaddleNLP.models.combined.multi_head import HeadSize, MultiHead
from PaddleNLP.models.registry import create_model

SIZE = {"vocab_size": 30, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 24}
HEADS = {
    "tags": HeadSize("token_classification", 5),
    "kind": HeadSize("sequence_classification", 3),
    "more": HeadSize("token_classification", 2),
}


@pytest.mark.parametrize("family", ["ernie", "bert", "roberta"])
def test_each_head_computes_what_it_computes_alone(family: str) -> None:
    model = MultiHead(create_model(family, "encoder", **SIZE), HEADS)
    model.eval()
    ids = core.to_tensor(np.random.default_rng(0).integers(5, 30, (2, 7)))
    results = dict(zip(HEADS, model(ids)))
    state = model.state_dict()
    for name, (task, classes) in HEADS.items():
        alone = create_model(family, task, classes, **SIZE)
        alone.eval()
        own = {key: state.get(f"heads.{name}.{key}", state.get(key)) for key in alone.state_dict()}
        alone.set_state_dict(own)
        np.testing.assert_allclose(results[name].numpy(), alone(ids).numpy(), atol=1e-6)
        np.testing.assert_array_equal(model.one(name)(ids).numpy(), results[name].numpy())
    words = [key for key, value in state.items() if list(value.shape) == [30, 16]]
    assert words == [f"{model.base_model_prefix}.embeddings.word_embeddings.weight"]


def test_a_head_with_inputs_of_its_own_is_refused() -> None:
    encoder = create_model("ernie", "encoder", **SIZE)
    with pytest.raises(ValueError, match="choose: a head for multiple_choice cannot share an encoder; use sequence_"):
        MultiHead(encoder, {"choose": HeadSize("multiple_choice", 2)})
