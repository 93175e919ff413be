"""Language models that tell the next word from the words before."""
