"""What runs traced and exported programs: compiled, frozen, cut into segments, for many threads."""
