"""How each command of the pages is run in the tests: what makes it small, or why it is not run."""

from __future__ import annotations

from tests.docs.commands import PGL, PaddleClas, PaddleDetection, PaddleGAN, PaddleNLP, PaddleVideo
from tests.docs.commands.run import Commands, NotRun, Run

SET_UP = NotRun("it sets up an environment from the package index; .ci/run does that in a fresh clone")
APT = NotRun("it changes the system; .ci/run does that where something is missing")

README: Commands = [
    (
        "sudo apt-get update && sudo apt-get install -y git python3-venv libgomp1 libquadmath0 libgl1 libglib2.0-0",
        APT,
    ),
    ("python3 start.py", SET_UP),
    ("python3 start.py test", SET_UP),
]
TABLE: dict[str, Commands] = {
    "README.md": README,
    "docs/getting_started.md": [
        *README,
        ("python PaddleClas/export.py runs/digits_resnet18", Run(says="compared with the live network: equal")),
        ("python PaddleClas/infer.py runs/digits_resnet18/exported photo.jpg", Run(says="photo.jpg: ")),
        (". .venv/bin/activate", NotRun("it changes the shell; the environment's Python runs these tests")),
        ("python PaddleClas/train.py --help", Run(says="usage: ")),
        ("python -m pytest tests/core/autograd", NotRun("it is a part of these tests")),
    ],
    "PGL/README.md": PGL.COMMANDS,
    "PaddleClas/README.md": PaddleClas.COMMANDS,
    "PaddleDetection/README.md": PaddleDetection.COMMANDS,
    "PaddleGAN/README.md": PaddleGAN.COMMANDS,
    "PaddleNLP/README.md": PaddleNLP.COMMANDS,
    "PaddleVideo/README.md": PaddleVideo.COMMANDS,
}
