"""Measurements of speed and memory. A package, as others that are installed have a folder of this name, too."""
