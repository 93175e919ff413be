"""Losses of nn.functional."""
