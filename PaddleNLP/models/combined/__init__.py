"""Networks in which several heads read one encoder."""
