"""Training for, and calibration of, networks in 8 bits (paddle.quantization).

:class:`QAT` puts quanters into a network, which train with it; :class:`PTQ` puts observers into a trained one, which
see some batches. ``convert`` then makes whole numbers of the weights, and :func:`core.jit.save` writes the network.
"""

from core.quantization.base_observer import BaseObserver
from core.quantization.base_quanter import BaseQuanter
from core.quantization.config import QuantConfig
from core.quantization.factory import quanter
from core.quantization.ptq import PTQ
from core.quantization.qat import QAT

__all__ = ["BaseObserver", "BaseQuanter", "PTQ", "QAT", "QuantConfig", "quanter"]
