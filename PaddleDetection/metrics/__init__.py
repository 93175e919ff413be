"""Measures of detections, in NumPy; none of them loads the engine."""
