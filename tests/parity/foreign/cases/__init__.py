"""Every model of the official packages that is run on core, by name: how each is built and what it is given."""

from cases import classification, detection, gan, graphs, language, video, vision
from cases.case import Case, Training

__all__ = ["CASES", "PACKAGES", "TRAINED", "Case", "Training"]

PACKAGES = {
    "classification": classification,
    "detection": detection,
    "language": language,
    "video": video,
    "GAN": gan,
    "graphs": graphs,
    "paddle.vision": vision,
}
CASES: dict[str, Case] = {name: case for package in PACKAGES.values() for name, case in package.CASES.items()}
TRAINED: dict[str, Training] = {
    name: case for package in PACKAGES.values() for name, case in getattr(package, "TRAINED", {}).items()
}
"""What is trained for three steps."""
