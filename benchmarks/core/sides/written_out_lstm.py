"""An LSTM written out as a loop over time in sigmoid, tanh, products and slices."""

from __future__ import annotations

from typing import Any, Callable


def ours(size: int, layers: int, generator: Any) -> tuple[Callable[[Any], Any], list[Any]]:
    """Return a function of a sequence (length, batch, size), and its weights.

    Args:
        size: units of a layer.
        layers: how many.
        generator: NumPy's, which draws the weights.
    """
    import core
    from core.nn import functional as F

    bound = size**-0.5
    weights = [
        [
            core.to_tensor(generator.uniform(-bound, bound, shape).astype("float32"), stop_gradient=False)
            for shape in ((size, 4 * size), (size, 4 * size), (4 * size,))
        ]
        for _ in range(layers)
    ]

    def run(x: Any) -> Any:
        sequence = [x[t] for t in range(x.shape[0])]
        for weight_x, weight_h, bias in weights:
            h = c = core.zeros([x.shape[1], size])
            for t in range(len(sequence)):
                gates = core.matmul(sequence[t], weight_x) + core.matmul(h, weight_h) + bias
                i, f, g, o = core.split(gates, 4, axis=-1)
                c = F.sigmoid(f) * c + F.sigmoid(i) * core.tanh(g)
                h = F.sigmoid(o) * core.tanh(c)
                sequence[t] = h
        return core.stack(sequence)

    return run, [weight for layer in weights for weight in layer]


def pytorch(inputs: Any, layers: int) -> Callable[[], None]:
    """Return a step of PyTorch, forward and backward.

    Args:
        inputs: (length, batch, size), which needs a gradient; the layers have as many units.
        layers: how many.
    """
    import torch

    batch, size = inputs.shape[1:]
    shapes = [(size, 4 * size), (size, 4 * size), (4 * size,)] * layers
    weights = [torch.empty(shape).uniform_(-(size**-0.5), size**-0.5).requires_grad_() for shape in shapes]

    def step() -> None:
        sequence = list(inputs)
        for layer in range(layers):
            weight_x, weight_h, bias = weights[3 * layer : 3 * layer + 3]
            h = c = torch.zeros(batch, size)
            for t in range(len(sequence)):
                i, f, g, o = (sequence[t] @ weight_x + h @ weight_h + bias).chunk(4, -1)
                c = f.sigmoid() * c + i.sigmoid() * g.tanh()
                h = o.sigmoid() * c.tanh()
                sequence[t] = h
        torch.stack(sequence).sum().backward()
        for tensor in (inputs, *weights):
            tensor.grad = None

    return step
