"""How predictions of language models are judged: arrays and texts in, numbers out."""
