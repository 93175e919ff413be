"""Convolutional networks with channels last, float32 on the CPU, for inference: custom kernels and what runs them."""
