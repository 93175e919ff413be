"""paddle.distribution: probability distributions, their transforms and divergences."""

from __future__ import annotations

from core.distribution import transform
from core.distribution.bernoulli import Bernoulli
from core.distribution.beta import Beta
from core.distribution.categorical import Categorical
from core.distribution.cauchy import Cauchy
from core.distribution.dirichlet import Dirichlet
from core.distribution.distribution import Distribution
from core.distribution.exponential_family import ExponentialFamily
from core.distribution.geometric import Geometric
from core.distribution.gumbel import Gumbel
from core.distribution.independent import Independent
from core.distribution.kl import kl_divergence, register_kl
from core.distribution.laplace import Laplace
from core.distribution.lognormal import LogNormal
from core.distribution.multinomial import Multinomial
from core.distribution.normal import Normal
from core.distribution.transform import (
    AbsTransform,
    AffineTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftmaxTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
)
from core.distribution.transform_compound import ChainTransform, IndependentTransform, ReshapeTransform, StackTransform
from core.distribution.transformed_distribution import TransformedDistribution
from core.distribution.uniform import Uniform

__all__ = [
    "AbsTransform", "AffineTransform", "Bernoulli", "Beta", "Categorical", "Cauchy", "ChainTransform", "Dirichlet",
    "Distribution", "ExpTransform", "ExponentialFamily", "Geometric", "Gumbel", "Independent", "IndependentTransform",
    "Laplace", "LogNormal", "Multinomial", "Normal", "PowerTransform", "ReshapeTransform", "SigmoidTransform",
    "SoftmaxTransform", "StackTransform", "StickBreakingTransform", "TanhTransform", "Transform",
    "TransformedDistribution", "Uniform", "kl_divergence", "register_kl", "transform",
]  # fmt: skip
