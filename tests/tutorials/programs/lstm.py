"""An LSTM reads sequences of different lengths and says which of two marks comes first."""

import numpy as np
import paddle
from paddle import nn

rng = np.random.RandomState(11)


def make_sentences(count, longest=12):
    """Return padded sequences of words 3 to 19 in which the marks 1 and 2 stand once each, lengths, and labels."""
    words = np.zeros((count, longest), "int64")
    lengths = rng.randint(5, longest + 1, count)
    labels = np.zeros((count, 1), "int64")
    for row, length, label in zip(words, lengths, labels):
        row[:length] = rng.randint(3, 20, length)
        first, second = np.sort(rng.choice(length, 2, replace=False))
        label[0] = rng.randint(2)
        row[first], row[second] = (1, 2) if label[0] else (2, 1)
    return words, lengths.astype("int64"), labels


class Reader(nn.Layer):
    def __init__(self, vocabulary=20, width=16, hidden=16):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width, padding_idx=0)
        self.lstm = nn.LSTM(width, hidden, num_layers=2, direction="bidirect")
        self.classifier = nn.Linear(2 * hidden, 2)

    def forward(self, words, lengths):
        outputs, (hidden, cell) = self.lstm(self.embedding(words), sequence_length=lengths)
        last = paddle.concat([hidden[-2], hidden[-1]], axis=-1)
        return self.classifier(last)


model = Reader()
for name, weight in sorted(model.named_parameters()):
    weight.set_value(rng.uniform(-0.25, 0.25, weight.shape).astype("float32"))
print("parameters:", len(model.parameters()), sum(int(np.prod(p.shape)) for p in model.parameters()))

clip = nn.ClipGradByGlobalNorm(clip_norm=1.0)
optimizer = paddle.optimizer.Adam(learning_rate=0.02, parameters=model.parameters(), grad_clip=clip)
criterion = nn.CrossEntropyLoss()
words, lengths, labels = make_sentences(256)

losses = []
for epoch in range(12):
    for start in range(0, 256, 64):
        part = slice(start, start + 64)
        logits = model(paddle.to_tensor(words[part]), paddle.to_tensor(lengths[part]))
        loss = criterion(logits, paddle.to_tensor(labels[part]))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
print("losses:", *[f"{losses[i]:.4f}" for i in (0, 1, 2, 3)])
print("learned:", losses[-1] < 0.1)

model.eval()
words, lengths, labels = make_sentences(128)
logits = model(paddle.to_tensor(words), paddle.to_tensor(lengths))
accuracy = paddle.metric.accuracy(nn.functional.softmax(logits), paddle.to_tensor(labels))
print("accuracy at least 0.95:", float(accuracy) >= 0.95)

# padding does not count: the same sentence, with more of it
longer = np.concatenate([words[:4], np.full((4, 5), 7, "int64")], axis=1)
other = model(paddle.to_tensor(longer), paddle.to_tensor(lengths[:4]))
print("padding is not read:", bool(paddle.allclose(other, logits[:4], atol=1e-5)))

# one step after the other with the cell gives what the layer gives
cell = nn.LSTMCell(4, 3)
layer = nn.RNN(cell)
x = paddle.to_tensor(rng.normal(size=(2, 5, 4)).astype("float32"))
outputs, (h, c) = layer(x)
state = None
for step in range(5):
    y, state = cell(x[:, step], state)
print("cell and layer agree:", bool(paddle.allclose(y, outputs[:, -1])), bool(paddle.allclose(state[1], c)))
