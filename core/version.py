"""The version of Paddle whose interface this is (paddle.version); core's own is ``core.__version__``."""

from __future__ import annotations

full_version = "2.6.2"
major, minor, patch = full_version.split(".")
rc = "0"
istaged = True
commit = "8ce0de584c570589117e403322f3d1a0de6554e5"
"""The commit of Paddle's repository that has this version."""
cuda_version = cudnn_version = xpu_version = xpu_xccl_version = cinn_version = "False"
with_mkl = "ON"


def cuda() -> str:
    """Return ``False``: the version of CUDA that Paddle was built with, and it was not built."""
    return cuda_version


cudnn = xpu = xpu_xccl = cuda


def show() -> None:
    """Print the version."""
    print(f"full_version: {full_version}\nmajor: {major}\nminor: {minor}\npatch: {patch}\nrc: {rc}")
    print(f"cuda: {cuda()}\ncudnn: {cudnn()}")
