"""What detectors predict from feature maps."""
