"""Data sets of images with boxes, and what is done to them before a network sees them."""
