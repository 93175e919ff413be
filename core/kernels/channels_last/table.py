"""The table that a channels-last network runs by: its columns, and the kinds of steps, one a row."""

from __future__ import annotations

# every step
KIND, TASKS, WORK, ACTIVATION = range(0, 4)
BORDERS, BORDER_PARTS, BORDER_TARGET, BORDER_STEP = range(4, 8)
ROWS, BLOCK, BLOCKS, CHUNKS, CHANNELS, WIDTH = range(8, 14)
SOURCE, SOURCE_STEP, SOURCE_LINE, TARGET, TARGET_STEP, TARGET_LINE = range(14, 20)
OTHER, OTHER_STEP, OTHER_LINE, SCALE, SUMS, BIAS, PANELS = range(20, 27)

# products
PIXELS, DEPTHS, DEPTH, TARGETS, OTHERS, OUT_PANELS, PIXELS_OF_IMAGE, SCRATCH_ROWS = range(27, 35)

# windows
KERNEL, STRIDE, KERNEL_ROWS, NEIGHBOURS, SOURCE_HEIGHT, SOURCE_WIDTH, BEFORE = range(35, 42)

# values side by side
PARTS, PART_COUNT = range(42, 44)

# tiles of few multiplications
SIDE, TILES, APART, BESIDE, TARGET_PIXEL, OTHER_PIXEL = range(44, 50)

# 16- and 8-bit numbers
FORM, TARGET_FORM, OTHER_FORM, SUMS_ARE, SCALES, STARTS, TILE_ROWS, ADDS, AT_ONCE = range(50, 59)

# channels of other images: how far these are, 0 for none, and where their channels end
EARLIER, LATER, EARLIER_END, LATER_END = range(59, 63)

PREFETCH, FIELDS = 63, 64

# numbers of a step: bounds and two for its activation; bytes of the result, of the source and of what is added
LOW, HIGH, FIRST, SECOND = range(4)
INVERSE, ZERO, SOURCE_SCALE, SOURCE_ZERO, OTHER_SCALE, OTHER_ZERO, FILL = range(4, 11)
NUMBERS = 11

# kinds of steps
PRODUCT, ROW, PLAIN, SUM, MEAN, MAXIMUM, COMBINE, JOIN, WINOGRAD, PACK, SHIFT = range(11)

AS_IMAGE, AS_ROW, AS_LAST, UNREAD = "image", "row", "channels last", "unread"
"""How a result comes out: (N, C, H, W); (N, C), of images of one pixel; (N, H, W, C); or as (N, C, H, W) that nobody
reads, because only its sizes are asked for."""
