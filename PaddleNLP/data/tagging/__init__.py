"""Data sets of texts whose parts have tags or relations."""
