"""Worker processes that read batches, and how these travel to the parent."""
