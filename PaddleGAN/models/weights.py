"""The manifest: what PaddlePaddle published for each network. Addresses and settings are facts of its documents.

Addresses are those in the applications (``ppgan/apps``), the tutorials (``docs/en_US/tutorials``) and the model list of
PaddleGAN 2.1. No SHA-256 is published with these files, and none was measured here, so ``sha256`` is None in every
record: a downloaded file's length can be checked, its identity cannot. Loading says so in the log.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

from core.weights import WeightRecord

_SITE = "https://paddlegan.bj.bcebos.com/"
_HOST = f"{_SITE}models/"
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


def _restorer(file: str, paper: str, data: str = "", psnr: float = 0.0, ssim: float = 0.0) -> WeightRecord:
    """Return the record of a file for restoration, with PSNR and SSIM as its documents give them."""
    metrics = {f"{data} PSNR": psnr, f"{data} SSIM": ssim} if data else {}
    return WeightRecord(f"{_SITE}{file}.pdparams", None, None, None, "Apache-2.0", _SOURCE, paper, metrics)


_ESRGAN = "ESRGAN: enhanced super-resolution generative adversarial networks, https://arxiv.org/abs/1809.00219"
_REALSR = "Real-world super-resolution via kernel estimation and noise injection, CVPR workshops 2020"
_LESRCNN = "Lightweight image super-resolution with enhanced CNN, https://arxiv.org/abs/2007.04344"
_PAN = "Efficient image super-resolution using pixel attention, https://arxiv.org/abs/2010.01073"
_DRN = "Closed-loop matters: dual regression networks for super-resolution, https://arxiv.org/abs/2003.07018"
_EDVR = "EDVR: video restoration with enhanced deformable convolutional networks, https://arxiv.org/abs/1905.02716"
_BASICVSR = "BasicVSR: the search for essential components in video super-resolution, https://arxiv.org/abs/2012.02181"

_LARGE = {"nf": 128, "back_RBs": 40}
_DEBLUR = {**_LARGE, "predeblur": True, "HR_in": True}
"""Settings of ppgan's configs edvr_l_... and edvr_l_blur_...."""

RESTORATION: Mapping[str, Checkpoint] = {
    "esrgan_x4": Checkpoint("RRDBNet", _restorer("models/esrgan_x4", _ESRGAN, "Set5", 28.7647, 0.8187)),
    "esrgan_psnr_x4": Checkpoint("RRDBNet", _restorer("models/esrgan_psnr_x4", _ESRGAN, "Set5", 32.5512, 0.8991)),
    "realsr": Checkpoint("RRDBNet", _restorer("applications/DF2K_JPEG", _REALSR)),
    "realsr_df2k": Checkpoint("RRDBNet", _restorer("models/realsr_df2k", _REALSR, "Set5", 28.4385, 0.8106)),
    "realsr_dped": Checkpoint("RRDBNet", _restorer("models/realsr_dped", _REALSR, "Set5", 20.2421, 0.6158)),
    "realsr_merge": Checkpoint("RRDBNet", _restorer("models/realsr_merge", _REALSR, "Set5", 24.8315, 0.7030)),
    "lesrcnn_x4": Checkpoint("LESRCNNGenerator", _restorer("models/lesrcnn_x4", _LESRCNN, "Set5", 31.9476, 0.8909)),
    "pan_x4": Checkpoint("PAN", _restorer("models/pan_x4", _PAN, "Set5", 30.4574, 0.8643)),
    "drns_x4": Checkpoint("DRNGenerator", _restorer("models/DRNSx4", _DRN, "Set5", 32.6684, 0.8999)),
    "edvr_m": Checkpoint("EDVRNet", _restorer("models/EDVR_M_w_tsa_SRx4", _EDVR, "REDS4", 30.5169, 0.8699)),
    "edvr_m_wo_tsa": Checkpoint(
        "EDVRNet", _restorer("models/EDVR_M_wo_tsa_SRx4", _EDVR, "REDS4", 30.4429, 0.8684), {"w_TSA": False}
    ),
    "edvr_l": Checkpoint("EDVRNet", _restorer("models/EDVR_L_w_tsa_SRx4", _EDVR, "REDS4", 30.9336, 0.8773), _LARGE),
    "edvr_l_wo_tsa": Checkpoint(
        "EDVRNet",
        _restorer("models/EDVR_L_wo_tsa_SRx4", _EDVR, "REDS4", 30.8649, 0.8761),
        {**_LARGE, "w_TSA": False},
    ),
    "edvr_l_deblur": Checkpoint(
        "EDVRNet", _restorer("models/EDVR_L_w_tsa_deblur", _EDVR, "REDS4", 35.1473, 0.9526), _DEBLUR
    ),
    "edvr_l_wo_tsa_deblur": Checkpoint(
        "EDVRNet",
        _restorer("models/EDVR_L_wo_tsa_deblur", _EDVR, "REDS4", 34.9587, 0.9509),
        {**_DEBLUR, "w_TSA": False},
    ),
    "basicvsr": Checkpoint("BasicVSRNet", _restorer("models/BasicVSR_reds_x4", _BASICVSR, "REDS4", 31.4325, 0.8913)),
}
"""Weight files of networks that restore pictures and video."""

_UGATIT = "U-GAT-IT, https://arxiv.org/abs/1907.10830"
_ANIMEGAN = "AnimeGAN: a novel lightweight GAN for photo animation, https://doi.org/10.1007/978-981-15-5577-0_18"
_STYLEGAN2 = "Analyzing and improving the image quality of StyleGAN, https://arxiv.org/abs/1912.04958"
_WAV2LIP = "A lip sync expert is all you need for speech to lip generation in the wild, https://arxiv.org/abs/2008.10010"
_AFHQ = _record("starganv2_afhq.pdparams", "StarGAN v2, https://arxiv.org/abs/1912.01865")

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
    "wav2lip_hq": Checkpoint("Wav2Lip", _record("wav2lip_hq.pdparams", _WAV2LIP)),
    "syncnet": Checkpoint("SyncNetColor", _record("syncnet.pdparams", _WAV2LIP)),
    "starganv2_afhq": Checkpoint("StarGANv2Generator", _AFHQ, {"w_hpf": 0}, "generator"),
    "starganv2_afhq_mapping": Checkpoint("StarGANv2Mapping", _AFHQ, {"num_domains": 3}, "mapping_network"),
    "starganv2_afhq_style": Checkpoint("StarGANv2Style", _AFHQ, {"num_domains": 3}, "style_encoder"),
    **RESTORATION,
}
"""Name to file; the first one of a network is what ``pretrained: true`` means."""


def own_checkpoint(network: str) -> Optional[str]:
    """Return the name of the checkpoint that ``pretrained=True`` means for a network; None where none is published."""
    return next((name for name, checkpoint in CHECKPOINTS.items() if checkpoint.network == network), None)
