"""Paddle's deployment interface (paddle.inference) over exported programs: Config, create_predictor, handles."""

from core.inference.config import (
    Config as Config,
)
from core.inference.handle import (
    Tensor as Tensor,
)
from core.inference.kinds import (
    DataType as DataType,
)
from core.inference.kinds import (
    PlaceType as PlaceType,
)
from core.inference.kinds import (
    PrecisionType as PrecisionType,
)
from core.inference.kinds import (
    get_num_bytes_of_data_type as get_num_bytes_of_data_type,
)
from core.inference.mixed_precision import (
    convert_to_mixed_precision as convert_to_mixed_precision,
)
from core.inference.predictor import (
    Predictor as Predictor,
)
from core.inference.predictor import (
    PredictorPool as PredictorPool,
)
from core.inference.predictor import (
    create_predictor as create_predictor,
)
from core.inference.versions import (
    get_trt_compile_version as get_trt_compile_version,
)
from core.inference.versions import (
    get_trt_runtime_version as get_trt_runtime_version,
)
from core.inference.versions import (
    get_version as get_version,
)

__all__ = [
    "Config", "DataType", "PlaceType", "PrecisionType", "Predictor", "PredictorPool", "Tensor",
    "convert_to_mixed_precision", "create_predictor", "get_num_bytes_of_data_type", "get_trt_compile_version",
    "get_trt_runtime_version", "get_version",
]  # fmt: skip
