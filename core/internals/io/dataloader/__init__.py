"""``paddle.io.dataloader``."""
