"""Data sets of texts: readers of the official file formats, and texts that are drawn with a known answer."""
