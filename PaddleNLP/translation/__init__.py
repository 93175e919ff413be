"""Translation: texts to pieces of words and back."""
