"""The commands of PaddleNLP/README.md."""

from __future__ import annotations

from tests.docs.commands.run import PEERS, Commands, NotRun, Run

REVIEWS = (
    "-o train.epochs=1 -o data.train.dataset.count=64 -o data.train.batch_size=8 "
    "-o data.valid.dataset.count=16 -o data.test.dataset.count=16 -o expect=null"
)

COMMANDS: Commands = [
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
        "python PaddleNLP/tools/word_vectors.py PaddleNLP/configs/pretraining/small_ernie.yaml characters.txt "
        "--data FOLDER --segmenter characters --size 128",
        NotRun("the data are not in the repository; tests/PaddleNLP/test_word_vectors.py takes a drawn config"),
    ),
    (
        "python PaddleNLP/train.py -c PaddleNLP/configs/lac/small_lac.yaml --data FOLDER "
        "-o word_vectors=characters.txt",
        NotRun("the data are not in the repository; tests/PaddleNLP/test_word_level.py trains with a drawn file"),
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
        NotRun("the data are not in the repository; tests/PaddleNLP/tasks/test_translation.py trains on a few lines"),
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
]
