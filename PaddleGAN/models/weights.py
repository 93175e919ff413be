"""The manifest: what PaddlePaddle published for each network. Addresses and settings are facts of its documents.

Addresses are those in the applications (``ppgan/apps``), the tutorials (``docs/en_US/tutorials``) and the model list of
PaddleGAN 2.1. No SHA-256 is published with these files, and none was measured here, so ``sha256`` is None in every
record: a downloaded file's length can be checked, its identity cannot. Loading says so in the log.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

from core.weights import WeightRecord

_HOST = "https://paddlegan.bj.bcebos.com/models/"
_SOURCE = "PaddlePaddle/PaddleGAN 2.1"


class Checkpoint(NamedTuple):
    """A published weight file.

    Attributes:
        network: whose parameters it has, a name of :func:`PaddleGAN.list_models`.
        record: where it is.
        arguments: with which the network has these parameters, where they are not the defaults.
        part: which network of the file it is, where it holds several.
    """

    network: str
    record: WeightRecord
    arguments: Mapping[str, Any] = {}
    part: Optional[str] = None


def _record(file: str, paper: str) -> WeightRecord:
    """Return the record of a file of PaddleGAN's."""
    return WeightRecord(f"{_HOST}{file}", None, None, None, "Apache-2.0", _SOURCE, paper)


_UGATIT = "U-GAT-IT, https://arxiv.org/abs/1907.10830"
_ANIMEGAN = "AnimeGAN: a novel lightweight GAN for photo animation, https://doi.org/10.1007/978-981-15-5577-0_18"
_STYLEGAN2 = "Analyzing and improving the image quality of StyleGAN, https://arxiv.org/abs/1912.04958"

CHECKPOINTS: Mapping[str, Checkpoint] = {
    "photo2cartoon": Checkpoint(
        "ResnetUGATITP2CGenerator", _record("photo2cartoon_genA2B_weight.pdparams", _UGATIT)
    ),
    "animeganv2_hayao": Checkpoint("AnimeGenerator", _record("animeganv2_hayao.pdparams", _ANIMEGAN), part="netG"),
    "stylegan2_ffhq_config_f": Checkpoint(
        "StyleGANv2Generator", _record("stylegan2-ffhq-config-f.pdparams", _STYLEGAN2), {"size": 1024}
    ),
    "stylegan2_animeface_512": Checkpoint(
        "StyleGANv2Generator", _record("stylegan2-animeface-512.pdparams", _STYLEGAN2), {"size": 512}
    ),
}
"""Name to file; the first one of a network is what ``pretrained: true`` means."""


def own_checkpoint(network: str) -> Optional[str]:
    """Return the name of the checkpoint that ``pretrained=True`` means for a network; None where none is published."""
    return next((name for name, checkpoint in CHECKPOINTS.items() if checkpoint.network == network), None)
