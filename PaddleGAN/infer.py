"""Draw pictures with a trained generator."""

import argparse
import os
import sys
from typing import Any

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train import command_line
from core.train.runner import commands


class Infer(commands.Infer):
    """Draws what a mode says."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the modes, each with what it needs."""
        modes = parser.add_subparsers(dest="mode", required=True, metavar="MODE")
        mode = _mode(modes, "samples", "images from noise")
        command_line.add_count(mode, "--count", 64, "how many")
        mode.add_argument("--seed", type=int, default=0, help="of the noise (default: %(default)s)")
        help_text = "what a conditional generator shall show, in turn (default: every class)"
        mode.add_argument("--class", dest="classes", type=int, nargs="+", default=[], metavar="K", help=help_text)
        mode.add_argument("--each", action="store_true", help="write each image as a file too")
        _add_truncation(mode)
        mode = _mode(modes, "interpolate", "images on the way from one noise to another")
        command_line.add_count(mode, "--rows", 8, "pairs")
        command_line.add_count(mode, "--steps", 8, "images of each")
        mode.add_argument("--seed", type=int, default=0, help="of the noise (default: %(default)s)")
        _add_truncation(mode)
        mode = _mode(modes, "mix", "images with coarse levels of one image and fine levels of another, by StyleGAN2")
        command_line.add_count(mode, "--rows", 3, "images whose coarse levels are taken")
        command_line.add_count(mode, "--columns", 5, "images whose fine levels are taken")
        mode.add_argument("--seed", type=int, default=0, help="of the noise (default: %(default)s)")
        help_text = "the first fine level, from 1 (default: half of the levels are)"
        mode.add_argument("--level", type=int, default=None, metavar="N", help=help_text)
        _add_truncation(mode)
        mode = _mode(modes, "restyle", "images in styles of a domain, of references or from noise, by StarGAN v2")
        _add_images(mode, "which: files, folders, patterns, URLs (default: the last split of the run's config)")
        command_line.add_count(mode, "--count", None, "how many, at most (default: all; of a split 4)")
        mode.add_argument("--domain", required=True, metavar="NAME", help="what they shall become")
        help_text = "images whose styles they get: files, folders, patterns, URLs (default: styles from noise)"
        mode.add_argument("--references", nargs="+", metavar="IMAGE", help=help_text)
        command_line.add_count(mode, "--styles", 5, "styles from noise")
        mode.add_argument("--seed", type=int, default=0, help="of the noise (default: %(default)s)")
        mode = _mode(modes, "speak", "a video of a face that speaks a sound, by Wav2Lip")
        mode.add_argument("--face", required=True, metavar="FILE", help="a video, or a picture")
        mode.add_argument("--audio", required=True, metavar="FILE", help="a WAV file")
        help_text = "where the face is, chin included: LEFT TOP RIGHT BOTTOM, in pixels"
        mode.add_argument("--box", nargs=4, type=int, default=None, metavar="N", help=help_text)
        help_text = "pictures a second (default: the video's; of a picture 25)"
        mode.add_argument("--fps", type=float, default=None, metavar="N", help=help_text)
        mode = _mode(modes, "edit", "faces with attributes turned round, one at a time")
        _add_faces(mode)
        mode.add_argument("--attributes", nargs="+", metavar="NAME", help="which (default: every one of the run)")
        mode.add_argument("--each", action="store_true", help="write each edited face as a file too")
        mode = _mode(modes, "sweep", "faces with one attribute turned round more and more")
        _add_faces(mode)
        mode.add_argument("--attribute", required=True, metavar="NAME", help="which")
        command_line.add_count(mode, "--steps", 7, "images of each")
        help_text = "the last strength; 1 is what was learned (default: 1.5)"
        mode.add_argument("--reach", type=float, default=1.5, metavar="X", help=help_text)
        mode = _mode(modes, "translate", "images of another kind from images")
        _add_images(mode, "which: files, folders, patterns, URLs (default: the last split of the run's config)")
        mode.add_argument("--videos", nargs="+", metavar="VIDEO", help="videos: files, folders, patterns")
        command_line.add_count(mode, "--count", None, "how many of each, at most (default: all)")
        help_text = "of a task that goes both ways (default: AtoB)"
        mode.add_argument("--direction", default="AtoB", choices=["AtoB", "BtoA"], help=help_text)
        mode = _mode(modes, "restore", "pictures and videos, larger or sharper; RUN may be a name of official weights")
        _add_images(mode, "which: files, folders, patterns, URLs (default: the last split of the run's config)")
        mode.add_argument("--videos", nargs="+", metavar="VIDEO", help="videos: files, folders, patterns")
        command_line.add_count(mode, "--count", None, "how many of each, at most (default: all)")
        command_line.add_count(mode, "--tile", 192, "pixels of a side of the tiles that large pictures are restored in")
        help_text = "pixels that a tile sees beyond what it answers for (default: %(default)s)"
        mode.add_argument("--overlap", type=int, default=16, metavar="N", help=help_text)


