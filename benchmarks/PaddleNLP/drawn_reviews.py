"""What a bag of character n-grams tells of the drawn reviews: TF-IDF and logistic regression of scikit-learn.

    python -m benchmarks.PaddleNLP.drawn_reviews
"""

from __future__ import annotations

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from PaddleNLP.data.drawn.reviews import DrawnReviews


def main() -> None:
    """Print the accuracy on the test part, for n-grams of several lengths."""
    parts = {split: list(DrawnReviews(split)) for split in ("train", "test")}
    texts = {split: [sample["text"] for sample in part] for split, part in parts.items()}
    labels = {split: [sample["label"] for sample in part] for split, part in parts.items()}
    for longest in (1, 2, 3, 4):
        grams = TfidfVectorizer(analyzer="char", ngram_range=(1, longest))
        model = make_pipeline(grams, LogisticRegression(C=10, max_iter=2000))
        model.fit(texts["train"], labels["train"])
        print(f"characters, n-grams up to {longest}: accuracy {model.score(texts['test'], labels['test']):.3f}")


if __name__ == "__main__":
    main()
