"""``paddle.utils.cpp_extension.extension_utils``."""

from __future__ import annotations

from typing import Any, NoReturn


def refuse(name: str) -> NoReturn:
    """Say that operators written in C++ cannot be built or loaded.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(
        f"paddle.utils.cpp_extension.{name}: core has no C++ interface for operators; write one in Python with "
        "paddle.autograd.PyLayer"
    )


def load_op_meta_info_and_register_op(lib_filename: str) -> NoReturn:
    """Refuse to load operators from a library.

    Raises:
        NotImplementedError: always.
    """
    refuse("load_op_meta_info_and_register_op")


def _import_module_from_library(*args: Any, **kwargs: Any) -> NoReturn:
    refuse("load")


def _jit_compile(*args: Any, **kwargs: Any) -> NoReturn:
    refuse("load")
