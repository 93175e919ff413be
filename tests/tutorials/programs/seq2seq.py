"""Sequence to sequence: an encoder and a decoder learn to reverse digits; beam search reads them out."""

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn

START, END, VOCABULARY, LENGTH = 0, 1, 10, 4
rng = np.random.RandomState(12)


def make_pairs(count):
    """Return sequences, what the decoder is given (begins with START), and what it should say (ends with END)."""
    source = rng.randint(2, VOCABULARY, (count, LENGTH)).astype("int64")
    backwards = source[:, ::-1]
    given = np.concatenate([np.full((count, 1), START), backwards], axis=1).astype("int64")
    wanted = np.concatenate([backwards, np.full((count, 1), END)], axis=1).astype("int64")
    return source, given, wanted


class Encoder(nn.Layer):
    def __init__(self, width, hidden):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, width)
        self.gru = nn.GRU(width, hidden)

    def forward(self, source):
        outputs, state = self.gru(self.embedding(source))
        return outputs, state[0]


class Decoder(nn.Layer):
    def __init__(self, width, hidden):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, width)
        self.cell = nn.GRUCell(width, hidden)
        self.rnn = nn.RNN(self.cell)
        self.output = nn.Linear(hidden, VOCABULARY)

    def forward(self, given, state):
        outputs, _ = self.rnn(self.embedding(given), state)
        return self.output(outputs)


encoder, decoder = Encoder(16, 48), Decoder(16, 48)
parameters = [*encoder.parameters(), *decoder.parameters()]
named = sorted([*encoder.named_parameters("encoder"), *decoder.named_parameters("decoder")])
for name, parameter in named:
    parameter.set_value(rng.uniform(-0.2, 0.2, parameter.shape).astype("float32"))
warm = paddle.optimizer.lr.LinearWarmup(0.01, warmup_steps=5, start_lr=0.001, end_lr=0.01)
optimizer = paddle.optimizer.Adam(warm, parameters=parameters, grad_clip=nn.ClipGradByNorm(1.0))

source, given, wanted = make_pairs(512)
losses = []
for epoch in range(30):
    for start in range(0, 512, 128):
        part = slice(start, start + 128)
        _, state = encoder(paddle.to_tensor(source[part]))
        logits = decoder(paddle.to_tensor(given[part]), state)
        loss = F.cross_entropy(logits, paddle.to_tensor(wanted[part]))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        warm.step()
        losses.append(float(loss))
print("losses:", *[f"{losses[i]:.4f}" for i in (0, 1, 2, 8)])
print("learned:", losses[-1] < 0.1)

# beam search over the decoder's cell
encoder.eval()
decoder.eval()
search = nn.BeamSearchDecoder(
    decoder.cell,
    start_token=START,
    end_token=END,
    beam_size=3,
    embedding_fn=decoder.embedding,
    output_fn=decoder.output,
)
source, _, wanted = make_pairs(64)
with paddle.no_grad():
    _, state = encoder(paddle.to_tensor(source))
    found, _, lengths = nn.dynamic_decode(search, inits=state, max_step_num=8, return_length=True)
best = found.numpy()[:, :, 0]
print("found:", *found.shape, str(found.dtype).split(".")[-1])
right = [row[: LENGTH + 1].tolist() == target.tolist() for row, target in zip(best, wanted)]
print("reversed at least 0.9:", float(np.mean(right)) >= 0.9)
print("lengths:", int(np.median(lengths.numpy()[:, 0])))
