"""Relations of entities: their marks in texts, pairs of entities, and patterns that speak for a relation."""
