"""The commands of PaddleVideo/README.md."""

from __future__ import annotations

from tests.docs.commands.run import PEERS, Commands, NotRun, Run

MOVING = (
    "-o train.epochs=1 -o data.train.dataset.count=32 -o data.valid.dataset.count=8 -o data.test.dataset.count=8 "
    "-o expect=null"
)
TOPICS = f"{MOVING} -o data.train.batch_size=16"
CTCN = f"{MOVING} -o network.length=64 -o network.width=4 -o network.channels=8 -o 'network.head_channels=[8,8]'"
PROPOSALS = f"{MOVING} -o network.tscale=16 -o network.dscale=8"

COMMANDS: Commands = [
    (
        "python PaddleVideo/train.py -c PaddleVideo/configs/moving_digits_tsm.yaml",
        Run(MOVING, says="trained in"),
    ),
    ("python PaddleVideo/train.py --resume runs/moving_digits_tsm", Run(says="continuing after step")),
    ("python PaddleVideo/eval.py runs/moving_digits_tsm", Run(says="wrote runs/moving_digits_tsm/evaluation_test")),
    ("python PaddleVideo/infer.py runs/moving_digits_tsm --demo 4", Run(says="pictures of 4 videos beside it")),
    ("python PaddleVideo/infer.py runs/moving_digits_tsm clip.mp4 videos", Run(says="videos/a.mp4: ")),
    (
        "python PaddleVideo/infer.py runs/moving_digits_tsm clip.mp4 --window 1 --step 0.5 --mp4",
        Run(says="clip.mp4: 0.0 s "),
    ),
    ("python PaddleVideo/export.py runs/moving_digits_tsm", Run(says="compared with the live network: equal")),
    ("python PaddleVideo/export.py runs/moving_digits_tsm --int8", Run(says="layers in 8 bits; calibrated by ")),
    ("python PaddleVideo/infer.py runs/moving_digits_tsm/exported clip.mp4", Run(says="clip.mp4: ")),
    (
        "python PaddleVideo/preview.py -c PaddleVideo/configs/moving_digits_tsm.yaml",
        Run(says="wrote preview.png: 4 samples, 2 versions of each"),
    ),
    ("python PaddleVideo/train.py --keys", Run(says="train.epochs (integer or null; default None)")),
    (
        "python PaddleVideo/train.py -c PaddleVideo/configs/fight_clips_tsm.yaml --data FOLDER "
        "-o network.pretrained=FILE -o network.adapt_head=true",
        NotRun("it needs a weight file; tests/PaddleVideo/models/test_frames.py writes and loads such files"),
    ),
    (
        "python PaddleVideo/train.py -c PaddleVideo/configs/kinetics400/tsm_r50.yaml --data FOLDER",
        NotRun("it trains for days; tests/PaddleVideo/test_configs.py builds all recipes"),
    ),
    (
        "python PaddleVideo/eval.py -c PaddleVideo/configs/kinetics400/tsm_r50.yaml --data FOLDER "
        "-o network.pretrained=true",
        NotRun("as above"),
    ),
    (
        "python PaddleVideo/train.py -c PaddleVideo/configs/drawn_topics_nextvlad.yaml",
        Run(TOPICS, says="trained in"),
    ),
    (
        "python PaddleVideo/train.py -c PaddleVideo/configs/drawn_figures_stgcn.yaml",
        Run(MOVING, says="trained in"),
    ),
    (
        "python PaddleVideo/train.py -c PaddleVideo/configs/moving_digits_ctcn.yaml",
        Run(CTCN, says="trained in"),
    ),
    ("python PaddleVideo/infer.py runs/moving_digits_ctcn --demo 4", Run(says="timelines of 4 videos beside")),
    ("python PaddleVideo/export.py runs/moving_digits_ctcn", Run(says="compared with the live network: equal")),
    (
        "python PaddleVideo/infer.py runs/moving_digits_ctcn/exported clip.npy --duration 9.6",
        Run(says="timelines of 1 video beside"),
    ),
    (
        "python PaddleVideo/features.py runs/moving_digits_tsm videos --window 0.6 --step 0.2 --output features",
        Run(says="wrote features of 1 video to features"),
    ),
    (
        "python PaddleVideo/features.py RGB videos --second FLOW --window 0.6 --step 0.2 --length 512 --output scores",
        Run(
            instead={"RGB": "runs/moving_digits_tsm", "FLOW": "runs/moving_digits_tsm"},
            says="wrote features of 1 video to scores",
        ),
    ),
    (
        "python PaddleVideo/infer.py RUN scores",
        NotRun("its run learns from such features; tests/PaddleVideo/localization/test_localizer.py trains one"),
    ),
    *(
        (f"python PaddleVideo/train.py -c PaddleVideo/configs/moving_digits_{name}.yaml", how)
        for name, how in (
            ("ctcn", NotRun("it is run above")),
            ("bmn", Run(PROPOSALS, says="trained in")),
            ("bsn", Run(PROPOSALS, says="trained in")),
            ("ms_tcn", Run(f"{MOVING} -o network.num_layers=2", says="trained in")),
        )
    ),
    (
        "python -m benchmarks.PaddleVideo.sliding_window",
        Run("--train 16 --test 4", says="surroundings: mAP"),
    ),
    (
        "python PaddleVideo/train.py -c PaddleVideo/configs/moving_digits_tsm.yaml",
        Run(MOVING, says="trained in"),
    ),
    (
        "python PaddleVideo/train.py -c PaddleVideo/configs/moving_digits_tsn.yaml",
        Run(MOVING, says="trained in"),
    ),
    (
        "python PaddleVideo/train.py -c PaddleVideo/configs/moving_digits_slowfast.yaml",
        Run(MOVING, says="trained in"),
    ),
    (
        "python PaddleVideo/train.py -c PaddleVideo/configs/drawn_figures_stgcn.yaml",
        Run(MOVING, says="trained in"),
    ),
    (
        "python PaddleVideo/train.py -c PaddleVideo/configs/drawn_figures_agcn2s.yaml",
        Run(MOVING, says="trained in"),
    ),
    (
        "python PaddleVideo/train.py -c PaddleVideo/configs/drawn_figures_ctrgcn.yaml",
        Run(MOVING, says="trained in"),
    ),
    (
        "python PaddleVideo/train.py -c PaddleVideo/configs/drawn_topics_nextvlad.yaml",
        Run(TOPICS, says="trained in"),
    ),
    (
        "python PaddleVideo/train.py -c PaddleVideo/configs/drawn_topics_nextvlad.yaml "
        "-o 'network={name: mean_logistic, class_num: 20, feature_dims: [64, 16]}' -o expect=null",
        Run(TOPICS, says="trained in"),
    ),
    (
        "python -m benchmarks.PaddleVideo.fight_clips FOLDER --peers PYTHON "
        "--log benchmarks/PaddleVideo/fight_clips.jsonl",
        PEERS,
    ),
]
