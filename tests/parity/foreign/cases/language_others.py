"""Text with pictures, layers for tags and sequences, and generated text, of paddlenlp."""

from __future__ import annotations

import importlib
from typing import Any, Callable

import numpy as np

from cases.case import Case, made
from cases.language_model import EVERYTHING, IMAGE, LENGTH, LENGTHS, PAIR, T5, TOKENS, WORDS, model_of

TAGS = 5
SCORES = ("uniform", (2, LENGTH, TAGS))
WORD_VECTORS = ("uniform", (2, LENGTH, 32))
TEXT = {
    "vocab_size": WORDS,
    "hidden_size": 32,
    "intermediate_size": 64,
    "projection_dim": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 64,
    "eos_token_id": WORDS - 1,
    "bos_token_id": 0,
}
PICTURE = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "projection_dim": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "image_size": 32,
    "patch_size": 8,
}


def _two_towers(family: str, name: str, **more: Any) -> Callable[[], Any]:
    def build() -> Any:
        modeling = importlib.import_module(f"paddlenlp.transformers.{family}.modeling")
        network = getattr(modeling, name)
        settings = {"text_config": {**TEXT, **more}, "vision_config": dict(PICTURE), "projection_dim": 32}
        return network(network.config_class(**settings))

    return build


def _likeness(model: Any, tokens: Any, image: Any) -> Any:
    """Return what the towers make of text and pictures."""
    found = model(input_ids=tokens, pixel_values=image, return_dict=True)
    return [found[key] for key in ("logits_per_text", "text_embeds", "image_embeds")]


def _chain_loss() -> Any:
    crf = importlib.import_module("paddlenlp.layers.crf")
    return crf.LinearChainCrfLoss(crf.LinearChainCrf(TAGS - 2))


def _greedy(model: Any, *inputs: Any) -> Any:
    return _generated(model, *inputs, decode_strategy="greedy_search")


def _sampled(model: Any, *inputs: Any) -> Any:
    return _generated(model, *inputs, decode_strategy="sampling", top_k=1)


def _beams(model: Any, *inputs: Any) -> Any:
    return _generated(model, *inputs, decode_strategy="beam_search", num_beams=3, length_penalty=0.6)


def _generated(model: Any, tokens: Any, *others: Any, **how: Any) -> Any:
    """Return the words that are generated, their scores, and the first step's logits, which have gradients."""
    words, scores = model.generate(tokens, max_new_tokens=6, **how)
    logits = model(tokens, *others)
    return words.astype("float32"), scores, logits[0] if isinstance(logits, tuple) else logits


GPT = model_of("gpt", "GPTForCausalLM", eos_token_id=WORDS - 1, bos_token_id=1, pad_token_id=0)
START = ("below", WORDS - 2, (2, 5))

PICTURES = {
    "CLIPModel": Case("paddlenlp", _two_towers("clip", "CLIPModel"), (TOKENS, IMAGE), _likeness),
    "ErnieViLModel": Case(
        "paddlenlp",
        _two_towers(
            "ernie_vil", "ErnieViLModel", hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, type_vocab_size=2
        ),
        (TOKENS, IMAGE),
        _likeness,
    ),
    "BlipModel": Case("paddlenlp", _two_towers("blip", "BlipModel"), (TOKENS, IMAGE), _likeness),
}

LAYERS = {
    "LinearChainCrf": Case("paddlenlp", made("paddlenlp.layers.crf", "LinearChainCrf", TAGS - 2), (SCORES, LENGTHS)),
    "LinearChainCrfLoss": Case("paddlenlp", _chain_loss, (SCORES, LENGTHS, ("below", TAGS - 2, (2, LENGTH)))),
    "TCN": Case(
        "paddlenlp", made("paddlenlp.layers.tcn", "TCN", 32, [8, 8], dropout=0.0), (("uniform", (2, 32, LENGTH)),)
    ),
    "BoWEncoder": Case("paddlenlp", made("paddlenlp.seq2vec.encoder", "BoWEncoder", 32), (WORD_VECTORS,)),
    "CNNEncoder": Case("paddlenlp", made("paddlenlp.seq2vec.encoder", "CNNEncoder", 32, 8), (WORD_VECTORS,)),
    "GlobalPointer": Case(
        "paddlenlp", made("paddlenlp.layers.globalpointer", "GlobalPointer", 32, 3, 8), (WORD_VECTORS, EVERYTHING)
    ),
}

GENERATED = {
    "GPT_greedy": Case("paddlenlp", GPT, (START,), _greedy, compiles=False),
    "GPT_beams": Case("paddlenlp", GPT, (START,), _beams, compiles=False),
    "GPT_sampled": Case("paddlenlp", GPT, (START,), _sampled, compiles=False),
    "T5_greedy": Case(
        "paddlenlp",
        model_of("t5", "T5ForConditionalGeneration", T5, decoder_start_token_id=0, bos_token_id=0),
        (START, np.ones([2, 5], np.int64), START),
        _greedy,
        compiles=False,
    ),
    "Bart_beams": Case(
        "paddlenlp",
        model_of("bart", "BartForConditionalGeneration", PAIR),
        (START, np.ones([2, 5], np.int64), START),
        _beams,
        compiles=False,
    ),
}
