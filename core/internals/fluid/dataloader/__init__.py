"""``paddle.fluid.dataloader``."""
