"""The commands of PGL/README.md."""

from __future__ import annotations

from tests.docs.commands.run import PEERS, Commands, Run

SMALL_ERNIE = (
    "-o 'network.encoder={name: ernie, hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, "
    "intermediate_size: 8}'"
)
DRAWN_GRAPHS = "-o train.epochs=1 -o data.dataset.count=20 -o expect=null"
CORA = "-o train.epochs=2 -o task.passes_per_epoch=5 -o expect=null"

COMMANDS: Commands = [
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
]
