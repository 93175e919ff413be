"""Writes what the networks on words of PaddlePaddle/models 1.6 compute in Fluid: Senta's, SimNet's and LAC's.

The programs are put together here from Fluid's own layers, as facts of ``PaddleNLP/models/classification/nets.py``,
``PaddleNLP/models/matching`` and ``PaddleNLP/models/sequence_labeling/nets.py`` say. Run from the repository's root
with Python 3.7, ``paddlepaddle==1.8.5`` and ``protobuf<3.21``:

    python -m tests.parity.PaddleNLP.make.fluid_word_networks
"""

from pathlib import Path

import numpy as np
import paddle.fluid as fluid
from paddle.fluid import layers

from tests.parity.recipe import uniform

FOLDER = Path(__file__).parents[1] / "references"
WORDS, EMB, UNITS, INNER, TAGS, MOST = 30, 6, 5, 4, 7, 8
FIRST = [[3, 9, 1, 7, 7], [12], [5, 0, 29, 28, 4, 4, 8, 2]]
SECOND = [[3, 9, 2], [11, 6, 6, 20], [1]]


def embedding(words, name=None):
    return layers.embedding(words, [WORDS, EMB], param_attr=fluid.ParamAttr(name=name))


def lstm(words, reverse=False):
    return layers.dynamic_lstm(layers.fc(words, 4 * UNITS), 4 * UNITS, is_reverse=reverse)[0]


def bow(words):
    total = layers.tanh(layers.sequence_pool(embedding(words), "sum"))
    return layers.fc(layers.fc(total, UNITS, act="tanh"), INNER, act="tanh")


def conv(words, size, act="tanh", attr=None):
    return fluid.nets.sequence_conv_pool(words, UNITS, size, act=act, pool_type="max", param_attr=attr)


def cnn(words):
    return layers.fc(conv(embedding(words), 3), INNER)


def textcnn(words):
    vectors = embedding(words)
    return layers.fc(layers.concat([conv(vectors, size) for size in (1, 2, 3)], axis=1), INNER, act="tanh")


def lstm_net(words):
    return layers.fc(layers.tanh(layers.sequence_pool(lstm(embedding(words)), "max")), INNER, act="tanh")


def gru_net(words):
    states = layers.dynamic_gru(layers.fc(embedding(words), 3 * UNITS), UNITS)
    return layers.fc(layers.tanh(layers.sequence_pool(states, "max")), INNER, act="tanh")


def bilstm(words):
    vectors = embedding(words)
    forward, backward = layers.fc(vectors, 4 * UNITS), layers.fc(vectors, 4 * UNITS)
    ways = [
        layers.dynamic_lstm(projected, 4 * UNITS, is_reverse=reverse)[0]
        for projected, reverse in ((forward, False), (backward, True))
    ]
    return layers.fc(layers.concat([layers.sequence_last_step(way) for way in ways], axis=1), INNER, act="tanh")


SENTA = {
    "senta_bow": bow,
    "senta_cnn": cnn,
    "textcnn": textcnn,
    "senta_lstm": lstm_net,
    "senta_gru": gru_net,
    "senta_bilstm": bilstm,
}


def named(name):
    return {"param_attr": fluid.ParamAttr(name=name + ".w"), "bias_attr": fluid.ParamAttr(name=name + ".b")}


def tower(kind, words):
    vectors = embedding(words, "emb")
    if kind == "bow":
        return layers.softsign(layers.sequence_pool(vectors, "sum"))
    if kind == "cnn":
        return conv(vectors, 3, "relu", fluid.ParamAttr(name="conv"))
    gates = 4 if kind == "lstm" else 3
    projected = layers.fc(vectors, gates * UNITS, **named(kind + "_fc"))
    if kind == "lstm":
        states = layers.dynamic_lstm(projected, gates * UNITS, **named("lstm"))[0]
    else:
        states = layers.dynamic_gru(projected, UNITS, **named("gru"))
    return layers.sequence_last_step(states)


def simnet(kind, pairwise=False):
    def build(first, second):
        both = [tower(kind, words) for words in (first, second)]
        if pairwise:
            return layers.cos_sim(*[layers.fc(one, INNER, act="relu", **named("fc")) for one in both])
        joined = layers.fc(layers.concat(both, axis=1), INNER, act="relu", **named("fc"))
        return layers.fc(joined, 2, **named("cos_sim"))

    return build


