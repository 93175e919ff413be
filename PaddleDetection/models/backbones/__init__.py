"""Networks that make feature maps of images."""
