"""PaddleDetection: networks that find objects in images, with boxes and masks.

Importing this package loads no engine: a data loader's worker process may import it freely.
"""
