"""What an evaluation gathers of each kind of task."""
