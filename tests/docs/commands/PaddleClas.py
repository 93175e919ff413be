"""The commands of PaddleClas/README.md."""

from __future__ import annotations

from tests.docs.commands.run import PEERS, Commands, Run

DIGITS = "-o train.epochs=2 -o data.train.batch_size=600 -o expect=null"
PHOTOS = "-o train.epochs=1 -o data.train.batch_size=4 -o data.num_workers=0"
IMAGENET = "-o train.epochs=1 -o data.num_workers=0 -o expect=null -o network.class_num=2"

COMMANDS: Commands = [
    (
        "python PaddleClas/train.py -c PaddleClas/configs/digits_resnet18.yaml",
        Run(DIGITS, says="look at   runs/digits_resnet18/learning_curve.png"),
    ),
    ("python PaddleClas/train.py --resume runs/digits_resnet18", Run(says="continuing after step")),
    ("python PaddleClas/eval.py runs/digits_resnet18", Run(says="wrote runs/digits_resnet18/evaluation_test/")),
    ("python PaddleClas/infer.py runs/digits_resnet18 --demo 8", Run(says="8 pictures beside them")),
    (
        "python PaddleClas/infer.py runs/digits_resnet18 photo.jpg folder 'more/*.png' https://example.org/photo.jpg",
        Run(instead={"https://example.org": "SERVER"}, says="6 pictures beside them"),
    ),
    (
        "python PaddleClas/infer.py runs/digits_resnet18 photos --batch-size 32 --grad-cam",
        Run(says="3 pictures beside them"),
    ),
    (
        "python PaddleClas/infer.py runs/digits_resnet18 photos --features photos.npy",
        Run(says="wrote photos.npy: float32 ["),
    ),
    ("python PaddleClas/export.py runs/digits_resnet18", Run(says="compared with the live network: equal")),
    ("python PaddleClas/infer.py runs/digits_resnet18/exported photo.jpg", Run(says="photo.jpg: ")),
    ("python PaddleClas/export.py runs/digits_resnet18 --onnx", Run(says="run by onnxruntime and compared: equal")),
    ("python PaddleClas/export.py runs/digits_resnet18 --int8", Run(says="layers in 8 bits; calibrated by ")),
    ("python PaddleClas/train.py --keys", Run(says="train.epochs (integer or null; default None)")),
    ("python PaddleClas/preview.py -c PaddleClas/configs/digits_resnet18.yaml", Run(says="preview.png")),
    (
        "python PaddleClas/train.py -c PaddleClas/configs/hymenoptera_resnet18.yaml --data my/photos "
        "-o network.class_num=3",
        Run(PHOTOS, says="trained in"),
    ),
    (
        "python PaddleClas/train.py -c PaddleClas/configs/hymenoptera_resnet18.yaml --data my/photos "
        "-o network.class_num=3 -o network.pretrained=FILE",
        Run(PHOTOS, {"FILE": "runs/digits_resnet18/checkpoints/best/model.safetensors"}, "trained in"),
    ),
    (
        "python PaddleClas/train.py -c PaddleClas/configs/imagenet/ResNet50_vd.yaml --data ILSVRC2012",
        Run(f"{IMAGENET} -o data.train.batch_size=2", says="trained in"),
    ),
    (
        "python PaddleClas/train.py -c PaddleClas/configs/imagenet/ResNet50_vd.yaml --data ILSVRC2012 "
        "-o data.train.batch_size=32 -o train.accumulate=8",
        Run(IMAGENET, {"batch_size=32": "batch_size=1", "accumulate=8": "accumulate=2"}, "trained in"),
    ),
    (
        "python PaddleClas/eval.py -c PaddleClas/configs/imagenet/ResNet50_vd.yaml --data ILSVRC2012 "
        "-o network.pretrained=true --split valid",
        Run("-o data.num_workers=0", says="DRIFTED from what the config expects", code=1),  # made-up weights
    ),
    ("python -m benchmarks.PaddleClas.accuracy DATA --threads 1 --log PaddleClas/results/accuracy.jsonl", PEERS),
    (
        "python -m core.weights inspect ResNet50_pretrained/",
        Run(instead={"ResNet50_pretrained/": "mine.pdparams"}, says="conv.weight"),
    ),
]
