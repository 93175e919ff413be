"""The optimizers' recurrences in float64 numpy, written down from the papers and from Paddle's documentation.

Each class holds the state of one parameter; ``step(w, g, lr)`` returns the next weight.
"""

from __future__ import annotations

import numpy as np


class SGD:
    def step(self, w, g, lr):
        return w - lr * g


class Momentum:
    def __init__(self, mu, nesterov=False):
        self.mu, self.nesterov, self.v = mu, nesterov, 0.0

    def step(self, w, g, lr):
        self.v = self.mu * self.v + g
        return w - lr * (g + self.mu * self.v) if self.nesterov else w - lr * self.v


class Adam:
    """In the paper's form: corrected moments, epsilon beside the root of the corrected second moment."""

    def __init__(self, b1, b2, epsilon, decoupled=0.0):
        self.b1, self.b2, self.epsilon, self.decoupled = b1, b2, epsilon, decoupled
        self.m = self.v = 0.0
        self.t = 0

    def direction(self, g):
        self.t += 1
        self.m = self.b1 * self.m + (1 - self.b1) * g
        self.v = self.b2 * self.v + (1 - self.b2) * g**2
        return self.m / (1 - self.b1**self.t) / (np.sqrt(self.v / (1 - self.b2**self.t)) + self.epsilon)

    def step(self, w, g, lr):
        return (1 - lr * self.decoupled) * w - lr * self.direction(g)


class Lamb(Adam):
    def __init__(self, b1, b2, epsilon, decay):
        super().__init__(b1, b2, epsilon)
        self.decay = decay

    def step(self, w, g, lr):
        d = self.direction(g) + self.decay * w
        norm_w, norm_d = np.linalg.norm(w), np.linalg.norm(d)
        ratio = norm_w / norm_d if self.decay and norm_w > 0 and norm_d > 0 else 1.0
        return w - lr * ratio * d


class Adamax:
    def __init__(self, b1, b2, epsilon):
        self.b1, self.b2, self.epsilon, self.m, self.u, self.t = b1, b2, epsilon, 0.0, 0.0, 0

    def step(self, w, g, lr):
        self.t += 1
        self.m = self.b1 * self.m + (1 - self.b1) * g
        self.u = np.maximum(self.b2 * self.u + self.epsilon, np.abs(g))
        return w - lr / (1 - self.b1**self.t) * self.m / self.u


class Adagrad:
    def __init__(self, epsilon, initial=0.0):
        self.epsilon, self.m = epsilon, initial

    def step(self, w, g, lr):
        self.m = self.m + g**2
        return w - lr * g / (np.sqrt(self.m) + self.epsilon)


class Adadelta:
    def __init__(self, rho, epsilon):
        self.rho, self.epsilon, self.a, self.u = rho, epsilon, 0.0, 0.0

    def step(self, w, g, lr):
        self.a = self.rho * self.a + (1 - self.rho) * g**2
        d = np.sqrt(self.u + self.epsilon) / np.sqrt(self.a + self.epsilon) * g
        self.u = self.rho * self.u + (1 - self.rho) * d**2
        return w - lr * d


class RMSProp:
    def __init__(self, rho, epsilon, mu=0.0, centered=False):
        self.rho, self.epsilon, self.mu, self.centered = rho, epsilon, mu, centered
        self.s = self.a = self.v = 0.0

    def step(self, w, g, lr):
        self.s = self.rho * self.s + (1 - self.rho) * g**2
        self.a = self.rho * self.a + (1 - self.rho) * g if self.centered else 0.0
        self.v = self.mu * self.v + lr * g / np.sqrt(self.s - self.a**2 + self.epsilon)
        return w - self.v


def by_value(gradients, low, high):
    return [np.clip(g, low, high) for g in gradients]


def by_norm(gradients, limit):
    return [g * limit / np.linalg.norm(g) if np.linalg.norm(g) > limit else g for g in gradients]


def by_global_norm(gradients, limit):
    norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
    return [g * limit / norm if norm > limit else g for g in gradients]
