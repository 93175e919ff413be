"""Records of published weights check what they are given."""
from __future__ import annotations

import dataclasses

import pytest

from core.weights import Preprocessing, WeightRecord

RECORD = WeightRecord(
    url="https://example.org/weights/net.pdparams",
    sha256="0" * 64,
    preprocessing=Preprocessing(),
    class_count=1000,
    license="Apache-2.0",
    source="Example 1.0",
    paper="A Paper, https://arxiv.org/abs/0000.00000",
    metrics={"ImageNet top-1 %": 70.98},
)


def test_record_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        RECORD.url = "other"
    with pytest.raises(TypeError):
        RECORD.metrics["x"] = 1.0
    assert RECORD.metrics["ImageNet top-1 %"] == 70.98


@pytest.mark.parametrize(
    "change, message",
    [
        ({"url": "ftp://example.org/x"}, "weight address 'ftp://example.org/x' must be https://HOST/PATH"),
        ({"url": "https://example.org/"}, "must be https://HOST/PATH"),
        ({"sha256": "abc"}, "must be 64 lower-case hexadecimal digits, not 'abc'"),
        ({"class_count": 0}, "class_count of .* must be positive, not 0"),
    ],
)
def test_malformed_record(change, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(RECORD, **change)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"channel_order": "rgb"}, "channel_order must be 'RGB', 'BGR' or 'L', not 'rgb'"),
        ({"mean": (0.5,)}, "mean and std need one number for each channel of 'RGB'"),
        ({"std": (1.0, 0.0, 1.0)}, "input_size, resize_short and std must be positive"),
    ],
)
def test_malformed_preprocessing(arguments, message):
    with pytest.raises(ValueError, match=message):
        Preprocessing(**arguments)
