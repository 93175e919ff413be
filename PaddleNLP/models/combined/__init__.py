"""Networks in which several heads read one encoder, or two networks learn together."""
