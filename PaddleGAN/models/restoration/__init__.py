"""Networks that restore pictures and video: super-resolution and deblurring, and what judges them."""
