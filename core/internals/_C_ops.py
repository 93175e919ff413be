"""``paddle._C_ops``: operators by their inner names."""
