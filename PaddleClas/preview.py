"""Draw what training sees: a sheet of augmented images."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Preview(
    "PaddleClas.config",
    "Draw training images as the network sees them: a row for each image, the original first, then as it is in the "
    "first epochs. The same seed draws the same sheet, and training with it the same images.",
    "digits_resnet18",
    """\
  python PaddleClas/preview.py -c PaddleClas/configs/digits_resnet18.yaml
      four training images, each in seven random versions, into preview.png
  python PaddleClas/preview.py -c my.yaml --data my/photos --images 8 --versions 5 --output sheet.png
      more of them, elsewhere
  python PaddleClas/preview.py -c my.yaml -o 'data.train.mix=[{name: CutMix}]' --images 8
      batches that are mixed
""",
)

if __name__ == "__main__":
    main.run()
