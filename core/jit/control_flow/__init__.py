"""Branches and loops on tensors: recorded while a function is traced, run as operators of the program."""
