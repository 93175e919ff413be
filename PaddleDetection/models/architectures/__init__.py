"""The detectors: what they are made of, and their entry functions."""
