"""The manifest: what PaddlePaddle published for each network. Addresses and figures are facts of its documents.

No SHA-256 is published with these files, and none was measured here, so ``sha256`` is None in every record: a
downloaded file's length can be checked, its identity cannot. Loading says so in the log.
"""

from __future__ import annotations

from typing import Optional

from core.weights import Preprocessing, WeightRecord

_HOST = "https://videotag.bj.bcebos.com/PaddleVideo"
_TSN = "Temporal segment networks, https://arxiv.org/abs/1608.00859"
_TSM = "TSM: temporal shift module for efficient video understanding, https://arxiv.org/abs/1811.08383"
_SLOWFAST = "SlowFast networks for video recognition, https://arxiv.org/abs/1812.03982"
_TIMESFORMER = "Is space-time attention all you need for video understanding?, https://arxiv.org/abs/2102.05095"
_MEAN, _STD = (0.45, 0.45, 0.45), (0.225, 0.225, 0.225)


def _record(path: str, paper: str, top1: float, preprocessing: Optional[Preprocessing] = None) -> WeightRecord:
    """Return the record of a file trained on Kinetics-400; the figure is a percentage, as published."""
    return WeightRecord(
        url=f"{_HOST}{path}.pdparams",
        sha256=None,
        preprocessing=preprocessing or Preprocessing(),
        class_count=400,
        license="Apache-2.0",
        source="PaddlePaddle/PaddleVideo, docs/en/model_zoo/recognition",
        paper=paper,
        metrics={"Kinetics-400 top-1 %": top1},
    )


_OTHER = Preprocessing(mean=_MEAN, std=_STD)

WEIGHTS: dict[str, WeightRecord] = {
    "tsm_r50": _record("-release2.1/TSM/TSM_k400", _TSM, 71.06),
    "pptsn_r50": _record("-release2.2/ppTSN_k400", _TSN, 73.68),
    "pptsm_r50": _record("-release2.1/PPTSM/ppTSM_k400_uniform_distill", _TSM, 75.11),
    "slowfast_r50": _record("/SlowFast/SlowFast", _SLOWFAST, 74.35, _OTHER),
    "timesformer": _record("-release2.2/TimeSformer_k400", _TIMESFORMER, 77.08, _OTHER),
}
"""Official weight files by the name of the network."""
