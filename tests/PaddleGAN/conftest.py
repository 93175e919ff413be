"""Runs that several files of tests look at, trained once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.PaddleGAN.small_runs import AVERAGED, CGAN, DCGAN, trained, write_blobs


@pytest.fixture(scope="session")
def blobs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fashion-MNIST's files with 24 and 12 images of three classes."""
    return write_blobs(tmp_path_factory.mktemp("data") / "blobs")


@pytest.fixture(scope="session")
def dcgan_run(tmp_path_factory: pytest.TempPathFactory, blobs: Path) -> Path:
    return trained("fashion_mnist_dcgan", blobs, tmp_path_factory.mktemp("runs") / "dcgan", *DCGAN, *AVERAGED)


@pytest.fixture(scope="session")
def cgan_run(tmp_path_factory: pytest.TempPathFactory, blobs: Path) -> Path:
    return trained("fashion_mnist_cgan", blobs, tmp_path_factory.mktemp("runs") / "cgan", *CGAN)
