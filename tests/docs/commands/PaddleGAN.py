"""The commands of PaddleGAN/README.md."""

from __future__ import annotations

from tests.docs.commands.run import Commands, NotRun, Run

SHORT = "-o train.epochs=1 -o expect=null"
FACES = (
    f"{SHORT} -o data.train.dataset.count=8 -o data.test.dataset.count=8 "
    "-o data.train.batch_size=4 -o data.test.batch_size=4"
)
DCGAN = f"{FACES} -o generator.network.ngf=2 -o discriminator.network.ndf=2"
ATTGAN = f"{DCGAN} -o discriminator.network.fc_dim=4"
PAN = "-o generator.network.nf=4 -o generator.network.unf=4"
STYLEGAN2 = (
    f"{FACES} -o task.r1_every=2 -o task.path_every=2 "
    "-o generator.network.max_channels=4 -o discriminator.network.max_channels=4"
)
CLOTHES = f"{SHORT} -o data.train.batch_size=6 -o data.test.batch_size=6"
TRAINED = {"CONFIG": "PaddleGAN/configs/dusk2day_cyclegan.yaml", "FOLDER": "streets"}
NAMED = {"runs/NAME": "runs/dusk2day_cyclegan"}
DRAWN = {"runs/NAME": "runs/faces_dcgan"}

COMMANDS: Commands = [
    (
        "python PaddleGAN/train.py -c PaddleGAN/configs/faces_dcgan.yaml",
        Run(DCGAN, says="trained in"),
    ),
    ("python PaddleGAN/infer.py interpolate runs/faces_dcgan", Run(says="interpolate.png")),
    (
        "python PaddleGAN/train.py -c PaddleGAN/configs/fashion_mnist_cgan.yaml --data FOLDER",
        Run(CLOTHES, {"FOLDER": "clothes"}, "trained in"),
    ),
    (
        "python PaddleGAN/train.py -c CONFIG --data FOLDER",
        Run(SHORT, TRAINED, "trained in"),
    ),
    ("python PaddleGAN/train.py --resume runs/NAME", Run(instead=NAMED, says="continuing after step")),
    ("python PaddleGAN/eval.py runs/NAME", Run(instead=NAMED, says="test: ")),
    ("python PaddleGAN/infer.py samples runs/NAME", Run(instead=DRAWN, says="samples.png")),
    ("python PaddleGAN/infer.py interpolate runs/NAME", Run(instead=DRAWN, says="interpolate.png")),
    ("python PaddleGAN/infer.py translate runs/NAME", Run(instead=NAMED, says="wrote to")),
    ("python PaddleGAN/infer.py restore runs/NAME", NotRun("a run of faces_pan does that below")),
    ("python PaddleGAN/export.py runs/NAME", Run(instead=NAMED, says="compared with the live network: equal")),
    ("python PaddleGAN/export.py runs/NAME --int8", Run(instead=NAMED, says="layers in 8 bits; calibrated by ")),
    (
        "python PaddleGAN/preview.py -c CONFIG --data FOLDER",
        Run(instead=TRAINED, says="wrote preview.png: 4 samples, 7 versions of each"),
    ),
    ("python PaddleGAN/train.py --keys", Run(says="train.epochs (integer or null; default None)")),
    (
        "python PaddleGAN/train.py -c PaddleGAN/configs/fashion_mnist_cgan.yaml --data FOLDER",
        Run(CLOTHES, {"FOLDER": "clothes"}, "trained in"),
    ),
    ("python PaddleGAN/eval.py runs/fashion_mnist_cgan", Run(says="agreement")),
    (
        "python PaddleGAN/train.py -c PaddleGAN/configs/faces_attgan.yaml",
        Run(ATTGAN, says="trained in"),
    ),
    ("python PaddleGAN/infer.py edit runs/faces_attgan --count 5", Run(says="wrote to")),
    ("python PaddleGAN/infer.py sweep runs/faces_attgan --attribute Bangs", Run(says="wrote to")),
    (
        "python PaddleGAN/train.py -c PaddleGAN/configs/camvid_pix2pix.yaml --data FOLDER",
        Run(SHORT, {"FOLDER": "pairs"}, "trained in"),
    ),
    (
        "python PaddleGAN/train.py -c PaddleGAN/configs/faces_cyclegan.yaml",
        Run(FACES, says="trained in"),
    ),
    (
        "python PaddleGAN/train.py -c PaddleGAN/configs/dusk2day_cyclegan.yaml --data FOLDER",
        Run(SHORT, {"FOLDER": "streets"}, "trained in"),
    ),
    (
        "python PaddleGAN/train.py -c PaddleGAN/configs/restoration/faces_pan.yaml",
        Run(f"{FACES} {PAN}", says="trained in"),
    ),
    ("python PaddleGAN/infer.py restore runs/faces_pan", Run(says="wrote to")),
    (
        "python PaddleGAN/train.py -c PaddleGAN/configs/restoration/photographs_pan.yaml --data FOLDER",
        Run(
            f"{SHORT} -o data.train.dataset.gt_folder=trainA -o data.train.batch_size=2 "
            "-o data.test.dataset.gt_folder=trainB -o 'data.train.transforms=[{name: ToTensor}]' "
            f"{PAN} -o generator.network.nb=1",
            {"FOLDER": "streets"},
            "trained in",
        ),
    ),
    (
        "python PaddleGAN/train.py -c PaddleGAN/configs/faces_stylegan2.yaml",
        Run(STYLEGAN2, says="trained in"),
    ),
    ("python PaddleGAN/infer.py mix runs/faces_stylegan2 --rows 3 --columns 5", Run(says="mix.png")),
]
