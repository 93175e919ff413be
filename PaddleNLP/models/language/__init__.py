"""Language models that predict the next word from the words before."""
