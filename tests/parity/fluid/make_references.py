"""Writes references.npz: what operators of Fluid 1.8 give for small seeded sequences, and their gradients.

Run in an environment with Python 3.7, paddlepaddle 1.8.5 and protobuf < 3.21, from the repository's root:
``python tests/parity/fluid/make_references.py``. Sequences of several lengths, one of them empty where the operator
takes one, are joined to one LoD tensor for Fluid, and stored padded. The gradients are those of the sum of all outputs,
each multiplied by 1, 2, 3 ... along a sequence's rows.
"""

import zlib  # noqa: F401  # must be loaded before paddle
from pathlib import Path

import numpy as np
import paddle.fluid as fluid
from paddle.fluid import layers
from paddle.fluid.contrib.layers import basic_gru, basic_lstm

LENGTHS = [4, 0, 2, 1]
HIDDEN = 3


def values(name, shape, scale=0.7):
    """Return seeded numbers, drawn from a stream of the name."""
    return np.random.RandomState(zlib.crc32(name.encode()) % 2**31).normal(0, scale, shape).astype("float32")


def padded(rows, lengths):
    """Return joined rows as (sequences, longest, ...)."""
    result, place = np.zeros((len(lengths), max(lengths), *rows.shape[1:]), rows.dtype), 0
    for i, length in enumerate(lengths):
        result[i, :length] = rows[place : place + length]
        place += length
    return result


def run(name, build, inputs, lengths, dense=(), by_sequence=False):
    """Return everything that is stored for one case.

    Args:
        name: names the streams of numbers.
        build: takes variables by name, returns outputs by name.
        inputs: name to (features of a row, type), of LoD tensors.
        lengths: rows of each sequence.
        dense: name to shape, of plain tensors.
        by_sequence: whether outputs have a row for each sequence, rather than for each row.
    """
    main, startup = fluid.Program(), fluid.Program()
    scope, stored, feed = fluid.Scope(), {}, {}
    with fluid.program_guard(main, startup), fluid.scope_guard(scope), fluid.unique_name.guard():
        given = {}
        for key, (features, kind) in inputs.items():
            given[key] = fluid.data(key, [None, *features], kind, lod_level=1)
            given[key].stop_gradient = kind != "float32"
            total = sum(lengths)
            array = values(f"{name}/{key}", (total, *features))
            if kind != "float32":
                array = np.random.RandomState(3).randint(0, 4, (total, *features)).astype(kind)
            feed[key] = fluid.create_lod_tensor(array, [lengths], fluid.CPUPlace())
            stored[key] = padded(array, lengths)
        for key, shape in dict(dense).items():
            given[key] = fluid.data(key, shape, "float32")
            given[key].stop_gradient = False
            feed[key] = stored[key] = values(f"{name}/{key}", [len(lengths), *shape[1:]])
        outputs = build(**given)
        total = None
        for output in outputs.values():
            if output.dtype in (fluid.core.VarDesc.VarType.FP32,):
                part = layers.reduce_sum(layers.elementwise_mul(output, _weights(output, lengths, by_sequence, feed)))
                total = part if total is None else layers.elementwise_add(total, part)
        parameters = main.all_parameters()
        differentiable = [v for v in [*given.values(), *parameters] if not v.stop_gradient]
        gradients = fluid.gradients([total], differentiable) if total is not None and differentiable else []
        found = [(v, gradient) for v, gradient in zip(differentiable, gradients) if gradient is not None]
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        for parameter in parameters:
            array = values(f"{name}/{parameter.name}", parameter.shape)
            scope.var(parameter.name).get_tensor().set(array, fluid.CPUPlace())
            stored[f"weights/{parameter.name}"] = array
        names = [*[f"out/{key}" for key in outputs], *[f"grad/{v.name}" for v, _ in found]]
        fetched = executor.run(main, feed, [*outputs.values(), *[g for _, g in found]], return_numpy=False)
    for key, tensor in zip(names, fetched):
        array = np.array(tensor)
        rows = key[5:] in inputs or (key.startswith("out/") and not by_sequence and len(array) == sum(lengths))
        stored[key] = padded(array, lengths) if rows else array
    return stored


