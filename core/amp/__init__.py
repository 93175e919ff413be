"""Mixed precision (paddle.amp): 16-bit products and convolutions, float32 weights and statistics."""

from core.amp.auto_cast import (
    amp_guard as amp_guard,
)
from core.amp.auto_cast import (
    auto_cast as auto_cast,
)
from core.amp.decorate import (
    amp_decorate as amp_decorate,
)
from core.amp.decorate import (
    decorate as decorate,
)
from core.amp.grad_scaler import (
    AmpScaler as AmpScaler,
)
from core.amp.grad_scaler import (
    GradScaler as GradScaler,
)
from core.amp.support import (
    is_bfloat16_supported as is_bfloat16_supported,
)
from core.amp.support import (
    is_float16_supported as is_float16_supported,
)

__all__ = ["GradScaler", "auto_cast", "decorate", "is_bfloat16_supported", "is_float16_supported"]
