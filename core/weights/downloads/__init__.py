"""Downloads: a cache on disk, deadlines, resumed transfers."""