def _weights(output, lengths, by_sequence, feed):
    """Return a variable of numbers that the output is multiplied with: 1, 2, 3 ... along each sequence."""
    name = f"weights_of_{output.name}"
    variable = fluid.data(name, [None, *[1] * (len(output.shape) - 1)], "float32")
    along = [np.arange(1, n + 1) for n in (lengths if not by_sequence else [len(lengths)])]
    feed[name] = np.concatenate(along).reshape([-1, *[1] * (len(output.shape) - 1)]).astype("float32")
    return variable


def lstm_case(name, peepholes, reverse, states=False):
    """Return a case of dynamic_lstm."""

    def build(x, h_0=None, c_0=None):
        hidden, cell = layers.dynamic_lstm(
            x, 4 * HIDDEN, h_0, c_0, use_peepholes=peepholes, is_reverse=reverse, param_attr="w", bias_attr="b"
        )
        return {"hidden": hidden, "cell": cell}

    dense = {"h_0": [None, HIDDEN], "c_0": [None, HIDDEN]} if states else {}
    lengths = [n or 3 for n in LENGTHS] if states else LENGTHS
    return run(name, build, {"x": ([4 * HIDDEN], "float32")}, lengths, dense)


def projected_case(name, clip):
    """Return a case of dynamic_lstmp."""

    def build(x):
        projection, cell = layers.dynamic_lstmp(
            x, 4 * HIDDEN, 2, use_peepholes=not clip, cell_clip=clip, proj_clip=clip, bias_attr="b"
        )
        return {"projection": projection, "cell": cell}

    return run(name, build, {"x": ([4 * HIDDEN], "float32")}, LENGTHS)


def gru_case(name, origin_mode, reverse, states=False):
    """Return a case of dynamic_gru."""

    def build(x, h_0=None):
        hidden = layers.dynamic_gru(
            x, HIDDEN, "w", "b", is_reverse=reverse, h_0=h_0, origin_mode=origin_mode
        )
        return {"hidden": hidden}

    dense = {"h_0": [None, HIDDEN]} if states else {}
    lengths = [n or 3 for n in LENGTHS] if states else LENGTHS
    return run(name, build, {"x": ([3 * HIDDEN], "float32")}, lengths, dense)


def crf_case(name):
    """Return linear_chain_crf's losses and crf_decoding's paths."""

    def build(x, label):
        losses = layers.linear_chain_crf(x, label, param_attr=fluid.ParamAttr(name="crf"))
        return {"losses": losses}

    lengths = [5, 2, 4, 1]
    inputs = {"x": ([4], "float32"), "label": ([1], "int64")}
    stored = run(name, build, inputs, lengths, by_sequence=True)

    def decode(x, label):
        created = fluid.default_main_program().global_block().create_parameter([6, 4], "float32", name="crf")
        fluid.default_startup_program().global_block().create_var(
            name="crf", shape=[6, 4], dtype="float32", persistable=True
        )
        assert created is not None
        return {"paths": layers.crf_decoding(x, param_attr=fluid.ParamAttr(name="crf"))}

    stored["out/paths"] = run(name, decode, inputs, lengths)["out/paths"]
    return stored


def pool_case(name, kind):
    """Return a case of sequence_pool."""
    inputs = {"x": ([2], "float32")}
    return run(name, lambda x: {"y": layers.sequence_pool(x, kind)}, inputs, LENGTHS, by_sequence=True)


def conv_case(name, size):
    """Return a case of sequence_conv."""

    def build(x):
        return {"y": layers.sequence_conv(x, 3, size, param_attr="w", bias_attr="b", act="tanh")}

    return run(name, build, {"x": ([2], "float32")}, LENGTHS)


