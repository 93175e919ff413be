"""Layers and inputs whose results are compared with the official implementation's.

`run(paddle)` takes either the official package or ours: a case is written once and run on both. Weights come from a
stream named after the parameter, so both sides have the same.
"""

from __future__ import annotations

import zlib
from typing import Any, Callable, Optional

import numpy as np


def draw(name: str, *shape: int) -> np.ndarray:
    return np.random.default_rng(zlib.crc32(name.encode())).standard_normal(shape).astype("float32")


def away_from_zero(values: np.ndarray) -> np.ndarray:
    """Keep a distance from kinks at 0, where two right implementations may differ."""
    return (values + np.sign(values) * 0.1).astype("float32")


class Case:
    """One layer with inputs.

    Args:
        build: ``build(paddle) -> layer``.
        *inputs: Arrays; floating ones get a gradient.
        call: ``call(layer, *tensors) -> output or outputs``; the layer itself when None.
        training: The layer's mode.
        gradients: Whether gradients are compared.
        differentiable: Number of inputs that get a gradient; all floating ones when None.
    """

    def __init__(
        self,
        build: Callable[[Any], Any],
        *inputs: np.ndarray,
        call: Any = None,
        training: bool = True,
        gradients: bool = True,
        differentiable: Optional[int] = None,
    ) -> None:
        self.build = build
        self.inputs = inputs
        self.call = call or (lambda layer, *tensors: layer(*tensors))
        self.training = training
        self.gradients = gradients
        self.differentiable = len(inputs) if differentiable is None else differentiable


def flat(outputs: Any) -> list[Any]:
    if isinstance(outputs, (list, tuple)):
        return [item for output in outputs for item in flat(output)]
    return [outputs]


def run(paddle: Any, name: str, case: Case, wrap: Any = None) -> dict[str, np.ndarray]:
    """Return outputs, gradients and buffers of one case, by a name for each.

    Args:
        paddle: The official package, or ours.
        name: The case's name.
        case: The case.
        wrap: Applied to the function that calls the layer; to_static to run it compiled.
    """
    layer = case.build(paddle)
    state = layer.state_dict()
    trained = {id(parameter) for parameter in layer.parameters() if not parameter.stop_gradient}
    seen: set[str] = set()
    for key, tensor in state.items():
        if tensor.name in seen:
            continue
        seen.add(tensor.name)
        values = draw(f"{name}.{key}", *tensor.shape) * 0.5
        if key.endswith("_variance"):
            values = np.abs(values) + 0.5
        if id(tensor) in trained or not key.endswith(("bias", "weight")):
            tensor.set_value(np.asarray(values, dtype="float32"))
    if not case.training:
        layer.eval()
    tensors = []
    for position, values in enumerate(case.inputs):
        tensor = paddle.to_tensor(values)
        if values.dtype == np.float32 and case.gradients and position < case.differentiable:
            tensor.stop_gradient = False
        tensors.append(tensor)

    def call(*tensors: Any) -> Any:
        return flat(case.call(layer, *tensors))

    outputs = (call if wrap is None else wrap(call))(*tensors)
    results = {f"output{i}": output.numpy() for i, output in enumerate(outputs)}
    for key, tensor in layer.state_dict().items():
        if key.endswith(("_mean", "_variance", "_u", "_v")):
            results[f"state.{key}"] = tensor.numpy()
    if case.gradients:
        total = sum(
            (output * paddle.to_tensor(draw(f"{name}.head{i}", *output.shape))).sum()
            for i, output in enumerate(outputs)
            if str(output.dtype).endswith("float32")
        )
        total.backward()
        for i, tensor in enumerate(tensors):
            if tensor.grad is not None:
                results[f"gradient.input{i}"] = tensor.grad.numpy()
        for key, parameter in layer.named_parameters():
            if parameter.grad is not None and not parameter.stop_gradient:
                results[f"gradient.{key}"] = parameter.grad.numpy()
    return results


IMAGE = draw("image", 2, 4, 6, 5)
SEQUENCE = draw("sequence", 2, 5, 4)
LENGTHS = np.array([3, 5], dtype="int64")
VOLUME = draw("volume", 1, 4, 3, 4, 3)
LINE = draw("line", 2, 4, 7)


