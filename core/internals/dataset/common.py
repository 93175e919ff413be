"""``paddle.dataset.common``."""

from __future__ import annotations

import os
from typing import Union

from core.weights.downloads.transfer import digest_of

__all__ = ["md5file"]


def md5file(fname: Union[str, os.PathLike[str]]) -> str:
    """Return the MD5 of a file, as 32 hexadecimal digits.

    Args:
        fname: the file.
    """
    return digest_of(fname, "md5").hexdigest()
