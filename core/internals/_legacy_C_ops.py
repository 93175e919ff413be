"""``paddle._legacy_C_ops``: operators by their older inner names, attributes as alternating names and values."""
