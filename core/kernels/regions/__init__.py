"""Regions of compiled training steps with channels last: forward and backward of many layers in one operator."""
