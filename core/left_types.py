"""Whether Python operators on an integer tensor keep its type whatever is on the right, as those of Paddle 2.6 do."""

from __future__ import annotations

kept = False
"""Set while core stands for ``paddle``. Otherwise an integer beside a floating-point number becomes one."""