def mm_dnn(first, second):
    sides, lengths = [], []
    for words in (first, second):
        vectors = layers.embedding(
            words, [WORDS, EMB], padding_idx=0, param_attr=fluid.ParamAttr(name="word_embedding")
        )
        ways = []
        for short, way, reverse in (("fw", "forward", False), ("rv", "reverse", True)):
            attr = fluid.ParamAttr(name=short + "_fc.w")
            projected = layers.fc(vectors, 4 * UNITS, param_attr=attr, bias_attr=False)
            ways.append(layers.dynamic_lstm(projected, 4 * UNITS, is_reverse=reverse, **named(way + "_lstm"))[0])
        fill = layers.assign(np.zeros(1, "float32"))
        padded, count = layers.sequence_pad(layers.concat(ways, axis=1), fill, maxlen=MOST)
        sides.append(padded)
        lengths.append(count)
    cross = layers.unsqueeze(layers.matmul(sides[0], sides[1], transpose_y=True), [1])
    found = layers.conv2d(cross, 3, MOST, padding=MOST // 2)
    left, right = (layers.sequence_mask(count, MOST + 1, "float32") for count in lengths)
    mask = layers.matmul(layers.unsqueeze(left, [2]), layers.unsqueeze(right, [1]))
    mask = layers.stack([mask] * 3, axis=1)
    found = mask * found + (1 - mask) * (-(2**32) + 1)
    pooled = layers.relu(layers.pool2d(found, MOST // 2, "max", MOST // 2))
    return layers.fc(layers.fc(pooled, INNER, act="tanh"), 2)


SIMNET = {
    **{"simnet_" + kind: simnet(kind) for kind in ("bow", "cnn", "lstm", "gru")},
    "simnet_bow pairwise": simnet("bow", True),
    "simnet_mm_dnn": mm_dnn,
}


def lac(words):
    states = embedding(words, "word_emb")
    for _ in range(2):
        ways = [
            layers.dynamic_gru(layers.fc(states, 3 * UNITS), UNITS, is_reverse=reverse) for reverse in (False, True)
        ]
        states = layers.concat(ways, axis=1)
    return layers.fc(states, TAGS)


def run(build, texts, finish=None):
    """Return the results of a network with drawn weights, and the names and shapes of its parameters."""
    program, start = fluid.Program(), fluid.Program()
    with fluid.unique_name.guard(), fluid.program_guard(program, start):
        data = [layers.data(f"words{n}", [1], dtype="int64", lod_level=1) for n in range(len(texts))]
        wanted = build(*data)
        wanted = finish(wanted) if finish else [wanted]
    executor, scope = fluid.Executor(fluid.CPUPlace()), fluid.Scope()
    with fluid.scope_guard(scope):
        executor.run(start)
        shapes = {one.name: list(one.shape) for one in program.all_parameters()}
        for name, shape in shapes.items():
            scope.var(name).get_tensor().set(uniform("fluid " + name, shape, -0.7, 0.7), fluid.CPUPlace())
        feed = {}
        for number, rows in enumerate(texts):
            flat = np.array([word for row in rows for word in row], np.int64)[:, None]
            feed[f"words{number}"] = fluid.create_lod_tensor(flat, [[len(row) for row in rows]], fluid.CPUPlace())
        found = executor.run(program, feed, wanted, return_numpy=False)
    return [np.array(one) for one in found], [f"{name} {shape}" for name, shape in shapes.items()]


def tagged(emissions):
    """Return LAC's emissions, the best path, and the loss of the tags that are best at each word alone."""
    attr = fluid.ParamAttr(name="crfw")
    numbers = layers.cast(layers.argmax(emissions, axis=-1), "int64")
    target = layers.unsqueeze(numbers, [1])
    target = layers.lod_reset(target, emissions)
    loss = layers.linear_chain_crf(emissions, target, param_attr=attr)
    return [emissions, layers.crf_decoding(emissions, param_attr=attr), loss]


def main():
    stored = {}
    for name, build in SENTA.items():
        found, shapes = run(lambda words, build=build: layers.fc(build(words), 2), [FIRST])
        stored[name], stored[name + " parameters"] = found[0], np.array(shapes)
    for name, build in SIMNET.items():
        found, shapes = run(build, [FIRST, SECOND])
        stored[name], stored[name + " parameters"] = found[0], np.array(shapes)
    found, shapes = run(lac, [FIRST], tagged)
    stored["lac parameters"] = np.array(shapes)
    for name, value in zip(("lac", "lac path", "lac loss"), found):
        stored[name] = value
    np.savez_compressed(str(FOLDER / "fluid_word_networks.npz"), **stored)
    for name, value in stored.items():
        print(name, value.shape, value if name.endswith("parameters") else "")


if __name__ == "__main__":
    main()
