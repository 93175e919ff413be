"""What kernels know about a value: an array of whole numbers, and one of floats."""

from __future__ import annotations

Z, GIVEN, CHANNELS, TRANSFORM, KIND, FACTOR, SCALES, MORE, HEIGHT, WIDTH, BATCH = range(11)
"""Where z begins, and the gradient of what is read of it (of y, times a factor where it has one); how many channels
there are, filled up to whole vectors; where the rows of numbers of its channels begin; the activation; the factors of
an image's channels, or -1; what the given gradient is multiplied by, or -1, and what is added then; its sizes."""

FIELDS = 11
"""How many whole numbers there are."""

WEIGHT, STATISTICS, PARTS, PART_COUNT, PART_SIZE, ADD, OTHER, ZEROS = range(8)
"""What a step gets: where the packed weight is; where the moments of blocks go, or -1; where parts of a sum go, how
many there are and of how many numbers each; 1 to add to a gradient, 0 to write it, -1 where there is none; another
place; and where there are zeros for all channels."""

PLACES = 8
"""How many places there are."""