def recurrent() -> dict[str, Case]:
    cases = {}
    for kind in ("SimpleRNN", "LSTM", "GRU"):

        def build(paddle: Any, kind: str = kind, **options: Any) -> Any:
            return getattr(paddle.nn, kind)(4, 3, **options)

        def two_layers(paddle: Any, build: Any = build) -> Any:
            return build(paddle, num_layers=2, direction="bidirect")

        def with_lengths(layer: Any, x: Any, lengths: Any) -> Any:
            return layer(x, sequence_length=lengths)

        states = [draw(f"state{i}", 2, 2, 3) for i in range(2 if kind == "LSTM" else 1)]

        def with_states(layer: Any, x: Any, *states: Any) -> Any:
            return layer(x, states[0] if len(states) == 1 else states)

        def time_major(paddle: Any, build: Any = build) -> Any:
            return build(paddle, num_layers=2, time_major=True)

        cases[kind] = Case(build, SEQUENCE)
        cases[f"{kind}_two_layers_bidirect"] = Case(two_layers, SEQUENCE)
        cases[f"{kind}_lengths"] = Case(two_layers, SEQUENCE, LENGTHS, call=with_lengths)
        cases[f"{kind}_states_time_major"] = Case(
            time_major, SEQUENCE.transpose(1, 0, 2).copy(), *states, call=with_states
        )
        cases[f"{kind}Cell"] = Case(
            lambda paddle, kind=kind: getattr(paddle.nn, f"{kind}Cell")(4, 3),
            SEQUENCE[:, 0].copy(),
            *(state[0] for state in states),
            call=with_states,
        )
    cases["SimpleRNN_relu"] = Case(lambda paddle: paddle.nn.SimpleRNN(4, 3, activation="relu"), SEQUENCE)
    cases["RNN_reversed_lengths"] = Case(
        lambda paddle: paddle.nn.RNN(paddle.nn.LSTMCell(4, 3), is_reverse=True),
        SEQUENCE,
        LENGTHS,
        call=lambda layer, x, lengths: layer(x, sequence_length=lengths),
    )
    cases["BiRNN"] = Case(lambda paddle: paddle.nn.BiRNN(paddle.nn.GRUCell(4, 3), paddle.nn.GRUCell(4, 3)), SEQUENCE)
    cases["RNN_no_bias"] = Case(
        lambda paddle: paddle.nn.RNN(paddle.nn.LSTMCell(4, 3, bias_ih_attr=False, bias_hh_attr=False)), SEQUENCE
    )
    return cases


def attention() -> dict[str, Case]:
    query, memory = draw("query", 2, 3, 8), draw("memory", 2, 4, 8)
    keys, values = draw("keys", 2, 4, 5), draw("values", 2, 4, 6)
    mask = np.tril(np.ones((3, 3), dtype=bool))
    added = draw("added", 2, 2, 3, 4)

    def encoder_layer(paddle: Any, **options: Any) -> Any:
        return paddle.nn.TransformerEncoderLayer(8, 2, 12, dropout=0.0, **options)

    def decoder_layer(paddle: Any, **options: Any) -> Any:
        return paddle.nn.TransformerDecoderLayer(8, 2, 12, dropout=0.0, **options)

    def stepwise(layer: Any, x: Any) -> Any:
        cache = layer.gen_cache(x)
        first, cache = layer(x[:, :2], None, cache)
        second, cache = layer(x[:, 2:], None, cache)
        return first, second, cache[0].k

    def decode(layer: Any, x: Any, memory: Any) -> Any:
        cache = layer.gen_cache(memory)
        first, cache = layer(x[:, :1], memory, cache=cache)
        second, cache = layer(x[:, 1:], memory, cache=cache)
        return first, second

    return {
        "MultiHeadAttention": Case(lambda paddle: paddle.nn.MultiHeadAttention(8, 2), query),
        "MultiHeadAttention_bool_mask": Case(
            lambda paddle: paddle.nn.MultiHeadAttention(8, 2),
            query,
            mask,
            call=lambda layer, x, mask: layer(x, attn_mask=mask),
        ),
        "MultiHeadAttention_sizes_weights": Case(
            lambda paddle: paddle.nn.MultiHeadAttention(8, 2, kdim=5, vdim=6, need_weights=True),
            query,
            keys,
            values,
            added,
        ),
        "MultiHeadAttention_no_bias": Case(
            lambda paddle: paddle.nn.MultiHeadAttention(8, 4, bias_attr=False), query, memory, memory
        ),
        "TransformerEncoderLayer": Case(encoder_layer, query),
        "TransformerEncoderLayer_before": Case(
            lambda paddle: encoder_layer(paddle, normalize_before=True, activation="gelu"), query
        ),
        "TransformerEncoder_cached": Case(
            lambda paddle: paddle.nn.TransformerEncoder(encoder_layer(paddle), 2, paddle.nn.LayerNorm(8)),
            query,
            call=stepwise,
        ),
        "TransformerDecoderLayer": Case(decoder_layer, query, memory),
        "TransformerDecoder_cached": Case(
            lambda paddle: paddle.nn.TransformerDecoder(decoder_layer(paddle, normalize_before=True), 2),
            query,
            memory,
            call=decode,
        ),
        "Transformer": Case(
            lambda paddle: paddle.nn.Transformer(8, 2, 1, 1, 12, dropout=0.0),
            memory,
            query,
            call=lambda layer, src, tgt: layer(src, tgt, tgt_mask=layer.generate_square_subsequent_mask(3)),
        ),
    }


