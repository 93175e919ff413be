"""Sequences of tags (paddle.text)."""

from core.operators.vision.viterbi import viterbi_decode
from core.text.decoder import ViterbiDecoder

__all__ = ["ViterbiDecoder", "viterbi_decode"]
