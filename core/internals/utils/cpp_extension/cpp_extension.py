"""``paddle.utils.cpp_extension.cpp_extension``."""

from __future__ import annotations

import sys
from typing import Any, NoReturn, Optional

from core.internals.utils.cpp_extension.extension_utils import refuse

CUDA_HOME: Optional[str] = None
"""Where nvcc is: nowhere, as no C++ or CUDA operator can be built."""
IS_WINDOWS = sys.platform == "win32"


class BuildExtension:
    """What a ``setup.py`` would build operators with.

    Raises:
        NotImplementedError: always.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        refuse("BuildExtension")

    @classmethod
    def with_options(cls, **options: Any) -> NoReturn:
        """Refuse, as making one does."""
        refuse("BuildExtension.with_options")


def CppExtension(*args: Any, **kwargs: Any) -> NoReturn:
    """Refuse to describe C++ operators.

    Raises:
        NotImplementedError: always.
    """
    refuse("CppExtension")


def CUDAExtension(*args: Any, **kwargs: Any) -> NoReturn:
    """Refuse to describe CUDA operators.

    Raises:
        NotImplementedError: always.
    """
    refuse("CUDAExtension")


def load(*args: Any, **kwargs: Any) -> NoReturn:
    """Refuse to build operators.

    Raises:
        NotImplementedError: always.
    """
    refuse("load")


def setup(**attributes: Any) -> NoReturn:
    """Refuse to build operators.

    Raises:
        NotImplementedError: always.
    """
    refuse("setup")
