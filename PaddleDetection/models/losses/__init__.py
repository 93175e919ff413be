"""What detectors minimise."""
