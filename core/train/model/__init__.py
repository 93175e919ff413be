"""``paddle.Model``: a network that is trained in one line, and what it says about itself."""
