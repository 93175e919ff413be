"""What is known about a published weight file: where it is, its checksum, and how it must be used."""
from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Optional
from urllib.parse import urlsplit


@dataclasses.dataclass(frozen=True)
class Preprocessing:
    """How an image must be prepared for a set of weights.

    Args:
        input_size: height and width of the network's input, pixels.
        resize_short: the shorter side is first resized to this many pixels, then the centre is cropped.
        mean: per channel, subtracted from pixel values scaled to [0, 1].
        std: per channel, divides after the subtraction.
        channel_order: ``"RGB"``, ``"BGR"`` or ``"L"`` (one grey channel).
        interpolation: name of the resize filter.
    """

    input_size: tuple[int, int] = (224, 224)
    resize_short: int = 256
    mean: tuple[float, ...] = (0.485, 0.456, 0.406)
    std: tuple[float, ...] = (0.229, 0.224, 0.225)
    channel_order: str = "RGB"
    interpolation: str = "bilinear"

    def __post_init__(self) -> None:
        if self.channel_order not in ("RGB", "BGR", "L"):
            raise ValueError(f"channel_order must be 'RGB', 'BGR' or 'L', not {self.channel_order!r}")
        if len(self.mean) != len(self.channel_order) or len(self.std) != len(self.channel_order):
            raise ValueError(f"mean and std need one number for each channel of {self.channel_order!r}")
        if min(self.input_size) <= 0 or self.resize_short <= 0 or min(self.std) <= 0:
            raise ValueError("input_size, resize_short and std must be positive")


@dataclasses.dataclass(frozen=True)
class WeightRecord:
    """One published weight file.

    Args:
        url: where the file is published (https).
        sha256: its SHA-256 as 64 hexadecimal digits; None where nobody has published or measured it.
        preprocessing: how inputs are prepared; None where the weights take no images.
        class_count: number of classes of the head; None where there is no classifier.
        license: SPDX name of the licence of the weights.
        source: who published them (repository and release).
        paper: title and link of the paper.
        metrics: metric name to the value its publisher reports, such as ``{"ImageNet top-1 %": 70.98}``.

    Raises:
        ValueError: the address or the checksum is malformed.
    """

    url: str
    sha256: Optional[str]
    preprocessing: Optional[Preprocessing]
    class_count: Optional[int]
    license: str
    source: str
    paper: str
    metrics: Mapping[str, float] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        address = urlsplit(self.url)
        if address.scheme not in ("http", "https") or not address.netloc or address.path in ("", "/"):
            raise ValueError(f"weight address {self.url!r} must be https://HOST/PATH")
        if self.sha256 is not None and not re.fullmatch(r"[0-9a-f]{64}", self.sha256):
            raise ValueError(f"sha256 of {self.url} must be 64 lower-case hexadecimal digits, not {self.sha256!r}")
        if self.class_count is not None and self.class_count <= 0:
            raise ValueError(f"class_count of {self.url} must be positive, not {self.class_count}")
        object.__setattr__(self, "metrics", MappingProxyType(dict(self.metrics)))
