"""The networks of restoration that are compared with ppgan's, at reduced width: arguments and inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.parity.PaddleGAN.cases import Case
from tests.parity.PaddleGAN.weights import state
from tests.parity.recipe import uniform


def pictures(name: str, *shape: int, peak: float = 1.0) -> np.ndarray:
    """Return pictures from 0 to a number."""
    return uniform(name, shape, 0.0, peak)


def fill(network: Any) -> None:
    """Give a network the seeded weights; the colors that a flow network takes for granted stay."""
    tensors = network.state_dict()
    shapes = {
        name: tuple(tensor.shape)
        for name, tensor in tensors.items()
        if not name.endswith(("spynet.mean", "spynet.std"))
    }
    for name, value in state(shapes).items():
        tensors[name].set_value(value.astype(tensors[name].numpy().dtype))


def thinned(output: np.ndarray) -> np.ndarray:
    """Return what is stored of an output: of pictures every fifth row and column, of videos every fifteenth."""
    step = 15 if output.ndim == 5 else 5
    return output[..., ::step, ::step] if output.ndim > 2 else output


def modes(name: str) -> tuple[str, ...]:
    """Return the modes in which a case's answers are stored: training too where it differs."""
    return ("evaluation", "training") if "discriminator" in name else ("evaluation",)


SMALL = pictures("small pictures", 2, 3, 12, 16)
WINDOWS = pictures("windows", 2, 5, 3, 16, 24)
EDVR = {"nf": 16, "groups": 4, "front_RBs": 1, "back_RBs": 2}

RESTORATION = {
    "rrdb_net": Case("RRDBNet", {"in_nc": 3, "out_nc": 3, "nf": 8, "nb": 2, "gc": 4}, (SMALL,)),
    "lesrcnn": Case("LESRCNNGenerator", {}, (SMALL,)),
    "lesrcnn_several": Case("LESRCNNGenerator", {"scale": 3, "multi_scale": True}, (SMALL,)),
    "pan": Case("PAN", {"in_nc": 3, "out_nc": 3, "nf": 8, "unf": 6, "nb": 2}, (SMALL,)),
    "pan_x3": Case("PAN", {"in_nc": 3, "out_nc": 3, "nf": 8, "unf": 6, "nb": 1, "scale": 3}, (SMALL,)),
    "drn": Case(
        "DRNGenerator", {"scale": [2, 4], "n_blocks": 2, "n_feats": 8}, (pictures("bytes", 2, 3, 8, 12, peak=255),)
    ),
    "drn_x8": Case(
        "DRNGenerator",
        {"scale": [2, 4, 8], "n_blocks": 1, "n_feats": 8},
        (pictures("bytes", 2, 3, 8, 12, peak=255),),
    ),
    "edvr": Case("EDVRNet", EDVR, (WINDOWS,)),
    "edvr_wo_tsa": Case("EDVRNet", {**EDVR, "w_TSA": False, "nframes": 3}, (WINDOWS[:, :3].copy(),)),
    "edvr_deblur": Case(
        "EDVRNet",
        {**EDVR, "predeblur": True, "HR_in": True, "scale_factor": 1},
        (pictures("blurred windows", 2, 5, 3, 32, 48),),
    ),
    "edvr_predeblur": Case("EDVRNet", {**EDVR, "predeblur": True}, (WINDOWS,)),
    "basicvsr": Case("BasicVSRNet", {"mid_channels": 8, "num_blocks": 1}, (pictures("a clip", 2, 3, 3, 64, 80),)),
    "vgg_discriminator": Case(
        "VGGDiscriminator128", {"in_channels": 3, "num_feat": 4}, (pictures("large pictures", 2, 3, 128, 128),)
    ),
}
"""What ppgan has."""
