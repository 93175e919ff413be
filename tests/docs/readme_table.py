"""How each command of the pages is run in the tests: what makes it small, or why it is not run."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Union


@dataclasses.dataclass
class Run:
    """A command that is run.

    Attributes:
        smaller: words to add, so that it takes seconds.
        instead: what is in the command, and what takes its place here.
        says: what it must print.
        code: how it must end.
    """

    smaller: str = ""
    instead: Mapping[str, str] = dataclasses.field(default_factory=dict)
    says: str = ""
    code: int = 0


@dataclasses.dataclass
class NotRun:
    """A command that is not run here.

    Attributes:
        why: the reason, and where it is run instead.
    """

    why: str


SMALL_ERNIE = (
    "-o 'network.encoder={name: ernie, hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, "
    "intermediate_size: 8}'"
)
SET_UP = NotRun("it sets up an environment from the package index; .ci/run does that in a fresh clone")
PEERS = NotRun("it trains for minutes to hours, beside another framework that must be installed; see tests/benchmarks")
APT = NotRun("it changes the system; .ci/run does that where something is missing")

DIGITS = "-o train.epochs=2 -o data.train.batch_size=600 -o expect=null"
PHOTOS = "-o train.epochs=1 -o data.train.batch_size=4 -o data.num_workers=0"
IMAGENET = "-o train.epochs=1 -o data.num_workers=0 -o expect=null -o network.class_num=2"
DRAWN_GRAPHS = "-o train.epochs=1 -o data.dataset.count=20 -o expect=null"
CORA = "-o train.epochs=2 -o task.passes_per_epoch=5 -o expect=null"
FACES = (
    "-o train.epochs=1 -o expect=null -o data.train.dataset.count=8 -o data.test.dataset.count=8 "
    "-o data.train.batch_size=4 -o data.test.batch_size=4"
)
CLOTHES = "-o train.epochs=1 -o expect=null -o data.train.batch_size=6 -o data.test.batch_size=6"
EDITED = "-o generator.network.ngf=2 -o discriminator.network.ndf=2 -o discriminator.network.fc_dim=4"
TRAINED = {"CONFIG": "PaddleGAN/configs/dusk2day_cyclegan.yaml", "FOLDER": "streets"}
STYLED = (
    "-o task.r1_every=2 -o task.path_every=2 "
    "-o generator.network.max_channels=4 -o discriminator.network.max_channels=4"
)
NAMED = {"runs/NAME": "runs/dusk2day_cyclegan"}
DRAWN = {"runs/NAME": "runs/faces_dcgan"}

SCENES = (
    "-o data.train.dataset.count=16 -o data.valid.dataset.count=4 -o data.test.dataset.count=4 -o data.num_workers=0 "
    "-o data.valid.batch_size=4 -o data.test.batch_size=4 -o expect=null"
)
SMALL_CTCN = "-o network.length=64 -o network.width=4 -o network.channels=8 -o 'network.head_channels=[8,8]'"
MOVING = (
    "-o train.epochs=1 -o data.train.dataset.count=32 -o data.valid.dataset.count=8 -o data.test.dataset.count=8 "
    "-o expect=null"
)
REVIEWS = (
    "-o train.epochs=1 -o data.train.dataset.count=64 -o data.train.batch_size=8 "
    "-o data.valid.dataset.count=16 -o data.test.dataset.count=16 -o expect=null"
)
PEOPLE = SCENES.replace("batch_size=4", "batch_size=2")

Table = dict[str, list[tuple[str, Union[Run, NotRun]]]]
TABLE: Table = {
    "README.md": [
        (
            "sudo apt-get update && sudo apt-get install -y git python3-venv libgomp1 libquadmath0 libgl1 libglib2.0-0",
            APT,
        ),
        ("python3 start.py", SET_UP),
        ("python3 start.py test", SET_UP),
    ],
    "PaddleClas/README.md": [
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
    ],
    "PaddleDetection/README.md": [
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
            "python PaddleDetection/eval.py runs/digits_yolov3 --classwise "
            "--json-eval runs/digits_yolov3/evaluation_test",
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
    ],
    "PaddleNLP/README.md": [
        (
            "python PaddleNLP/train.py -c PaddleNLP/configs/drawn_reviews_ernie.yaml",
            Run(REVIEWS, says="look at   runs/drawn_reviews_ernie/learning_curve.png"),
        ),
        (
            'python PaddleNLP/infer.py runs/drawn_reviews_ernie "虽然房间很破旧，但是服务员特别热情"',
            Run(says="虽然房间很破旧，但是服务员特别热情"),
        ),
        ("python PaddleNLP/train.py --resume runs/drawn_reviews_ernie", Run(says="continuing after step")),
        (
            "python PaddleNLP/eval.py runs/drawn_reviews_ernie",
            Run(says="wrote runs/drawn_reviews_ernie/evaluation_test/"),
        ),
        ("python PaddleNLP/infer.py runs/drawn_reviews_ernie --demo 8", Run(says="negative ")),
        ("python PaddleNLP/infer.py runs/drawn_reviews_ernie --file texts.txt", Run(says="面条好吃")),
        ("python PaddleNLP/infer.py runs/drawn_reviews_ernie - < texts.txt", Run(says="面条好吃")),
        (
            "python PaddleNLP/infer.py runs/drawn_reviews_ernie --demo 8 --explain page.html",
            Run(says="negative "),
        ),
        (
            "python PaddleNLP/infer.py runs/drawn_reviews_ernie --file texts.txt --features features.npy",
            Run(says="wrote features.npy: float32 ["),
        ),
        ("python PaddleNLP/export.py runs/drawn_reviews_ernie", Run(says="compared with the live network: equal")),
        ("python PaddleNLP/export.py runs/drawn_reviews_ernie --int8", Run(says="layers in 8 bits; calibrated by ")),
        (
            'python PaddleNLP/infer.py runs/drawn_reviews_ernie/exported "早餐不怎么好吃"',
            Run(says="早餐不怎么好吃"),
        ),
        ("python PaddleNLP/train.py --keys", Run(says="train.epochs (integer or null; default None)")),
        (
            "python PaddleNLP/tools/draw_data.py dialogues drawn/dialogues",
            Run(says="drawn/dialogues/dstc2/dstc2/test.txt"),
        ),
        ("python PaddleNLP/tools/draw_data.py distant drawn/distant", Run(says="drawn/distant/test_part.json")),
        ("python PaddleNLP/tools/draw_data.py dbqa drawn/dbqa", Run(says="drawn/dbqa/test.tsv")),
        (
            "python PaddleNLP/train.py -c PaddleNLP/configs/drawn_dialogues_ernie.yaml --data drawn/dialogues",
            NotRun("it trains for minutes; tests/PaddleNLP/test_commands.py trains tasks that share an encoder"),
        ),
        (
            "python PaddleNLP/train.py -c PaddleNLP/configs/senta/chnsenticorp_bow.yaml --data FOLDER",
            NotRun("the data are not in the repository; tests/PaddleNLP/test_word_level.py trains on a few lines"),
        ),
        (
            "python PaddleNLP/train.py -c PaddleNLP/configs/lac/small_lac.yaml --data FOLDER",
            NotRun("the data are not in the repository; tests/PaddleNLP/tasks/test_lexical.py trains on a few lines"),
        ),
        (
            "python PaddleNLP/tools/lexical_dictionaries.py dictionaries --texts FOLDER/train.tsv",
            NotRun("as above"),
        ),
        (
            'python PaddleNLP/infer.py runs/small_lac "他来到北京" --user-dictionary user.dic',
            NotRun("as above"),
        ),
        (
            "python PaddleNLP/infer.py runs/small_dureader_bidaf --demo 8",
            NotRun("the data are not in the repository; tests/walks reads passages with a small run"),
        ),
        (
            "python PaddleNLP/train.py -c PaddleNLP/configs/drawn_distant_arnor.yaml --data drawn/distant",
            NotRun("it trains for most of a minute; tests/PaddleNLP/tasks/test_distant.py trains on a few lines"),
        ),
        (
            "python PaddleNLP/train.py -c PaddleNLP/configs/translation/drawn_copy.yaml",
            NotRun("it trains for most of a minute; tests/PaddleNLP/tasks/test_drawn_translation.py runs it"),
        ),
        (
            "python PaddleNLP/train.py -c PaddleNLP/configs/translation/multi30k_transformer.yaml --data FOLDER",
            NotRun(
                "the data are not in the repository; tests/PaddleNLP/tasks/test_translation.py trains on a few lines"
            ),
        ),
        (
            'python PaddleNLP/infer.py runs/multi30k_transformer "A man in a blue shirt is standing on a ladder."',
            NotRun("as above"),
        ),
        (
            "python -m PaddleNLP.tools.learn_bpe bpe --size 10000 --texts train.en.gz train.de.gz",
            NotRun("tests/PaddleNLP/tools/test_translation_tools.py runs it on a few lines"),
        ),
        (
            "python -m PaddleNLP.tools.average_checkpoints runs/transformer_base --last 5",
            NotRun("tests/PaddleNLP/tools/test_translation_tools.py runs it"),
        ),
        (
            "python PaddleNLP/tools/draw_data.py conversations drawn/conversations",
            Run(says="drawn/conversations/mmpms/dial.test"),
        ),
        *(
            (
                f"python PaddleNLP/train.py -c PaddleNLP/configs/dialogue/drawn_{name}.yaml "
                f"--data drawn/conversations/{data}",
                NotRun("it trains for minutes; tests/PaddleNLP/tasks/test_dialogue.py trains on a few lines"),
            )
            for name, data in (
                *(("dam", "dam"), ("ade_matching", "ade"), ("ade_quality", "ade"), ("duconv_match_kn", "duconv")),
                *(("duconv_generation", "duconv"), ("mmpms", "mmpms")),
            )
        ),
        ("python PaddleNLP/infer.py runs/drawn_mmpms --chat", NotRun("as above")),
        ("python PaddleNLP/infer.py runs/drawn_duconv_generation --chat talk.json", NotRun("as above")),
        (
            "python PaddleNLP/train.py -c PaddleNLP/configs/drawn_markov_lstm.yaml",
            NotRun("it trains for half a minute; tests/PaddleNLP/tasks/test_language_model.py trains a smaller one"),
        ),
        (
            "python PaddleNLP/infer.py runs/drawn_markov_lstm --demo 4",
            NotRun("tests/PaddleNLP/tasks/test_language_model.py reads and draws with a smaller run"),
        ),
        ('python PaddleNLP/infer.py runs/drawn_markov_lstm "" --continue 12 --seed 1', NotRun("as above")),
        (
            "python PaddleNLP/train.py -c PaddleNLP/configs/language_model/ptb_lstm_small.yaml --data FOLDER",
            NotRun("the data are not in the repository; tests/PaddleNLP/tasks/test_language_model.py trains on lines"),
        ),
        (
            "python PaddleNLP/tools/word_vectors.py FOLDER/ptb.train.txt vectors.txt --near company",
            NotRun("the data are not in the repository; tests/PaddleNLP/test_word_vectors.py runs it on drawn ones"),
        ),
        ("python PaddleNLP/train.py -c PaddleNLP/configs/drawn_reviews_ernie.yaml", NotRun("as above")),
        ("python PaddleNLP/train.py -c PaddleNLP/configs/drawn_reviews_ernie.yaml -o seed=1", NotRun("as above")),
        ("python PaddleNLP/train.py -c PaddleNLP/configs/drawn_reviews_ernie.yaml -o seed=2", NotRun("as above")),
        (
            "python -m benchmarks.PaddleNLP.drawn_reviews",
            Run(says="characters, n-grams up to 4: accuracy 0.6"),
        ),
        (
            "python -m benchmarks.PaddleNLP.small_ernie FOLDER --log benchmarks/PaddleNLP/small_ernie.jsonl",
            NotRun("pretraining takes an hour, and the sets are not in the repository"),
        ),
        (
            "python -m benchmarks.PaddleNLP.mixed_pretraining FOLDER "
            "--log benchmarks/PaddleNLP/mixed_pretraining.jsonl --small",
            NotRun("the sets are not in the repository"),
        ),
        (
            "python -m benchmarks.PaddleNLP.mixed_pretraining FOLDER "
            "--log benchmarks/PaddleNLP/mixed_pretraining.jsonl --small --precision float16 --emulated",
            NotRun("the sets are not in the repository"),
        ),
        (
            "python PaddleNLP/train.py -c PaddleNLP/configs/drawn_dialogues_ernie.yaml --data drawn/dialogues",
            NotRun("as above"),
        ),
        (
            "python PaddleNLP/train.py -c PaddleNLP/configs/drawn_dbqa_ernie.yaml --data drawn/dbqa",
            NotRun("it trains for minutes; tests/PaddleNLP/test_commands.py trains a network that ranks"),
        ),
        (
            "python PaddleNLP/train.py -c PaddleNLP/configs/drawn_mrqa_ernie.yaml --data drawn/mrqa",
            NotRun("it trains for a minute; tests/PaddleNLP/test_commands.py trains a network that answers"),
        ),
        (
            "python PaddleNLP/train.py -c PaddleNLP/configs/small_xquad_ernie.yaml --data FOLDER",
            NotRun("the set is not in the repository"),
        ),
        (
            "python PaddleNLP/train.py -c PaddleNLP/configs/reading/small_dureader_bidaf.yaml --data FOLDER",
            NotRun("the data are not in the repository; tests/PaddleNLP/tasks/test_passages.py trains on a few lines"),
        ),
        (
            "python -m benchmarks.PaddleNLP.tasks relations FOLDER --log benchmarks/PaddleNLP/tasks.jsonl",
            NotRun("it trains six networks; tests/benchmarks/test_language_tasks.py loads their configs"),
        ),
        (
            "python -m benchmarks.PaddleNLP.distant_relations --log benchmarks/PaddleNLP/distant_relations.jsonl",
            NotRun("it trains nine networks; tests/PaddleNLP/tasks/test_distant.py trains one on a few lines"),
        ),
        (
            "python -m benchmarks.PaddleNLP.word_networks FOLDER --peers PEERS/bin/python "
            "--log benchmarks/PaddleNLP/word_networks.jsonl",
            PEERS,
        ),
        ("python -m benchmarks.PaddleNLP.word_speed FILE --peers PEERS/bin/python --processor", PEERS),
        ("python PaddleNLP/train.py -c PaddleNLP/configs/drawn_markov_lstm.yaml", NotRun("as above")),
        (
            "python -m benchmarks.PaddleNLP.language_models FOLDER --peers PEERS/bin/python "
            "--log benchmarks/PaddleNLP/language_models.jsonl",
            PEERS,
        ),
        (
            "python PaddleNLP/train.py -c PaddleNLP/configs/translation/multi30k_transformer.yaml --data FOLDER",
            NotRun("as above"),
        ),
        (
            "python -m benchmarks.PaddleNLP.translation --size small --rounds 1 --processor --peers PEERS/bin/python",
            PEERS,
        ),
        (
            "python -m benchmarks.PaddleNLP.fine_tuning FOLDER --peers PEERS/bin/python "
            "--log benchmarks/PaddleNLP/fine_tuning.jsonl",
            PEERS,
        ),
        (
            "python -m benchmarks.PaddleNLP.fine_tuning FOLDER --peers PEERS/bin/python "
            "--log benchmarks/PaddleNLP/fine_tuning.jsonl --dropout",
            PEERS,
        ),
    ],
    "PGL/README.md": [
        ("python PGL/train.py -c PGL/configs/drawn_graphs_gin.yaml", Run(DRAWN_GRAPHS, says="trained in")),
        ("python PGL/train.py -c PGL/configs/cora_gcn.yaml", Run(f"--data cora {CORA}", says="trained in")),
        (
            "python PGL/train.py -c PGL/configs/cora_gcn.yaml --data DIR",
            Run(CORA, {"DIR": "cora"}, "trained in"),
        ),
        ("python PGL/train.py --resume runs/cora_gcn", Run(says="continuing after step")),
        ("python PGL/eval.py runs/cora_gcn", Run(says="test: accuracy")),
        ("python PGL/infer.py runs/cora_gcn --near 0 17", Run(says="embeddings.png")),
        ("python PGL/export.py runs/cora_gcn", Run(says="compared with the live network: equal")),
        ("python PGL/export.py runs/cora_gcn --int8", Run(says="layers in 8 bits; calibrated by ")),
        (
            "python PGL/preview.py -c PGL/configs/cora_gcn.yaml",
            Run("--data cora", says="wrote preview.png: 3 to 14 edges end at a node"),
        ),
        ("python PGL/train.py --keys", Run(says="train.epochs (integer or null; default None)")),
        ("python PGL/infer.py runs/cora_gcn --picture tsne", Run(says="embeddings.png")),
        *(
            (
                f"python PGL/train.py -c PGL/configs/{name}.yaml --data FOLDER",
                Run(f"-o train.epochs=2 {more}".strip(), {"FOLDER": folder}, "trained in"),
            )
            for name, folder, more in (
                ("own_graph_gcn", "own_graph", "-o task.passes_per_epoch=5"),
                ("own_triples_rotate", "own_triples", ""),
                ("airports_node2vec", "airports", "-o train.evaluate_every=1"),
                ("own_graphs_gin", "own_graphs", ""),
                ("own_texts_erniesage", "own_texts", f"-o data.dataset.vocab_file=null {SMALL_ERNIE}"),
            )
        ),
        (
            "python PGL/cross_validate.py -c PGL/configs/own_graphs_gin.yaml --data FOLDER",
            Run("-o train.epochs=1 --folds 3", {"FOLDER": "own_graphs"}, "is best on average"),
        ),
        ("python PGL/train.py -c PGL/configs/drawn_graphs_gin.yaml --seeds 5", Run(DRAWN_GRAPHS, says="wrote")),
        ("python -m benchmarks.PGL.graph_counts", Run("--seeds 1", says="random forest on counts: accuracy 0.5000")),
        (
            "python PGL/train.py -c PGL/configs/drawn_texts_erniesage.yaml",
            Run("-o train.epochs=1 -o data.dataset.topics=2 -o data.dataset.texts=4 -o expect=null", says="trained in"),
        ),
        ("python -m benchmarks.PGL.graph_accuracy DATA --log PGL/results/accuracy.jsonl", PEERS),
        ("python -m benchmarks.PGL.graph_training DATA --peers PYTHON --paddle PYTHON", PEERS),
    ],
    "PaddleVideo/README.md": [
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
            Run(f"{MOVING} -o data.train.batch_size=16", says="trained in"),
        ),
        (
            "python PaddleVideo/train.py -c PaddleVideo/configs/drawn_figures_stgcn.yaml",
            Run(MOVING, says="trained in"),
        ),
        (
            "python PaddleVideo/train.py -c PaddleVideo/configs/moving_digits_ctcn.yaml",
            Run(f"{MOVING} {SMALL_CTCN}", says="trained in"),
        ),
        ("python PaddleVideo/infer.py runs/moving_digits_ctcn --demo 4", Run(says="timelines of 4 videos beside")),
        ("python PaddleVideo/export.py runs/moving_digits_ctcn", Run(says="compared with the live network: equal")),
        (
            "python PaddleVideo/infer.py runs/moving_digits_ctcn/exported clip.npy --duration 9.6",
            Run(says="timelines of 1 videos beside"),
        ),
        (
            "python PaddleVideo/features.py runs/moving_digits_tsm videos --window 0.6 --step 0.2 --output features",
            Run(says="wrote features of 1 videos to features"),
        ),
        (
            "python PaddleVideo/features.py RGB videos --second FLOW --window 0.6 --step 0.2 --length 512 "
            "--output scores",
            Run(
                instead={"RGB": "runs/moving_digits_tsm", "FLOW": "runs/moving_digits_tsm"},
                says="wrote features of 1 videos to scores",
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
                ("bmn", Run(f"{MOVING} -o network.tscale=16 -o network.dscale=8", says="trained in")),
                ("bsn", Run(f"{MOVING} -o network.tscale=16 -o network.dscale=8", says="trained in")),
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
            Run(f"{MOVING} -o data.train.batch_size=16", says="trained in"),
        ),
        (
            "python PaddleVideo/train.py -c PaddleVideo/configs/drawn_topics_nextvlad.yaml "
            "-o 'network={name: mean_logistic, class_num: 20, feature_dims: [64, 16]}' -o expect=null",
            Run(f"{MOVING} -o data.train.batch_size=16", says="trained in"),
        ),
        (
            "python -m benchmarks.PaddleVideo.fight_clips FOLDER --peers PYTHON "
            "--log benchmarks/PaddleVideo/fight_clips.jsonl",
            PEERS,
        ),
    ],
    "PaddleGAN/README.md": [
        (
            "python PaddleGAN/train.py -c PaddleGAN/configs/faces_dcgan.yaml",
            Run(f"{FACES} -o generator.network.ngf=2 -o discriminator.network.ndf=2", says="trained in"),
        ),
        ("python PaddleGAN/infer.py interpolate runs/faces_dcgan", Run(says="interpolate.png")),
        (
            "python PaddleGAN/train.py -c PaddleGAN/configs/fashion_mnist_cgan.yaml --data FOLDER",
            Run(CLOTHES, {"FOLDER": "clothes"}, "trained in"),
        ),
        (
            "python PaddleGAN/train.py -c CONFIG --data FOLDER",
            Run("-o train.epochs=1 -o expect=null", TRAINED, "trained in"),
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
            Run(f"{FACES} {EDITED}", says="trained in"),
        ),
        ("python PaddleGAN/infer.py edit runs/faces_attgan --count 5", Run(says="wrote to")),
        ("python PaddleGAN/infer.py sweep runs/faces_attgan --attribute Bangs", Run(says="wrote to")),
        (
            "python PaddleGAN/train.py -c PaddleGAN/configs/camvid_pix2pix.yaml --data FOLDER",
            Run("-o train.epochs=1 -o expect=null", {"FOLDER": "pairs"}, "trained in"),
        ),
        (
            "python PaddleGAN/train.py -c PaddleGAN/configs/faces_cyclegan.yaml",
            Run(FACES, says="trained in"),
        ),
        (
            "python PaddleGAN/train.py -c PaddleGAN/configs/dusk2day_cyclegan.yaml --data FOLDER",
            Run("-o train.epochs=1 -o expect=null", {"FOLDER": "streets"}, "trained in"),
        ),
        (
            "python PaddleGAN/train.py -c PaddleGAN/configs/restoration/faces_pan.yaml",
            Run(f"{FACES} -o generator.network.nf=4 -o generator.network.unf=4", says="trained in"),
        ),
        ("python PaddleGAN/infer.py restore runs/faces_pan", Run(says="wrote to")),
        (
            "python PaddleGAN/train.py -c PaddleGAN/configs/restoration/photographs_pan.yaml --data FOLDER",
            Run(
                "-o train.epochs=1 -o expect=null -o data.train.dataset.gt_folder=trainA -o data.train.batch_size=2 "
                "-o data.test.dataset.gt_folder=trainB -o 'data.train.transforms=[{name: ToTensor}]' "
                "-o generator.network.nf=4 -o generator.network.unf=4 -o generator.network.nb=1",
                {"FOLDER": "streets"},
                "trained in",
            ),
        ),
        (
            "python PaddleGAN/train.py -c PaddleGAN/configs/faces_stylegan2.yaml",
            Run(f"{FACES} {STYLED}", says="trained in"),
        ),
        ("python PaddleGAN/infer.py mix runs/faces_stylegan2 --rows 3 --columns 5", Run(says="mix.png")),
    ],
}
TABLE["docs/getting_started.md"] = [
    *TABLE["README.md"],
    ("python PaddleClas/export.py runs/digits_resnet18", Run(says="compared with the live network: equal")),
    ("python PaddleClas/infer.py runs/digits_resnet18/exported photo.jpg", Run(says="photo.jpg: ")),
    (". .venv/bin/activate", NotRun("it changes the shell; the environment's Python runs these tests")),
    ("python PaddleClas/train.py --help", Run(says="usage: ")),
    ("python -m pytest tests/core/autograd", NotRun("it is a part of these tests")),
]
