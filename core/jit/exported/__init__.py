"""The exported program: its data structure, file format, reader with all checks, and interpreter."""
