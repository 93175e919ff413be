"""Store what the official PyramidBox of 1.x says of a seeded image.

    REFERENCE_PYTHON tests/parity/PaddleDetection/make/pyramidbox.py FOLDER

REFERENCE_PYTHON has paddlepaddle 2.6.2. FOLDER holds ``PaddleCV/face_detection/pyramidbox.py`` of
https://github.com/PaddlePaddle/models, release 1.5. That one needs Fluid, which is gone; here its functions are thin
covers of 2.6's own operators, so program, kernels and names of parameters are the official ones.
"""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

PARITY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PARITY.parents[1]))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import numpy as np  # noqa: E402
import paddle  # noqa: E402
from paddle.base.layer_helper import LayerHelper  # noqa: E402
from paddle.nn import functional as F  # noqa: E402
from paddle.vision.ops import box_coder, prior_box  # noqa: E402

from PaddleDetection.models.pyramidbox_names import fluid_names  # noqa: E402
from tests.parity.PaddleDetection import pyramid_cases as cases  # noqa: E402

TARGET = PARITY / "PaddleDetection" / "references" / "pyramidbox.npz"


def fluid() -> None:
    """Put a package ``paddle.fluid`` in place with what the official file uses."""
    layers = types.ModuleType("paddle.fluid.layers")
    static = paddle.static.nn

    def conv2d(
        input: Any, num_filters: int, filter_size: int, stride: int = 1, padding: int = 0, act: Any = None, **more: Any
    ) -> Any:
        return static.conv2d(input, num_filters, filter_size, stride, padding, act=act, **more)

    def transposed(x: Any, num_filters: int, output_size: Any, use_cudnn: bool, **more: Any) -> Any:
        return static.conv2d_transpose(x, num_filters, **more)

    def prior(*given: Any, **settings: Any) -> Any:
        return prior_box(*given, **settings)

    layers.data = lambda name, shape, dtype: paddle.static.data(name, [1, *shape], dtype)
    layers.conv2d, layers.conv2d_transpose, layers.batch_norm = conv2d, transposed, static.batch_norm
    layers.pool2d = lambda input, pool_size, pool_type, pool_stride, ceil_mode: F.max_pool2d(
        input, pool_size, pool_stride, ceil_mode=ceil_mode
    )
    layers.crop = lambda x, shape: x[:, :, : shape.shape[2], : shape.shape[3]]
    layers.relu = F.relu
    layers.concat = paddle.concat
    layers.split = lambda x, num_or_sections, dim: paddle.split(x, num_or_sections, dim)
    layers.transpose, layers.assign = paddle.transpose, lambda x: x
    layers.reshape = lambda x, shape, actual_shape=None: paddle.reshape(x, shape)
    layers.reduce_max = lambda x, dim, keep_dim: paddle.max(x, dim, keep_dim)
    layers.l2_normalize = lambda x, axis: x / paddle.sqrt((x * x).sum(axis, keepdim=True) + 1e-12)
    layers.elementwise_mul = lambda x, y, axis: x * y.reshape([1, -1, 1, 1])
    layers.prior_box = prior
    package = types.ModuleType("paddle.fluid")
    package.layers = layers
    parts = {
        "param_attr": {"ParamAttr": paddle.ParamAttr},
        "initializer": {
            "Xavier": paddle.nn.initializer.XavierUniform,
            "Constant": paddle.nn.initializer.Constant,
            "Bilinear": paddle.nn.initializer.Bilinear,
        },
        "regularizer": {"L2Decay": paddle.regularizer.L2Decay},
        "layer_helper": {"LayerHelper": LayerHelper},
    }
    for name, content in parts.items():
        module = types.ModuleType(f"paddle.fluid.{name}")
        vars(module).update(content)
        sys.modules[module.__name__] = module
        setattr(package, name, module)
    paddle.fluid = package
    sys.modules["paddle.fluid"], sys.modules["paddle.fluid.layers"] = package, layers


def main() -> None:
    """Write maps, predictions, final boxes, and the names and shapes of the parameters."""
    fluid()
    sys.path.insert(0, sys.argv[1])
    stored: dict[str, Any] = {}
    for case in cases.SIZES:
        paddle.enable_static()
        deltas, scores, priors, variances = run(case, stored)
        paddle.disable_static()
        decoded = box_coder(
            *map(paddle.to_tensor, (priors, variances, deltas)), code_type="decode_center_size", box_normalized=True
        )
        likely = F.softmax(paddle.to_tensor(scores), -1).transpose([0, 2, 1])
        first = [cases.SUPPRESSION[key] for key in ("score_threshold", "nms_top_k", "keep_top_k", "nms_threshold")]
        rows, _, counts = paddle._C_ops.multiclass_nms3(decoded, likely, None, *first, True, 1.0, 0)
        stored[f"{case} rows"] = rows.numpy()
    np.savez_compressed(TARGET, **stored)


def run(case: str, stored: dict[str, Any]) -> list[np.ndarray]:
    """Store what is predicted; return shifts, scores, prior boxes and what they are divided by."""
    from pyramidbox import PyramidBox

    program, start = paddle.static.Program(), paddle.static.Program()
    image = cases.image(case)
    with paddle.static.program_guard(program, start), paddle.utils.unique_name.guard():
        if case == "odd":  # in training sizes are even, and heads are predicted
            network = PyramidBox(data_shape=image.shape[1:], is_infer=True, sub_network=True)
        else:
            network = PyramidBox(image=paddle.static.data("image", image.shape), sub_network=True)
    executor = paddle.static.Executor(paddle.CPUPlace())
    executor.run(start)
    table = {theirs: ours for ours, theirs in fluid_names().items()}
    shapes = {one.name: list(one.shape) for one in program.list_vars() if one.persistable}
    values = cases.weights({table[name]: shape for name, shape in shapes.items()})
    for name, shape in shapes.items():
        fixed = np.outer(cases.LINE, cases.LINE)
        value = values[table[name]] if table[name] in values else np.broadcast_to(fixed, shape)
        paddle.static.global_scope().find_var(name).get_tensor().set(np.ascontiguousarray(value), paddle.CPUPlace())

    maps = network.conv5, network.lfpn0_on_conv3, network.ssh_conv3_norm, network.ssh_conv8
    needed = [network.face_mbox_loc, network.face_mbox_conf, network.prior_boxes, network.box_vars]
    heads = [] if case == "odd" else [network.head_mbox_loc, network.head_mbox_conf]
    test = program.clone(for_test=True)
    found = executor.run(test, {"image": image}, [*maps, *heads, *needed])
    stored["parameters"] = np.array([f"{name} {shape}" for name, shape in sorted(shapes.items())])
    for (name, step), one in zip(cases.MAPS.items(), found):
        stored[f"{case} {name}"] = one[:, ::step]
    for name, one in zip(("head deltas", "head scores"), found[4:-4]):
        stored[f"{case} {name}"] = one
    for name, one in zip(("deltas", "scores", "priors"), found[-4:]):
        stored[f"{case} {name}"] = one
    for name, one in stored.items():
        if name.startswith(case):
            print(name, one.shape, np.abs(one).max(), np.abs(one).mean())
    return list(found[-4:])


main()
