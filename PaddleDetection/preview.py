"""Draw what training sees: a sheet of images with their boxes and masks after all transforms."""

import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train.runner import commands

main = commands.Preview(
    "PaddleDetection.config",
    "Draw training images as the network sees them, with boxes and masks: a row for each image, first as it is read, "
    "then as it is in the first epochs, after the transforms of samples and of batches.",
    "digits_yolov3",
    """\
  python PaddleDetection/preview.py -c PaddleDetection/configs/digits_yolov3.yaml
      four training images, each in seven versions, into preview.png
  python PaddleDetection/preview.py -c my.yaml --data my/coco --images 8 --versions 3 --output sheet.png
      more of them, elsewhere
""",
)

if __name__ == "__main__":
    main.run()
