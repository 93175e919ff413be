"""The version of Paddle whose interface this is (paddle.version); core's own is ``core.__version__``."""

from __future__ import annotations

full_version = "2.6.2"
major, minor, patch = full_version.split(".")
rc = "0"


def cuda() -> str:
    """Return ``False``: the version of CUDA that Paddle was built with, and it was not built."""
    return "False"


cudnn = xpu = xpu_xccl = cuda


def show() -> None:
    """Print the version."""
    print(f"full_version: {full_version}\nmajor: {major}\nminor: {minor}\npatch: {patch}\nrc: {rc}")
    print(f"cuda: {cuda()}\ncudnn: {cudnn()}")
