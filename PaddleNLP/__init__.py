"""PaddleNLP: language models and what is fine-tuned from them: classification, matching, tagging, reading, pretraining."""
