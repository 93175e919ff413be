"""What a run writes and shows: its folder, numbers, progress bar, profile."""
