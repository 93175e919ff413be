"""PaddleGAN: networks that generate, translate and edit images, and the adversaries that train them.

>>> import PaddleGAN
>>> PaddleGAN.list_models("*resnet*")
['ResnetGenerator', 'resnet_6block', 'resnet_9block']
>>> generator = PaddleGAN.create_generator("resnet_9block", input_nc=3, output_nc=3)
>>> discriminator = PaddleGAN.create_discriminator("basic", input_nc=3)

Importing this package loads no engine: a data loader's worker process may import it freely.
"""

from __future__ import annotations

from PaddleGAN.models.registry import create_discriminator, create_generator, list_models

__all__ = ["create_discriminator", "create_generator", "list_models"]
