"""``paddle.utils.cpp_extension``: there is no C++ interface to build operators against, so all of it refuses.

An operator of one's own is written in Python: ``paddle.autograd.PyLayer``, or a kernel in ``core.kernels``.
"""

from core.internals.utils.cpp_extension.cpp_extension import BuildExtension, CppExtension, CUDAExtension, load, setup
from core.internals.utils.cpp_extension.extension_utils import load_op_meta_info_and_register_op

__all__ = ["BuildExtension", "CUDAExtension", "CppExtension", "load", "load_op_meta_info_and_register_op", "setup"]
