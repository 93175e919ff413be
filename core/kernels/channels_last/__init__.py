"""Convolutional networks with channels last, float32 on the CPU, for inference: kernels of ours and what runs them."""