def expand_case(name):
    """Return a case of sequence_expand: each row repeated for a sequence's rows."""
    return run(
        name, lambda y, x: {"y": layers.sequence_expand(x, y)}, {"y": ([1], "float32")}, LENGTHS, {"x": [None, 2]}
    )


def basic_case(name, kind):
    """Return a case of basic_lstm or basic_gru: two layers, both directions."""

    def build(x):
        size = layers.assign(np.array([4, 1, 2], "int32"))
        if kind == "lstm":
            y, hidden, cell = basic_lstm(x, None, None, HIDDEN, 2, size, bidirectional=True, forget_bias=1.0)
            return {"y": y, "hidden": hidden, "cell": cell}
        y, hidden = basic_gru(x, None, HIDDEN, 2, size, bidirectional=True)
        return {"y": y, "hidden": hidden}

    return run_dense(name, build)


def run_dense(name, build):
    """Return a case of an operator on a padded batch (3, 4, 2)."""
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, startup), fluid.scope_guard(scope), fluid.unique_name.guard():
        x = fluid.data("x", [3, 4, 2], "float32")
        x.stop_gradient = False
        outputs = build(x)
        total = sum(layers.reduce_sum(output * float(i + 1)) for i, output in enumerate(outputs.values()))
        parameters = main.all_parameters()
        found = list(zip([x, *parameters], fluid.gradients([total], [x, *parameters])))
        gradients = [(v.name, gradient) for v, gradient in found if gradient is not None]
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        stored = {"x": values(f"{name}/x", [3, 4, 2]), "lengths": np.array([4, 1, 2])}
        for parameter in parameters:
            array = values(f"{name}/{parameter.name}", parameter.shape)
            scope.var(parameter.name).get_tensor().set(array, fluid.CPUPlace())
            stored[f"weights/{parameter.name}"] = array
        fetched = executor.run(main, {"x": stored["x"]}, [*outputs.values(), *[g for _, g in gradients]])
    names = [*[f"out/{key}" for key in outputs], *[f"grad/{name}" for name, _ in gradients]]
    return {**stored, **dict(zip(names, fetched))}


CASES = {"crf": crf_case}
for peepholes in (True, False):
    for reverse in (True, False):
        key = f"lstm{' peepholes' if peepholes else ''}{' reverse' if reverse else ''}"
        CASES[key] = lambda name, p=peepholes, r=reverse: lstm_case(name, p, r)
CASES["lstm states"] = lambda name: lstm_case(name, True, True, True)
for origin in (True, False):
    for reverse in (True, False):
        key = f"gru{' origin' if origin else ''}{' reverse' if reverse else ''}"
        CASES[key] = lambda name, o=origin, r=reverse: gru_case(name, o, r)
CASES["gru states"] = lambda name: gru_case(name, False, True, True)
CASES["lstmp"] = lambda name: projected_case(name, None)
CASES["lstmp clip"] = lambda name: projected_case(name, 0.2)
for kind in ("sum", "average", "sqrt", "max", "last", "first"):
    CASES[f"pool {kind}"] = lambda name, k=kind: pool_case(name, k)
for size in (1, 2, 3, 4):
    CASES[f"conv {size}"] = lambda name, s=size: conv_case(name, s)
CASES["softmax"] = lambda name: run(
    name, lambda x: {"y": layers.sequence_softmax(x)}, {"x": ([1], "float32")}, [4, 2, 1]
)
CASES["reverse"] = lambda name: run(
    name, lambda x: {"y": layers.sequence_reverse(x)}, {"x": ([2], "float32")}, [4, 2, 1]
)
CASES["expand"] = expand_case
for kind in ("lstm", "gru"):
    CASES[f"basic {kind}"] = lambda name, k=kind: basic_case(name, k)

if __name__ == "__main__":
    arrays = {}
    for name, case in CASES.items():
        print(name, flush=True)
        arrays.update({f"{name}/{key}": value for key, value in case(name).items()})
    np.savez_compressed(str(Path(__file__).parent / "references.npz"), **arrays)
    print(len(arrays), "arrays")
