"""Changes of configs as users have typed them after -o, and what each must come to, under the keys of then."""

from __future__ import annotations

from typing import Any

OVERRIDES: list[tuple[str, str, list[str], dict[str, Any]]] = [
    (
        "PaddleClas", "digits_lenet.yaml", ["model.name=ResNet18", "model.class_num=4"],
        {"model.name": "ResNet18", "model.class_num": 4},
    ),
    (
        "PaddleClas", "digits_resnet18.yaml", ["model.arguments.version=vd", "model.arguments.max_pool=true"],
        {"model.arguments.version": "vd", "model.arguments.max_pool": True},
    ),
    (
        "PaddleClas", "digits_lenet.yaml", ["model.name=ResNet18", "model.arguments={stride_list: [1, 2, 2, 2, 2]}"],
        {"model.name": "ResNet18", "model.arguments.stride_list": [1, 2, 2, 2, 2]},
    ),
    (
        "PaddleClas", "hymenoptera_resnet18.yaml", ["model.pretrained=false", "model.adapt_head=false"],
        {"model.pretrained": False, "model.adapt_head": False, "model.name": "ResNet18"},
    ),
    (
        "PaddleClas", "hymenoptera_resnet18.yaml", ["model.pretrained=weights/mine.pdparams"],
        {"model.pretrained": "weights/mine.pdparams", "model.adapt_head": True},
    ),
    (
        "PaddleClas", "digits_lenet.yaml", ["model={name: MobileNetV1, class_num: 10, pretrained: true}"],
        {"model.name": "MobileNetV1", "model.class_num": 10, "model.pretrained": True},
    ),
    ("PaddleClas", "imagenet/ResNet50.yaml", ["decay_norm_and_bias=false"], {"decay_norm_and_bias": False}),
    (
        "PaddleClas", "imagenet/ResNet50.yaml", ["decay_norm_and_bias=true", "optimizer.weight_decay=0.01"],
        {"decay_norm_and_bias": True, "optimizer.weight_decay": 0.01},
    ),
    (
        "PaddleClas", "digits_lenet.yaml", ["expect.accuracy=0.5"],
        {"expect.split": "test", "expect.accuracy": 0.5, "expect.tolerance": None},
    ),
    (
        "PaddleClas", "digits_lenet.yaml", ["expect.tolerance=0.25"],
        {"expect.accuracy": 0.96, "expect.tolerance": 0.25},
    ),
    (
        "PaddleClas", "digits_lenet.yaml", ["expect={split: valid, accuracy: 0.7, tolerance: 0.1}"],
        {"expect.split": "valid", "expect.accuracy": 0.7, "expect.tolerance": 0.1},
    ),
    ("PaddleClas", "digits_lenet.yaml", ["expect=null"], {"expect": None}),
    (
        "PaddleClas", "imagenet/ResNet50_vd_ssld.yaml",
        ["teacher.name=ResNet101", "teacher.pretrained=teacher.pdparams", "teacher.class_num=5", "model.class_num=5"],
        {
            "teacher.name": "ResNet101", "teacher.pretrained": "teacher.pdparams", "teacher.class_num": 5,
            "model.class_num": 5,
        },
    ),
    (
        "PaddleClas", "digits_lenet.yaml", ["teacher={name: ResNet18, class_num: 10, arguments: {max_pool: false}}"],
        {"teacher.name": "ResNet18", "teacher.class_num": 10, "teacher.arguments.max_pool": False},
    ),
    (
        "PaddleClas", "digits_lenet.yaml",
        [
            "train.epochs=5", "schedule.learning_rate=0.02", "optimizer.name=AdamW",
            "loss={name: FocalLoss, gamma: 1.0}", "data.train.batch_size=32",
            "data.valid=null", "data.train.transforms.2.padding=2", "seed=7", "output=runs/other", "evaluate.flip=true",
        ],
        {
            "train.epochs": 5, "schedule.learning_rate": 0.02, "schedule.name": "Cosine", "optimizer.name": "AdamW",
            "loss.name": "FocalLoss", "loss.gamma": 1.0, "data.train.batch_size": 32, "data.valid": None,
            "data.train.transforms.2.padding": 2, "seed": 7, "output": "runs/other", "evaluate.flip": True,
        },
    ),
    (
        "PGL", "cora_gat.yaml", ["model.name=GATv2", "model.hidden_size=4", "model.num_heads=4"],
        {"model.name": "GATv2", "model.hidden_size": 4, "model.num_heads": 4, "model.feat_drop": 0.6},
    ),
    (
        "PGL", "cora_gcn.yaml", ["model={name: SGC, num_layers: 2}", "task.passes_per_epoch=3"],
        {"model.name": "SGC", "model.num_layers": 2, "task.passes_per_epoch": 3},
    ),
    (
        "PGL", "cora_gcn.yaml", ['task.decays={"gcn.0*": 0.001, "*": 0.0}'],
        {"task.decays": {"gcn.0*": 0.001, "*": 0.0}, "optimizer.weight_decay": 0.0005},
    ),
    ("PGL", "cora_gcnii.yaml", ["task.decays=null"], {"task.decays": None}),
    ("PGL", "cora_gcnii.yaml", ["seed=3"], {"task.decays": {"gcnii.*": 0.01, "*": 0.0005}, "seed": 3}),
    (
        "PGL", "cora_gcn.yaml", ["expect.metric=macro_f1", "expect.value=0.5"],
        {"expect.split": "test", "expect.metric": "macro_f1", "expect.value": 0.5, "expect.tolerance": None},
    ),
    (
        "PGL", "cora_gcn.yaml", ["expect.tolerance=0.02"],
        {"expect.metric": "accuracy", "expect.value": 0.79, "expect.tolerance": 0.02},
    ),
    (
        "PGL", "umls_transe.yaml", ["expect={split: valid, metric: mrr, value: 0.5, tolerance: 0.1}"],
        {"expect.split": "valid", "expect.metric": "mrr", "expect.value": 0.5, "expect.tolerance": 0.1},
    ),
    (
        "PGL", "blogcatalog_deepwalk.yaml", ["expect=null", "task.batch_size=64"],
        {"expect": None, "task.batch_size": 64},
    ),
    (
        "PGL", "blogcatalog_deepwalk.yaml",
        ["model.embedding_size=16", "data.dataset.train_ratio=0.25", "train.ema=0.9"],
        {"model.embedding_size": 16, "data.dataset.train_ratio": 0.25, "train.ema": 0.9},
    ),
    (
        "PaddleGAN", "faces_dcgan.yaml",
        [
            "generator.network.ngf=8", "generator.schedule.learning_rate=0.001", "discriminator.network.norm_type=none",
            "discriminator.optimizer.beta1=0.0", "samples.count=9", "task.gan_mode=lsgan", "train.ema=null",
        ],
        {
            "generator.network.ngf": 8, "generator.schedule.learning_rate": 0.001, "samples.count": 9,
            "discriminator.network.norm_type": "none", "discriminator.optimizer.beta1": 0.0,
            "task.gan_mode": "lsgan", "train.ema": None,
        },
    ),
    (
        "PaddleGAN", "camvid_pix2pix.yaml", ["expect.at_least.psnr=10.0", "expect.at_most={}"],
        {"expect.split": "test", "expect.at_least": {"psnr": 10.0}, "expect.at_most": {}},
    ),
    (
        "PaddleGAN", "faces_dcgan.yaml", ["expect={split: train, at_most: {fid: 5.0}}"],
        {"expect.split": "train", "expect.at_least": {}, "expect.at_most": {"fid": 5.0}},
    ),
    (
        "PaddleGAN", "faces_stgan.yaml", ["data.train.dataset.count=8", "data.test=null", "task.penalty=1.0"],
        {"data.train.dataset.count": 8, "data.test": None, "task.penalty": 1.0},
    ),
]  # fmt: skip
