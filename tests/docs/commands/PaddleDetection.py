"""The commands of PaddleDetection/README.md."""

from __future__ import annotations

from tests.docs.commands.run import PEERS, Commands, NotRun, Run

SCENES = (
    "-o data.train.dataset.count=16 -o data.valid.dataset.count=4 -o data.test.dataset.count=4 -o data.num_workers=0 "
    "-o data.valid.batch_size=4 -o data.test.batch_size=4 -o expect=null"
)
PEOPLE = SCENES.replace("batch_size=4", "batch_size=2")

COMMANDS: Commands = [
    (
        "python PaddleDetection/train.py -c PaddleDetection/configs/digits_yolov3.yaml",
        Run(SCENES, says="look at   runs/digits_yolov3/learning_curve.png"),
    ),
    ("python PaddleDetection/infer.py runs/digits_yolov3 --demo 8", Run(says="4 pictures beside it")),
    (
        "python PaddleDetection/preview.py -c PaddleDetection/configs/digits_yolov3.yaml",
        Run(says="wrote preview.png: 4 images"),
    ),
    ("python PaddleDetection/train.py --resume runs/digits_yolov3", Run(says="continuing after step")),
    ("python PaddleDetection/eval.py runs/digits_yolov3", Run(says="wrote runs/digits_yolov3/evaluation_test/")),
    (
        "python PaddleDetection/eval.py runs/digits_yolov3 --classwise --json-eval runs/digits_yolov3/evaluation_test",
        Run(says="test: AP "),
    ),
    (
        "python PaddleDetection/eval.py runs/digits_yolov3 -o evaluate.flip=true -o 'evaluate.scales=[1.0, 1.5]'",
        Run(says="test: AP "),
    ),
    (
        "python PaddleDetection/infer.py runs/digits_yolov3 photo.jpg folder 'more/*.png' --draw-threshold 0.3",
        Run(says="5 pictures beside it"),
    ),
    ("python PaddleDetection/export.py runs/digits_yolov3", Run(says="compared with the live network: equal")),
    ("python PaddleDetection/export.py runs/digits_yolov3 --int8", Run(says="layers in 8 bits; calibrated by ")),
    ("python PaddleDetection/infer.py runs/digits_yolov3/exported photo.jpg --save-txt", Run(says="photo.jpg: ")),
    ("python PaddleDetection/train.py --keys", Run(says="train.epochs (integer or null; default None)")),
    (
        "python PaddleDetection/tools/anchor_cluster.py -c PaddleDetection/configs/digits_yolov3.yaml -n 3 -s 112",
        Run("-o data.train.dataset.count=50", says="["),
    ),
    (
        "python PaddleDetection/tools/anchor_cluster.py -c PaddleDetection/configs/bccd_ssd_mobilenet_v1.yaml "
        "--data FOLDER -s 300",
        NotRun("it needs BCCD, which is not in the repository; the line above runs the tool on drawn digits"),
    ),
    (
        "python PaddleDetection/train.py -c PaddleDetection/configs/digits_yolov3.yaml",
        NotRun("as above"),
    ),
    (
        "python PaddleDetection/train.py -c PaddleDetection/configs/digits_mask_rcnn.yaml",
        Run(SCENES, says="trained in"),
    ),
    (
        "python PaddleDetection/train.py -c PaddleDetection/configs/digits_ssd_mobilenet_v1.yaml",
        Run(SCENES, says="trained in"),
    ),
    (
        "python PaddleDetection/train.py -c PaddleDetection/configs/faces_blazeface.yaml",
        Run(PEOPLE, says="trained in"),
    ),
    (
        "python PaddleDetection/train.py -c PaddleDetection/configs/bccd_yolov3_mobilenet_v1.yaml --data FOLDER",
        NotRun("it needs BCCD, which is not in the repository; tests/walks trains on small sets of a reader's"),
    ),
    (
        "python PaddleDetection/train.py -c PaddleDetection/configs/coco_tiny_mask_rcnn_r18_fpn.yaml --data FOLDER",
        NotRun("it needs images of COCO, which are not in the repository, and half an hour"),
    ),
    ("python -m benchmarks.PaddleDetection.reader FOLDER --paddle PYTHON --rounds 2 --images 32", PEERS),
    (
        "python -m benchmarks.PaddleDetection.coco_index FOLDER",
        NotRun("it writes a file of 369 MB, and takes minutes"),
    ),
    (
        "python -m benchmarks.PaddleDetection.detectors --peers PYTHON --paddle PYTHON --rounds 3 --only exported",
        PEERS,
    ),
    (
        "python -m benchmarks.PaddleDetection.detectors --peers PYTHON --paddle PYTHON --rounds 3 --only exported "
        "--models faster_rcnn_r50_fpn-800x1088",
        PEERS,
    ),
    (
        "python -m benchmarks.PaddleDetection.detectors --peers PYTHON --paddle PYTHON --rounds 2 --only exported "
        "--batch 8 --models ppyoloe_crn_s-640,yolov3_mobilenet_v1-320,ssd_mobilenet_v1_300-300",
        PEERS,
    ),
    (
        "python -m benchmarks.PaddleDetection.detectors --peers PYTHON --rows openvino --rounds 3 "
        '--only "exported, bfloat16"',
        PEERS,
    ),
    ("python -m benchmarks.PaddleDetection.region_detectors --peers PYTHON --rows exported --rounds 2", PEERS),
    ("python -m benchmarks.PaddleDetection.detector_training --peers PYTHON --paddle PYTHON --rounds 2", PEERS),
    (
        "python -m benchmarks.PaddleDetection.region_detectors --peers PYTHON --paddle PYTHON "
        "--rows unfused,compiled,paddle --rounds 2",
        PEERS,
    ),
    ("python -m benchmarks.core.detection_operators --peers PYTHON --threads 1 --processor", PEERS),
    (
        "python -m benchmarks.PaddleDetection.blood_cells FOLDER --peers PYTHON "
        "--log benchmarks/PaddleDetection/blood_cells.jsonl",
        PEERS,
    ),
]