def normalisation() -> dict[str, Case]:
    shifted = IMAGE * 2 + 1

    def twice(layer: Any, x: Any) -> Any:
        layer(x)
        return layer(x * 2 - 1)

    return {
        "BatchNorm2D_train": Case(lambda paddle: paddle.nn.BatchNorm2D(4, momentum=0.7), shifted, call=twice),
        "BatchNorm2D_eval": Case(lambda paddle: paddle.nn.BatchNorm2D(4), shifted, training=False),
        "BatchNorm2D_channels_last": Case(
            lambda paddle: paddle.nn.BatchNorm2D(4, data_format="NHWC"), shifted.transpose(0, 2, 3, 1).copy()
        ),
        "BatchNorm2D_plain": Case(lambda paddle: paddle.nn.BatchNorm2D(4, weight_attr=False, bias_attr=False), shifted),
        "BatchNorm1D_vectors": Case(lambda paddle: paddle.nn.BatchNorm1D(4), shifted[:, :, 0, 0].copy() * 3),
        "BatchNorm1D": Case(lambda paddle: paddle.nn.BatchNorm1D(4), LINE),
        "BatchNorm3D": Case(lambda paddle: paddle.nn.BatchNorm3D(4, epsilon=1e-3), VOLUME),
        "BatchNorm_act": Case(lambda paddle: paddle.nn.BatchNorm(4, act="sigmoid"), shifted),
        "BatchNorm_trainable_statistics": Case(
            lambda paddle: paddle.nn.BatchNorm(4, trainable_statistics=True),
            shifted,
            training=False,
            gradients=False,  # the official backward pass takes the running statistics where forward took the batch's
        ),
        "BatchNorm2D_global": Case(lambda paddle: paddle.nn.BatchNorm2D(4, use_global_stats=True), shifted),
        "LayerNorm": Case(lambda paddle: paddle.nn.LayerNorm([6, 5]), IMAGE),
        "LayerNorm_plain": Case(lambda paddle: paddle.nn.LayerNorm(5, weight_attr=False, bias_attr=False), IMAGE),
        "GroupNorm": Case(lambda paddle: paddle.nn.GroupNorm(2, 4), IMAGE),
        "GroupNorm_channels_last": Case(
            lambda paddle: paddle.nn.GroupNorm(2, 4, data_format="NHWC"), IMAGE.transpose(0, 2, 3, 1).copy()
        ),
        "GroupNorm_no_weight": Case(lambda paddle: paddle.nn.GroupNorm(2, 4, weight_attr=False), IMAGE),
        "InstanceNorm1D": Case(lambda paddle: paddle.nn.InstanceNorm1D(4), LINE),
        "InstanceNorm2D": Case(lambda paddle: paddle.nn.InstanceNorm2D(4), IMAGE),
        "InstanceNorm2D_plain": Case(
            lambda paddle: paddle.nn.InstanceNorm2D(4, weight_attr=False, bias_attr=False), IMAGE
        ),
        "InstanceNorm3D": Case(lambda paddle: paddle.nn.InstanceNorm3D(4), VOLUME),
        "LocalResponseNorm": Case(lambda paddle: paddle.nn.LocalResponseNorm(3, alpha=0.1), IMAGE),
        "SpectralNorm": Case(
            lambda paddle: paddle.nn.SpectralNorm([4, 3, 2], 1, 2),
            draw("weight", 4, 3, 2),
            gradients=False,  # the official operator's are not the derivative; see test_norm.py
        ),
        "weight_norm": Case(lambda paddle: paddle.nn.utils.weight_norm(paddle.nn.Conv2D(4, 3, 3), dim=1), IMAGE),
        "weight_norm_whole": Case(
            lambda paddle: paddle.nn.utils.weight_norm(paddle.nn.Linear(4, 3), dim=None), SEQUENCE
        ),
        "spectral_norm": Case(
            lambda paddle: paddle.nn.utils.spectral_norm(paddle.nn.Conv2D(4, 3, 3), n_power_iterations=2), IMAGE
        ),
        "spectral_norm_linear": Case(lambda paddle: paddle.nn.utils.spectral_norm(paddle.nn.Linear(4, 3)), SEQUENCE),
    }


