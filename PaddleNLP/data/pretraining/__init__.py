"""Data for pretraining: masked words, and ERNIE 2.0's tasks of documents and pairs."""
