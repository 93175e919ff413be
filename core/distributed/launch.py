"""``python -m core.distributed.launch SCRIPT``: run a training script as the processes of a run."""

from __future__ import annotations

from core.distributed.launching import launch

if __name__ == "__main__":
    launch()
