"""nn.Transformer learns to sort four numbers: masks, warm-up, smoothed labels, greedy decoding with a cache."""

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn

BEGIN, WORDS, LENGTH, WIDTH = 0, 10, 4, 32
rng = np.random.RandomState(13)


def make_pairs(count):
    source = rng.randint(1, WORDS, (count, LENGTH)).astype("int64")
    target = np.sort(source, axis=1)
    given = np.concatenate([np.full((count, 1), BEGIN, "int64"), target[:, :-1]], axis=1)
    return source, given, target


class Sorter(nn.Layer):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Embedding(LENGTH, WIDTH)
        self.transformer = nn.Transformer(
            WIDTH, nhead=4, num_encoder_layers=1, num_decoder_layers=1, dim_feedforward=64, dropout=0.0,
            normalize_before=True,
        )
        self.output = nn.Linear(WIDTH, WORDS)

    def embed(self, words, start=0):
        places = paddle.arange(start, start + words.shape[1])
        return self.words(words) * WIDTH**0.5 + self.places(places)

    def forward(self, source, given):
        mask = self.transformer.generate_square_subsequent_mask(given.shape[1])
        decoded = self.transformer(self.embed(source), self.embed(given), tgt_mask=mask)
        return self.output(decoded)


model = Sorter()
for name, parameter in sorted(model.named_parameters()):
    if parameter.ndim > 1:
        spread = 0.15 if "words" in name or "places" in name else parameter.shape[0] ** -0.5
        parameter.set_value(rng.normal(0, spread, parameter.shape).astype("float32"))
print("parameters:", len(model.parameters()), sum(int(np.prod(p.shape)) for p in model.parameters()))

noam = paddle.optimizer.lr.NoamDecay(d_model=WIDTH, warmup_steps=40, learning_rate=0.5)
optimizer = paddle.optimizer.Adam(
    noam, beta1=0.9, beta2=0.98, epsilon=1e-9, parameters=model.parameters(),
    grad_clip=nn.ClipGradByGlobalNorm(5.0),
)
source, given, target = make_pairs(1024)
losses, rates = [], []
model.train()
for epoch in range(16):
    for start in range(0, 1024, 128):
        part = slice(start, start + 128)
        logits = model(paddle.to_tensor(source[part]), paddle.to_tensor(given[part]))
        smoothed = F.label_smooth(F.one_hot(paddle.to_tensor(target[part]), WORDS), epsilon=0.05)
        loss = F.cross_entropy(logits, smoothed, soft_label=True)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        rates.append(noam.get_lr())
        noam.step()
        losses.append(float(loss))
print("losses:", *[f"{losses[i]:.4f}" for i in (0, 1, 3, 10)])
print("rates:", *[f"{rates[i]:.6f}" for i in (0, 1, 39, 80)])
print("learned:", losses[-1] < 0.5)

# decode word by word, all words again at each step
model.eval()
source, _, target = make_pairs(64)
with paddle.no_grad():
    words = paddle.full([64, 1], BEGIN, "int64")
    for _ in range(LENGTH):
        logits = model(paddle.to_tensor(source), words)
        words = paddle.concat([words, logits[:, -1].argmax(axis=-1, keepdim=True)], axis=1)
print("sorted at least 0.9:", float((words[:, 1:].numpy() == target).all(axis=1).mean()) >= 0.9)

# and with a cache, one word at each step
with paddle.no_grad():
    memory = model.transformer.encoder(model.embed(paddle.to_tensor(source)))
    caches = model.transformer.decoder.gen_cache(memory)
    word, cached = paddle.full([64, 1], BEGIN, "int64"), []
    for step in range(LENGTH):
        decoded, caches = model.transformer.decoder(model.embed(word, step), memory, None, None, caches)
        word = model.output(decoded[:, -1:]).argmax(axis=-1)
        cached.append(word.numpy())
print("cache agrees:", bool((np.concatenate(cached, axis=1) == words[:, 1:].numpy()).all()))