def convolution_and_pooling() -> dict[str, Case]:
    cases = {
        "Conv1D": Case(lambda paddle: paddle.nn.Conv1D(4, 6, 3, stride=2, padding=1, groups=2), LINE),
        "Conv2D": Case(lambda paddle: paddle.nn.Conv2D(4, 6, (3, 2), stride=(2, 1), padding=[1, 0]), IMAGE),
        "Conv2D_groups_dilation": Case(lambda paddle: paddle.nn.Conv2D(4, 8, 3, dilation=2, groups=4), IMAGE),
        "Conv2D_same": Case(lambda paddle: paddle.nn.Conv2D(4, 2, 3, stride=2, padding="SAME"), IMAGE),
        "Conv2D_reflect": Case(
            lambda paddle: paddle.nn.Conv2D(4, 2, 3, padding=1, padding_mode="reflect", bias_attr=False), IMAGE
        ),
        "Conv2D_circular": Case(lambda paddle: paddle.nn.Conv2D(4, 2, 3, padding=1, padding_mode="circular"), IMAGE),
        "Conv2D_channels_last": Case(
            lambda paddle: paddle.nn.Conv2D(4, 2, 3, data_format="NHWC"), IMAGE.transpose(0, 2, 3, 1).copy()
        ),
        "Conv3D": Case(lambda paddle: paddle.nn.Conv3D(4, 2, 2, padding=1), VOLUME),
        "Conv1DTranspose": Case(lambda paddle: paddle.nn.Conv1DTranspose(4, 3, 3, stride=2, padding=1), LINE),
        "Conv2DTranspose": Case(
            lambda paddle: paddle.nn.Conv2DTranspose(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2), IMAGE
        ),
        "Conv2DTranspose_size": Case(
            lambda paddle: paddle.nn.Conv2DTranspose(4, 2, 3, stride=2),
            IMAGE,
            call=lambda layer, x: layer(x, output_size=[14, 12]),
        ),
        "Conv3DTranspose": Case(lambda paddle: paddle.nn.Conv3DTranspose(4, 2, 2, stride=2), VOLUME),
    }
    pools: dict[str, tuple[str, dict[str, Any], np.ndarray]] = {
        "MaxPool1D": ("MaxPool1D", {"kernel_size": 2, "padding": 1}, LINE),
        "MaxPool2D": ("MaxPool2D", {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}, IMAGE),
        "MaxPool2D_mask": ("MaxPool2D", {"kernel_size": 2, "return_mask": True}, IMAGE),
        "MaxPool3D": ("MaxPool3D", {"kernel_size": 2}, VOLUME),
        "AvgPool1D": ("AvgPool1D", {"kernel_size": 2, "padding": 1}, LINE),
        "AvgPool2D": ("AvgPool2D", {"kernel_size": 3, "stride": 2, "padding": 1}, IMAGE),
        "AvgPool2D_inclusive": ("AvgPool2D", {"kernel_size": 3, "padding": 1, "exclusive": False}, IMAGE),
        "AvgPool2D_divisor": ("AvgPool2D", {"kernel_size": 2, "divisor_override": 3}, IMAGE),
        "AvgPool3D": ("AvgPool3D", {"kernel_size": 2}, VOLUME),
        "AdaptiveAvgPool1D": ("AdaptiveAvgPool1D", {"output_size": 3}, LINE),
        "AdaptiveAvgPool2D": ("AdaptiveAvgPool2D", {"output_size": (4, None)}, IMAGE),
        "AdaptiveAvgPool3D": ("AdaptiveAvgPool3D", {"output_size": 2}, VOLUME),
        "AdaptiveMaxPool1D": ("AdaptiveMaxPool1D", {"output_size": 3}, LINE),
        "AdaptiveMaxPool2D": ("AdaptiveMaxPool2D", {"output_size": (4, 3)}, IMAGE),
        "AdaptiveMaxPool3D": ("AdaptiveMaxPool3D", {"output_size": 2}, VOLUME),
    }
    for name, (kind, options, values) in pools.items():
        cases[name] = Case(lambda paddle, kind=kind, options=options: getattr(paddle.nn, kind)(**options), values)
    return cases


