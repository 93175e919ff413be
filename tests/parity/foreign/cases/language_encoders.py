"""Encoders of text: ``paddlenlp.transformers`` of paddlenlp."""

from __future__ import annotations

from typing import Any

import numpy as np

from cases.language_model import BOXES, EVERYTHING, LENGTH, PADDED, SEGMENTS, TOKENS, WORDS, case_of


def _with_one_random_mask(model: Any, *inputs: Any) -> Any:
    np.random.seed(0)  # noqa: NPY002 - the model draws from it, in each call, which blocks see each other
    return model(*inputs)


ENCODERS = {
    "BertModel": case_of("bert", "BertModel"),
    "BertForPretraining": case_of("bert", "BertForPretraining"),
    "ErnieModel": case_of("ernie", "ErnieModel", num_hidden_layers=3),
    "ErnieForSequenceClassification": case_of(
        "ernie", "ErnieForSequenceClassification", num_hidden_layers=3
    ),
    "UIE": case_of("ernie", "UIE"),
    "ErnieMModel": case_of("ernie_m", "ErnieMModel", inputs=(TOKENS,)),
    "ErnieCtmModel": case_of("ernie_ctm", "ErnieCtmModel", embedding_size=32),
    "ErnieGramModel": case_of("ernie_gram", "ErnieGramModel", embedding_size=32, rel_pos_size=8),
    "RobertaForTokenClassification": case_of("roberta", "RobertaForTokenClassification"),
    "AlbertModel": case_of("albert", "AlbertModel", inputs=(TOKENS, PADDED, SEGMENTS), embedding_size=16),
    "ElectraModel": case_of("electra", "ElectraModel", embedding_size=16),
    "DistilBertModel": case_of("distilbert", "DistilBertModel", inputs=(TOKENS,)),
    "TinyBertModel": case_of("tinybert", "TinyBertModel", fit_size=24),
    "MobileBertModel": case_of(
        "mobilebert",
        "MobileBertModel",
        inputs=(TOKENS, PADDED, SEGMENTS),
        embedding_size=16,
        true_hidden_size=16,
        intra_bottleneck_size=16,
    ),
    "PPMiniLMModel": case_of("ppminilm", "PPMiniLMModel"),
    "NeZhaForQuestionAnswering": case_of(
        "nezha", "NeZhaForQuestionAnswering", max_relative_position=8, use_relative_position=True
    ),
    "XLMModel": case_of(
        "xlm",
        "XLMModel",
        {},
        inputs=(TOKENS,),
        vocab_size=WORDS,
        emb_dim=32,
        n_layers=2,
        n_heads=4,
        dropout=0.0,
        attention_dropout=0.0,
        max_position_embeddings=64,
    ),
    "FunnelModel": case_of(
        "funnel",
        "FunnelModel",
        {},
        inputs=(TOKENS, EVERYTHING, SEGMENTS),
        vocab_size=WORDS,
        block_sizes=[1, 1],
        d_model=32,
        n_head=4,
        d_head=8,
        d_inner=64,
        return_dict=True,
    ),
    "BigBirdModel": case_of(
        "bigbird", "BigBirdModel", call=_with_one_random_mask, num_random_blocks=1, dropout=0.0, attn_dropout=0.0
    ),
    "RoFormerForMaskedLM": case_of("roformer", "RoFormerForMaskedLM", embedding_size=16),
    "RoFormerv2Model": case_of("roformerv2", "RoFormerv2Model"),
    "ConvBertModel": case_of("convbert", "ConvBertModel", embedding_size=16, conv_kernel_size=5),
    "FNetModel": case_of("fnet", "FNetModel"),
    "MPNetModel": case_of("mpnet", "MPNetModel", inputs=(TOKENS,)),
    "DebertaModel": case_of("deberta", "DebertaModel", inputs=(TOKENS, EVERYTHING)),
    "DebertaV2Model": case_of(
        "deberta_v2",
        "DebertaV2Model",
        inputs=(TOKENS, EVERYTHING),
        relative_attention=True,
        pos_att_type=["p2c", "c2p"],
        position_buckets=8,
    ),
    "RemBertModel": case_of("rembert", "RemBertModel", input_embedding_size=16),
    "SqueezeBertModel": case_of("squeezebert", "SqueezeBertModel", inputs=(TOKENS, PADDED), embedding_size=32),
    "LayoutLMModel": case_of("layoutlm", "LayoutLMModel", inputs=(TOKENS, BOXES)),
    "MegatronBertModel": case_of("megatronbert", "MegatronBertModel"),
    "LukeModel": case_of(
        "luke", "LukeModel", entity_vocab_size=50, entity_emb_size=16, type_vocab_size=2, pad_token_id=0, cls_token_id=1
    ),
    "GAUAlphaModel": case_of("gau_alpha", "GAUAlphaModel", inputs=(TOKENS,), attention_key_size=16),
    "SkepForSequenceClassification": case_of("skep", "SkepForSequenceClassification"),
    "NystromformerModel": case_of(
        "nystromformer", "NystromformerModel", inputs=(TOKENS, PADDED), num_landmarks=4, segment_means_seq_len=LENGTH
    ),
    "XLNetModel": case_of(
        "xlnet",
        "XLNetModel",
        {},
        vocab_size=WORDS,
        d_model=32,
        n_layer=2,
        n_head=4,
        d_inner=64,
        dropout=0.0,
    ),
}
