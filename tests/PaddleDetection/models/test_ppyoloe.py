"""PP-YOLOE's network, boxes and loss against PaddleDetection 2.6's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.jit.passes.fusion import optimized
from core.static import InputSpec
from PaddleDetection.models.architectures import ppyoloe
from PaddleDetection.models.architectures.ppyoloe import PPYOLOE
from PaddleDetection.models.backbones.cspresnet import CSPResNet, RepVggBlock
from PaddleDetection.models.necks.custom_csp_pan import CustomCSPPAN
from tests.parity.PaddleDetection import onestage_cases, pp_cases
from tests.parity.stored import stored_arrays

LOSSES = {"loss_cls": 1.0, "loss_iou": 2.5, "loss_dfl": 0.5}
"""With their weights, which the official head leaves out where it gives them one by one."""


class Given(nn.Layer):
    """Stands in for backbone and neck: gives the feature maps that it is given."""

    channels = (onestage_cases.CHANNELS,) * 3
    strides = pp_cases.E_STRIDES

    def forward(self, maps: Any) -> Any:
        return maps


@pytest.fixture(scope="module")
def official() -> dict[str, np.ndarray]:
    path = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references" / "ppyoloe.npz"
    return stored_arrays(path)


def set_weights(layer: Any, case: str) -> None:
    shapes = {key: list(value.shape) for key, value in layer.state_dict().items()}
    layer.set_state_dict(pp_cases.e_weights(case, shapes))


def near(found: Any, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())


def whole() -> PPYOLOE:
    backbone = CSPResNet(pp_cases.E_DEPTH, pp_cases.E_WIDTH, use_alpha=True)
    neck = CustomCSPPAN(backbone.channels, backbone.strides, pp_cases.E_DEPTH, pp_cases.E_WIDTH)
    settings: dict[str, Any] = {"score_threshold": 0.1, "nms_top_k": 50, "keep_top_k": 20}
    made = PPYOLOE(backbone, neck, onestage_cases.CLASSES, **settings)
    set_weights(made, "ppyoloe")
    return made


def test_maps_and_final_boxes_as_the_official_ones(official: dict[str, np.ndarray]) -> None:
    made = whole()
    assert sorted(made.state_dict()) == official["keys"].tolist()
    made.eval()

    @core.jit.to_static
    def found(image: Any, scale: Any) -> Any:
        maps = made.backbone(image)
        return *maps, *made.neck(maps), *made(image, None, scale)

    image = core.to_tensor(onestage_cases.image("ppyoloe"))
    *maps, rows, counts = found(image, core.to_tensor(onestage_cases.SCALE))
    for place, one in enumerate(maps):
        near(one[:, ::2], official[f"{'neck' if place > 2 else 'backbone'} {place % 3}"])
    np.testing.assert_array_equal(counts.numpy(), official["counts"])
    kept = np.concatenate([one[:count] for one, count in zip(rows.numpy(), counts.numpy())])
    np.testing.assert_allclose(kept, official["rows"], rtol=1e-4, atol=1e-2)

    made.train()
    for level, one in enumerate(made.backbone(image)):
        near(one[:, ::2], official[f"training {level}"])


@pytest.fixture(scope="module")
def detector() -> PPYOLOE:
    made = PPYOLOE(Given(), Given(), onestage_cases.CLASSES, static_assigner_epoch=30)
    set_weights(made.yolo_head, "ppyoloe head")
    return made


@pytest.mark.parametrize("compiled", [pytest.param(False, marks=pytest.mark.zoo), True])
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=() if case == "one empty" else pytest.mark.zoo) for case in onestage_cases.COUNTS],
)
def test_loss_as_the_official_one(
    detector: PPYOLOE, case: str, compiled: bool, official: dict[str, np.ndarray]
) -> None:
    def call(boxes: Any, classes: Any, counts: Any, *maps: Any) -> Any:
        found = detector.losses(maps, None, None, {"gt_bbox": boxes, "gt_class": classes, "gt_count": counts})
        return tuple(found[key] for key in LOSSES)

    step = core.jit.to_static(call) if compiled else call
    for stage, epoch in pp_cases.E_EPOCHS.items():
        detector.begin_epoch(epoch)
        features = [core.to_tensor(one, stop_gradient=False) for one in pp_cases.e_features()]
        objects = onestage_cases.objects(case, onestage_cases.FCOS_SHAPES, 4)
        found = step(*map(core.to_tensor, objects.values()), *features)
        total = core.add_n(list(found))
        total.backward()
        for (key, weight), value in zip(LOSSES.items(), found):
            np.testing.assert_allclose(value.numpy(), weight * official[f"{case} {stage} {key}"], rtol=1e-4)
        np.testing.assert_allclose(total.numpy(), official[f"{case} {stage} loss"], rtol=1e-4)
        for level, one in enumerate(features):
            near(one.grad[:, ::2], official[f"{case} {stage} gradient {level}"])


def test_a_block_is_one_convolution_in_an_exported_program(tmp_path: Path) -> None:
    block = RepVggBlock(4, alpha=True)
    set_weights(block, "block")
    block.alpha.set_value(core.to_tensor([0.6]))
    block.eval()
    x = core.to_tensor(np.sin(np.arange(2 * 4 * 6 * 5, dtype=np.float32)).reshape(2, 4, 6, 5))
    apart = nn.functional.silu(block.conv1(x) + block.conv2(x) * 0.6).numpy()
    np.testing.assert_allclose(block(x).numpy(), apart, rtol=1e-4, atol=1e-5)
    core.jit.save(block, str(tmp_path / "block"), [InputSpec([None, 4, None, None], "float32", "x")])
    loaded = core.jit.load(str(tmp_path / "block"))
    np.testing.assert_allclose(loaded(x).numpy(), apart, rtol=1e-4, atol=1e-5)
    program = optimized(loaded.program)
    assert [node.operator for node in program.nodes] == ["channels_last"]  # one convolution with its swish


@pytest.mark.zoo
def test_an_export_finds_the_same_at_sizes_never_traced(tmp_path: Path) -> None:
    made = whole()
    made.eval()
    spec = [
        InputSpec([None, 3, None, None], "float32", "image", examples={2: (96, 128), 3: (64, 96)}),
        InputSpec([None, 2], "float32", "im_shape"),
        InputSpec([None, 2], "float32", "scale_factor"),
    ]
    core.jit.save(made, str(tmp_path / "model"), spec)
    predictor = core.jit.Predictor(str(tmp_path / "model"))
    for images, height, width in ((1, 128, 128), (2, 64, 160)):
        numbers = np.sin(np.arange(images * 3 * height * width, dtype=np.float32))
        image, scale = numbers.reshape(images, 3, height, width), np.full([images, 2], 0.5, np.float32)
        rows, counts = predictor.run([image, scale, scale])
        wanted, found = made(core.to_tensor(image), None, core.to_tensor(scale))
        assert found.numpy().min() > 0
        np.testing.assert_array_equal(counts, found.numpy())
        np.testing.assert_allclose(rows, wanted.numpy(), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("crn_s", 8_084_588),
        ("crn_m", 24_134_892),
        ("crn_l", 54_078_556),
        ("crn_x", 102_331_484),
        ("plus_crn_s", 8_084_594),
        ("plus_crn_m", 24_134_904),
        ("plus_crn_l", 54_078_574),
        ("plus_crn_x", 102_331_508),
    ],
)
def test_trained_parameters(name: str, count: int) -> None:
    with core.LazyGuard():
        made = getattr(ppyoloe, f"ppyoloe_{name}")()
    assert sum(parameter.size for parameter in made.parameters() if not parameter.stop_gradient) == count
    assert made.later == (30 if "plus" in name else 100)