def simple() -> dict[str, Case]:
    activations: dict[str, dict[str, Any]] = {
        "CELU": {"alpha": 0.7},
        "ELU": {"alpha": 0.7},
        "GELU": {},
        "GLU": {"axis": 1},
        "Hardshrink": {},
        "Hardsigmoid": {},
        "Hardswish": {},
        "Hardtanh": {"min": -0.7, "max": 0.4},
        "LeakyReLU": {"negative_slope": 0.2},
        "LogSigmoid": {},
        "LogSoftmax": {"axis": 1},
        "Maxout": {"groups": 2},
        "Mish": {},
        "PReLU": {"num_parameters": 4},
        "ReLU": {},
        "ReLU6": {},
        "SELU": {},
        "Sigmoid": {},
        "Silu": {},
        "Softmax": {},
        "Softmax2D": {},
        "Softplus": {"beta": 2, "threshold": 3},
        "Softshrink": {},
        "Softsign": {},
        "Swish": {},
        "Tanh": {},
        "Tanhshrink": {},
        "ThresholdedReLU": {"threshold": 0.6},
    }
    values = away_from_zero(IMAGE[:1, :, :3, :2] * 2)
    cases = {
        name: Case(lambda paddle, name=name, options=options: getattr(paddle.nn, name)(**options), values)
        for name, options in activations.items()
    }
    cases["RReLU_eval"] = Case(lambda paddle: paddle.nn.RReLU(), values, training=False)
    layers: dict[str, tuple[dict[str, Any], tuple[np.ndarray, ...]]] = {
        "Linear": ({"in_features": 4, "out_features": 3}, (SEQUENCE,)),
        "Embedding": ({"num_embeddings": 5, "embedding_dim": 3}, (np.array([[0, 2], [4, 2]]),)),
        "Bilinear": (
            {"in1_features": 4, "in2_features": 3, "out_features": 2},
            (SEQUENCE[0].copy(), draw("second", 5, 3)),
        ),
        "Flatten": ({"start_axis": 1, "stop_axis": 2}, (IMAGE,)),
        "Unflatten": ({"axis": 1, "shape": [2, -1]}, (IMAGE,)),
        "CosineSimilarity": ({"axis": 1}, (SEQUENCE, SEQUENCE[::-1].copy())),
        "PairwiseDistance": ({"p": 3.0, "keepdim": True}, (SEQUENCE[0].copy(), SEQUENCE[1].copy())),
        "Pad1D": ({"padding": [1, 2], "mode": "replicate"}, (LINE,)),
        "Pad2D": ({"padding": [1, 2, 3, 0], "mode": "reflect"}, (IMAGE,)),
        "Pad3D": ({"padding": 1, "value": 2.0}, (VOLUME,)),
        "ZeroPad2D": ({"padding": [1, 0, 2, 1]}, (IMAGE,)),
        "Upsample": ({"scale_factor": 2, "mode": "bilinear"}, (IMAGE,)),
        "UpsamplingNearest2D": ({"size": [7, 9]}, (IMAGE,)),
        "UpsamplingBilinear2D": ({"scale_factor": [2, 3]}, (IMAGE,)),
        "PixelShuffle": ({"upscale_factor": 2}, (IMAGE,)),
        "PixelUnshuffle": ({"downscale_factor": 2}, (IMAGE[:, :, :, :4].copy(),)),
        "ChannelShuffle": ({"groups": 2}, (IMAGE,)),
        "Unfold": ({"kernel_sizes": [3, 2], "strides": 2, "paddings": 1}, (IMAGE,)),
        "Fold": ({"output_sizes": [4, 5], "kernel_sizes": 2}, (draw("columns", 2, 8, 12),)),
    }
    for name, (options, inputs) in layers.items():
        cases[name] = Case(lambda paddle, name=name, options=options: getattr(paddle.nn, name)(**options), *inputs)
    cases["Embedding_padding"] = Case(
        lambda paddle: paddle.nn.Embedding(5, 3, padding_idx=-3), np.array([[0, 2], [4, 2]])
    )
    return cases


