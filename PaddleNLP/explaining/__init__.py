"""Which tokens a result rests on: integrated gradients, and a page that shows them."""
