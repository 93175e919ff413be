"""The same elements in another shape or order: joined, split, expanded, padded."""
