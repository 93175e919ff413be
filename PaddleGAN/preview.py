"""Draw what training sees: a sheet of images as their transforms leave them."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Preview(
    "PaddleGAN.config",
    "Draw training images as the networks see them: a row for each sample, in the versions of the first epochs. The "
    "same seed draws the same sheet, and training with it the same images.",
    "faces_dcgan",
    """\
  python PaddleGAN/preview.py -c PaddleGAN/configs/faces_dcgan.yaml --versions 1
      four drawn faces, into preview.png
  python PaddleGAN/preview.py -c PaddleGAN/configs/camvid_pix2pix.yaml --data my/camvid --images 8
      pairs, which are cut and mirrored alike
""",
)

if __name__ == "__main__":
    main.run()