def losses() -> dict[str, Case]:
    prediction, target = draw("prediction", 3, 4), draw("target", 3, 4)
    classes = np.array([1, 3, 0])
    probability = (1 / (1 + np.exp(-prediction))).astype("float32")
    yes_no = (target > 0).astype("float32")
    sign = np.sign(target).astype("float32")
    shares = (np.exp(target) / np.exp(target).sum(-1, keepdims=True)).astype("float32")
    third = draw("third", 3, 4)
    table: dict[str, tuple[str, dict[str, Any], tuple[np.ndarray, ...]]] = {
        "MSELoss": ("MSELoss", {}, (prediction, target)),
        "L1Loss": ("L1Loss", {"reduction": "sum"}, (prediction, target)),
        "SmoothL1Loss": ("SmoothL1Loss", {"delta": 0.5}, (prediction, target)),
        "CrossEntropyLoss": ("CrossEntropyLoss", {}, (prediction, classes)),
        "CrossEntropyLoss_smooth": (
            "CrossEntropyLoss",
            {"label_smoothing": 0.1},
            (prediction, classes),
        ),
        "CrossEntropyLoss_ignored": ("CrossEntropyLoss", {"ignore_index": 3}, (prediction, classes)),
        "CrossEntropyLoss_soft": ("CrossEntropyLoss", {"soft_label": True}, (prediction, shares)),
        "NLLLoss": ("NLLLoss", {}, (prediction, classes)),
        "BCELoss": ("BCELoss", {}, (probability, yes_no)),
        "BCEWithLogitsLoss": ("BCEWithLogitsLoss", {"reduction": "none"}, (prediction, yes_no)),
        "KLDivLoss": ("KLDivLoss", {"reduction": "batchmean"}, (prediction, shares)),
        "PoissonNLLLoss": ("PoissonNLLLoss", {}, (prediction, probability)),
        "GaussianNLLLoss": ("GaussianNLLLoss", {"full": True}, (prediction, target, probability)),
        "MarginRankingLoss": ("MarginRankingLoss", {"margin": 0.1}, (prediction, target, sign)),
        "HingeEmbeddingLoss": ("HingeEmbeddingLoss", {}, (probability, sign)),
        "CosineEmbeddingLoss": ("CosineEmbeddingLoss", {"margin": 0.1}, (prediction, target, np.array([1, -1, 1]))),
        "MultiLabelSoftMarginLoss": ("MultiLabelSoftMarginLoss", {}, (prediction, yes_no)),
        "MultiMarginLoss": ("MultiMarginLoss", {"p": 2}, (prediction, classes)),
        "SoftMarginLoss": ("SoftMarginLoss", {}, (prediction, sign)),
        "TripletMarginLoss": ("TripletMarginLoss", {"swap": True}, (prediction, target, third)),
        "TripletMarginWithDistanceLoss": ("TripletMarginWithDistanceLoss", {}, (prediction, target, third)),
        "HSigmoidLoss": ("HSigmoidLoss", {"feature_size": 4, "num_classes": 5}, (prediction, classes[:, None])),
        "CTCLoss": (
            "CTCLoss",
            {},
            (
                draw("steps", 6, 2, 4),
                np.array([[1, 2, 2], [3, 1, 0]], dtype="int32"),
                np.array([6, 5]),
                np.array([3, 2]),
            ),
        ),
    }
    cases = {}
    for name, (kind, options, inputs) in table.items():
        cases[name] = Case(
            lambda paddle, kind=kind, options=options: getattr(paddle.nn, kind)(**options),
            *inputs,
            differentiable=1,
        )

    def of_log_softmax(layer: Any, x: Any, *others: Any) -> Any:
        # the official CPU kernel, unlike its GPU kernel and ours, takes scores as they are for log-probabilities
        return layer(x - x.exp().sum(-1, keepdim=True).log(), *others)

    cases["RNNTLoss"] = Case(
        lambda paddle: paddle.nn.RNNTLoss(fastemit_lambda=0.1),
        draw("lattice", 2, 4, 3, 5),
        np.array([[1, 2], [3, 1]], dtype="int32"),
        np.array([4, 3], dtype="int32"),
        np.array([2, 1], dtype="int32"),
        call=of_log_softmax,
    )
    return cases


def all_cases() -> dict[str, Case]:
    """Return every case by name."""
    return {
        **recurrent(),
        **attention(),
        **normalisation(),
        **convolution_and_pooling(),
        **simple(),
        **losses(),
    }
