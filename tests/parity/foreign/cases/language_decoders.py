"""Decoders of text, alone and behind an encoder: ``paddlenlp.transformers`` of paddlenlp."""

from __future__ import annotations

from cases.case import Case, made
from cases.language_model import (
    BLOOM,
    CODEGEN,
    EVERYTHING,
    PADDED,
    PAIR,
    POSITIONS,
    SEGMENTS,
    T5,
    TOKENS,
    WORDS,
    case_of,
)

DECODERS = {
    "GPTForCausalLM": case_of("gpt", "GPTForCausalLM", inputs=(TOKENS,)),
    "OPTForCausalLM": case_of("opt", "OPTForCausalLM", inputs=(TOKENS, EVERYTHING), word_embed_proj_dim=32),
    "CTRLModel": case_of(
        "ctrl",
        "CTRLModel",
        {},
        inputs=(TOKENS,),
        vocab_size=WORDS,
        n_embd=32,
        dff=64,
        n_layer=2,
        n_head=4,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        use_cache=False,
    ),
    "CodeGenForCausalLM": case_of("codegen", "CodeGenForCausalLM", CODEGEN, inputs=(TOKENS,), use_cache=False),
    "LlamaForCausalLM": case_of("llama", "LlamaForCausalLM", inputs=(TOKENS,), num_key_value_heads=2, use_cache=False),
    "MixtralForCausalLM": case_of(
        "mixtral",
        "MixtralForCausalLM",
        inputs=(TOKENS,),
        num_key_value_heads=2,
        num_local_experts=3,
        use_cache=False,
        compiles=False,  # how many tokens an expert gets depends on the data
    ),
    "QWenForCausalLM": case_of(
        "qwen", "QWenForCausalLM", inputs=(TOKENS,), kv_channels=8, seq_length=64, use_cache=False
    ),
    "BloomForCausalLM": case_of("bloom", "BloomForCausalLM", BLOOM, inputs=(TOKENS,)),
    "RWForCausalLM": case_of("rw", "RWForCausalLM", BLOOM, inputs=(TOKENS,), use_cache=False),
    "ChatGLMv2ForCausalLM": case_of(
        "chatglm_v2",
        "ChatGLMv2ForCausalLM",
        inputs=(TOKENS,),
        padded_vocab_size=WORDS,
        ffn_hidden_size=64,
        kv_channels=8,
        max_sequence_length=64,
        use_cache=False,
    ),
    "UnifiedTransformerLMHeadModel": case_of(
        "unified_transformer", "UnifiedTransformerLMHeadModel", inputs=(TOKENS, SEGMENTS, POSITIONS), unk_token_id=0
    ),
    "UNIMOLMHeadModel": case_of("unimo", "UNIMOLMHeadModel", inputs=(TOKENS, SEGMENTS, POSITIONS), unk_token_id=0),
}

PAIRS = {
    "T5ForConditionalGeneration": case_of(
        "t5", "T5ForConditionalGeneration", T5, inputs=(TOKENS, PADDED, TOKENS), use_cache=False
    ),
    "MT5Model": case_of(
        "mt5", "MT5Model", T5, inputs=(TOKENS, PADDED, TOKENS), feed_forward_proj="gated-gelu", use_cache=False
    ),
    "BartModel": case_of("bart", "BartModel", PAIR, inputs=(TOKENS, PADDED, TOKENS)),
    "MBartForConditionalGeneration": case_of(
        "mbart", "MBartForConditionalGeneration", PAIR, inputs=(TOKENS, PADDED, TOKENS)
    ),
    "PegasusModel": case_of("pegasus", "PegasusModel", PAIR, inputs=(TOKENS, PADDED, TOKENS)),
    "BlenderbotModel": case_of("blenderbot", "BlenderbotModel", PAIR, inputs=(TOKENS, PADDED, TOKENS)),
    "BlenderbotSmallModel": case_of("blenderbot_small", "BlenderbotSmallModel", PAIR, inputs=(TOKENS, PADDED, TOKENS)),
    "ProphetNetModel": case_of(
        "prophetnet",
        "ProphetNetModel",
        {},
        inputs=(TOKENS, PADDED, TOKENS),
        vocab_size=WORDS,
        hidden_size=32,
        max_position_embeddings=64,
        num_encoder_layers=2,
        num_decoder_layers=2,
        num_encoder_attention_heads=4,
        num_decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
    ),
    "TransformerModel": Case(
        "paddlenlp",
        made(
            "paddlenlp.transformers.transformer.modeling",
            "TransformerModel",
            WORDS,
            WORDS,
            32,
            2,
            2,
            4,
            32,
            64,
            0.0,
            False,
        ),
        (TOKENS, TOKENS),
    ),
}
