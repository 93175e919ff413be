"""Inner modules and names of ``paddle.framework``."""

from core.kernels.place import current_place as _current_expected_place_

_current_expected_place = _current_expected_place_

__all__ = ["_current_expected_place", "_current_expected_place_"]
