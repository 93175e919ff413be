"""What layers compute: activations, attention, convolution, normalization, pooling, recurrence."""
