"""Store what PaddleDetection's SOLOv2 says of seeded pyramids and objects.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/solov2.py

REFERENCE_PYTHON has paddlepaddle 2.6.2 and paddledet 2.6.0, whose head joins numbers without axes, which that Paddle no
longer does: they are given one. What is found is stored as matrix NMS leaves it: behind it the
official head makes masks of whole images, of one image at a time. Where no image has an object, its loss divides by
zero: that case is left out.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

PARITY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PARITY.parents[1]))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from ppdet.data.transform.batch_operators import Gt2Solov2Target  # noqa: E402
from ppdet.modeling.heads.solov2_head import SOLOv2Head, SOLOv2MaskHead  # noqa: E402
from ppdet.modeling.layers import MaskMatrixNMS  # noqa: E402
from ppdet.modeling.losses.solov2_loss import SOLOv2Loss  # noqa: E402

from tests.parity.PaddleDetection import onestage_cases  # noqa: E402
from tests.parity.PaddleDetection import solov2_cases as cases  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "solov2.npz"


_CONCAT = paddle.concat


def concat(parts: list[Any], *given: Any, **named: Any) -> Any:
    """Join tensors as Paddle 2.4 did, where a number had an axis."""
    return _CONCAT([part if part.ndim else part.reshape([1]) for part in parts], *given, **named)


class Found(Exception):
    """Carries what matrix NMS gives out of the official head."""


class Recorder(MaskMatrixNMS):
    """The official matrix NMS, behind which the head stops."""

    def __call__(self, *given: Any, **named: Any) -> None:
        raise Found(super().__call__(*given, **named))


def heads() -> paddle.nn.Layer:
    """Return the official heads with seeded weights."""
    whole = paddle.nn.Layer()
    whole.solov2_head = SOLOv2Head(
        onestage_cases.CLASSES,
        cases.CHANNELS,
        cases.INNER,
        2,
        list(cases.NUM_GRIDS),
        cases.INNER,
        solov2_loss=SOLOv2Loss(),
        mask_nms=Recorder(post_nms_top_n=20),
    )
    whole.mask_head = SOLOv2MaskHead(cases.CHANNELS, cases.INNER, cases.INNER)
    shapes = {key: list(value.shape) for key, value in whole.state_dict().items()}
    whole.set_state_dict(cases.weights(shapes))
    return whole


def instances(whole: paddle.nn.Layer, image: int) -> tuple[Any, ...]:
    """Return masks, scores and classes of one image."""
    levels = [paddle.to_tensor(one[image : image + 1]) for one in cases.pyramid()]
    sizes = paddle.to_tensor(onestage_cases.image_shape()[:1, :, None])
    try:
        whole.solov2_head.get_prediction(
            *whole.solov2_head(levels), whole.mask_head(levels), sizes, paddle.ones([1, 2])
        )
    except Found as found:
        return tuple(one.numpy() for one in found.args[0])
    raise RuntimeError("matrix NMS was not reached")


def losses(whole: paddle.nn.Layer, case: str) -> dict[str, np.ndarray]:
    """Return losses and gradients of a case."""
    objects = cases.masked_objects(case)
    batch = []
    for image, count in enumerate(objects["gt_count"]):
        own = {key: objects[key][image, :count] for key in ("gt_bbox", "gt_class", "gt_segm")}
        own.update(is_crowd=None, gt_poly=None)
        batch.append({"image": np.zeros((3, cases.HEIGHT, cases.WIDTH), np.float32), **own})
    target = Gt2Solov2Target(list(cases.NUM_GRIDS), cases.SCALE_RANGES)
    batch = target(batch)
    learned = {key: paddle.to_tensor(np.stack([one[key] for one in batch])) for key in batch[0] if key != "image"}
    levels = [paddle.to_tensor(one, stop_gradient=False) for one in cases.pyramid()]
    lists = [[learned[f"{name}{i}"] for i in range(5)] for name in ("ins_label", "cate_label", "grid_order")]
    found = whole.solov2_head.get_loss(
        *whole.solov2_head(levels), whole.mask_head(levels), *lists, learned["fg_num"]
    )
    paddle.add_n(list(found.values())).backward()
    stored = {f"{case} {key}": np.float64(value.item()) for key, value in found.items()}
    for level, one in enumerate(levels):
        stored[f"{case} gradient {level}"] = one.grad.numpy()
    return stored


def main() -> None:
    """Write maps, instances, losses and gradients."""
    paddle.concat = concat
    whole = heads()
    stored: dict[str, Any] = {"keys": np.array(sorted(whole.state_dict()))}
    whole.eval()
    for image in range(2):
        for name, value in zip(("masks", "scores", "classes"), instances(whole, image)):
            stored[f"{name} {image}"] = value[:, ::2, ::2] if name == "masks" else value
    whole.train()
    levels = [paddle.to_tensor(one) for one in cases.pyramid()]
    stored["map"] = whole.mask_head(levels).numpy()[:, ::8]
    for name, grids in zip(("logits", "kernels"), whole.solov2_head(levels)):
        for level, one in enumerate(grids):
            stored[f"{name} {level}"] = one.numpy()[:, :4]
    for case in cases.CASES:
        stored.update(losses(whole, case))
    np.savez_compressed(TARGET, **stored)


if __name__ == "__main__":
    main()
