"""Images of several kinds, a folder for each, with others as references: the data of StarGAN v2."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Optional

from core.io import Dataset
from core.io.randomness import integer
from PaddleGAN.data.images import Transform, images_below, read_images


class StarGANv2Dataset(Dataset):
    """Samples (image, its domain, a reference, another one of the same domain, their domain).

    The folder has a folder for each domain; they are numbered in alphabetical order.

    Paper: Choi et al., "StarGAN v2: diverse image synthesis for multiple domains", CVPR 2020,
        https://arxiv.org/abs/1912.01865

    Args:
        root: the folder.
        random: draw domains, each as likely, and images, as in training. Otherwise sample i is the i-th image, and its
            references are images of the next domain in order.
        transform: a function of one image; it draws for each apart.

    Attributes:
        domains: the names of the domains.
        labels: the domain of each image.

    Raises:
        NotADirectoryError: there is no such folder.
        ValueError: there are fewer than two domains, or one has no images.
    """

    images_together = 1

    def __init__(self, root: str, random: bool = True, transform: Optional[Transform] = None) -> None:
        self.domains = domain_names(root)
        self.files = [images_below("StarGANv2Dataset", os.path.join(root, name)) for name in self.domains]
        self.random = random
        self.transform = transform
        self.samples = [(file, number) for number, files in enumerate(self.files) for file in files]
        self.labels = [number for _, number in self.samples]

    def __getitem__(self, index: int) -> tuple[Any, int, Any, Any, int]:
        if not 0 <= index < len(self):
            raise IndexError(f"sample {index} is outside a StarGANv2Dataset of {len(self)} samples")
        if self.random:
            domain, wanted = (integer(0, len(self.domains)) for _ in range(2))
            file = self._drawn(domain)
            references = self._drawn(wanted), self._drawn(wanted)
        else:
            file, domain = self.samples[index]
            wanted = (domain + 1) % len(self.domains)
            others = self.files[wanted]
            references = others[index % len(others)], others[(index + 1) % len(others)]
        image, first, second = (read_images(self.transform, path) for path in (file, *references))
        return image, domain, first, second, wanted

    def __len__(self) -> int:
        return len(self.samples)

    def _drawn(self, domain: int) -> str:
        return self.files[domain][integer(0, len(self.files[domain]))]


def domain_names(root: str) -> Sequence[str]:
    """Return the names of the folders in a folder, in alphabetical order.

    Raises:
        NotADirectoryError: there is no such folder.
        ValueError: there are fewer than two.
    """
    if not os.path.isdir(root):
        raise NotADirectoryError(f"StarGANv2Dataset: no folder {root!r}")
    found = sorted(entry.name for entry in os.scandir(root) if entry.is_dir() and not entry.name.startswith("."))
    if len(found) < 2:
        raise ValueError(f"StarGANv2Dataset: {root!r} has {len(found)} folders; it needs one for each of some domains")
    return found
