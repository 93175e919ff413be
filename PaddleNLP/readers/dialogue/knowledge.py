"""A reader that chooses what to say next, by the conversation and by facts."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import softmax

from PaddleNLP.data.dialogue.duconv import Moment, by_characters, history_text, knowledge_text, moment_of_line
from PaddleNLP.models.dialogue.retrieval import joined_ids
from PaddleNLP.readers.base import Text, TextReader
from PaddleNLP.readers.choices import Chosen


class KnowledgeSelectionReader(TextReader):
    """Lines of DuConv, JSON with "goal", "knowledge", "history" and "candidate", to the best candidate."""

    def predict(self, texts: Any, batch_size: int = 32) -> Any:
        """Choose replies; see :meth:`TextReader.predict`.

        Raises:
            ValueError: a text is no line of DuConv with candidates.
        """
        single = isinstance(texts, (str, tuple))
        found = self._read([texts] if single else list(texts), batch_size)
        return found[0] if single else found

    def _read(self, texts: list[Text], batch_size: int) -> list[Any]:
        return [self._chosen(moment_of_text(text), batch_size) for text in texts]

    def _chosen(self, moment: Moment, batch_size: int) -> Chosen:
        if not moment.candidates:
            raise ValueError(
                "the conversation has no replies to choose from: give them as 'candidate', a list of texts"
            )
        given = moment.generalized() if self.settings["generalized"] else moment
        cut = by_characters if self.settings["by_characters"] else str
        encode = self.tokenizer.encode_text
        context = encode(cut(history_text(given)))
        pairs = [joined_ids(context, encode(f"{cut(one)} [SEP]"), self.max_length) for one in given.candidates]
        steps = self.settings["knowledge_length"]
        facts = encode(cut(knowledge_text(given)))[:steps]
        scores: list[float] = []
        for start in range(0, len(pairs), batch_size):
            part = pairs[start : start + batch_size]
            arrays = self.batch({"input_ids": [one[0] for one in part], "token_type_ids": [one[1] for one in part]})
            if steps:
                arrays["knowledge_ids"] = np.tile(np.array(facts, np.int64), (len(part), 1))
            logits = np.asarray(self.run(arrays)[0], np.float64)
            scores += softmax(logits, axis=-1)[:, 1].tolist()
        best = int(np.argmax(scores))
        return Chosen(moment.candidates[best], best, scores)


def moment_of_text(text: Any) -> Moment:
    """Return the conversation of a text.

    Raises:
        ValueError: it is no line of DuConv.
    """
    if not isinstance(text, str):
        raise ValueError("a conversation of DuConv is an object of JSON with goal, knowledge and history")
    return moment_of_line(text, "a conversation")