def _add_truncation(mode: argparse.ArgumentParser) -> None:
    """Add the option that says how typical images shall be."""
    help_text = "how far styles of StyleGAN2 may be from their mean, 0 to 1 (default: what the run's config says)"
    mode.add_argument("--truncation", type=float, default=None, metavar="X", help=help_text)


def _add_faces(mode: argparse.ArgumentParser) -> None:
    """Add the options that say which faces to edit."""
    command_line.add_count(mode, "--count", 8, "how many, at most")
    mode.add_argument("--split", default="test", choices=["train", "valid", "test"], help="of which split")
    _add_images(mode, "files, folders, patterns, URLs instead; the critic predicts their attributes")


def _add_images(mode: argparse.ArgumentParser, help_text: str) -> None:
    """Add the option that names pictures of the user's own."""
    mode.add_argument("--images", nargs="+", metavar="IMAGE", help=help_text)


def _mode(modes: Any, name: str, help_text: str) -> argparse.ArgumentParser:
    mode: argparse.ArgumentParser = modes.add_parser(name, help=help_text, description=help_text, allow_abbrev=False)
    command_line.add_run_options(mode, name)
    return mode


main = Infer(
    "PaddleGAN.config",
    "Draw pictures with the generator of a trained run.",
    "faces_dcgan",
    """\
  python PaddleGAN/infer.py samples runs/faces_dcgan --count 100 --seed 7
      a hundred images from noise on one sheet; another seed gives others
  python PaddleGAN/infer.py samples runs/fashion_mnist_cgan --class 3 8 --each
      dresses and bags in turn, each in a file of its own
  python PaddleGAN/infer.py interpolate runs/faces_dcgan --rows 6 --steps 10
      from one image to another in ten steps, six times
  python PaddleGAN/infer.py samples runs/faces_stylegan2 --truncation 0.7
      images that are more typical than those learned from
  python PaddleGAN/infer.py mix runs/faces_stylegan2 --rows 3 --columns 5 --level 3
      coarse levels of three images with fine levels of five
  python PaddleGAN/infer.py restyle runs/afhq_stargan_v2 --images my/cats --domain dog --references my/dogs
      cats as dogs, in the style of each dog
  python PaddleGAN/infer.py translate animeganv2_hayao --images my/photos
      photographs by official weights, which are downloaded on first use
  python PaddleGAN/infer.py speak runs/lrs2_wav2lip --face clip.mp4 --audio speech.wav --box 120 40 300 260
      the face of a video with lips that move as the speech says
  python PaddleGAN/infer.py edit runs/faces_stgan --attributes Eyeglasses Bangs
      faces of the test split with glasses and bangs put on, or taken off, beside the originals
  python PaddleGAN/infer.py edit runs/celeba_stgan --images my/faces --each
      the same with pictures of your own, every attribute, each result in a file of its own; a file that cannot be read
      is named and passed over, and the exit code is then 1
  python PaddleGAN/infer.py sweep runs/faces_stgan --attribute Pale_Skin --reach 1.5
      one attribute from none of the change to half more than learned
  python PaddleGAN/infer.py translate runs/dusk2day_cyclegan --images my/photos street.jpg 'more/*.png' --direction BtoA
      what the generator makes of each picture, and a sheet with inputs and outputs side by side
  python PaddleGAN/infer.py translate runs/selfie2anime_ugatit --videos clip.mp4
      a video frame by frame, into an MP4 file
  python PaddleGAN/infer.py restore runs/faces_pan --images my/photos --videos clip.mp4
      each picture and video at the larger size of a network for super-resolution
  python PaddleGAN/infer.py restore realsr_df2k --images my/photos
      the same with official weights, which are downloaded on first use
""",
)

if __name__ == "__main__":
    main.run()
