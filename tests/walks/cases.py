"""Small data and small networks for the experiments that are walked from training to prediction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import core
import PaddleClas
from core.vision import write_image
from PGL.data import CoraDataset, DrawnGraphs, DrawnTextGraph, EdgeListDataset
from PGL.data.text_graph import TextGraph
from PGL.tasks.text_links import neighborhood
from tests.PaddleGAN.small_runs import CGAN, DCGAN, WGAN, write_blobs
from tests.PaddleGAN.talking_files import write_talking
from tests.PaddleGAN.tasks.translations import write_film, write_pictures
from tests.PaddleGAN.vgg_file import write_vgg
from tests.PGL.small_sets import (
    NODES,
    write_airports,
    write_blog_catalog,
    write_cora,
    write_graphs,
    write_own_graph,
    write_texts,
    write_triples,
)

ROOT = Path(__file__).resolve().parents[2]

def arrays_of(data: Path, shown: bool = False, kind: Any = CoraDataset) -> list[np.ndarray]:
    """Return what an exported network of a citation graph takes: features and edges; labels, if it is shown them."""
    read = kind(root=str(data))
    edges = [tensor.numpy() for rows in read.graph.tensor(inplace=False).connections() for tensor in rows]
    labels = [read.y, np.isin(np.arange(NODES), read.train_index).astype(np.float32)] if shown else []
    return [read.graph.node_feat["words"], *edges, *labels]


def own_graph(root: str) -> EdgeListDataset:
    """Read a graph of one's own as own_graph_gcn.yaml does; its features are called as those of a citation graph."""
    text = {name: f"{name}.csv" for name in ("features", "labels", "splits")}
    read = EdgeListDataset("edges.csv", **text, symmetry_edges=True, self_loop=True, renumber=True, root=root)
    read.graph.node_feat["words"] = read.graph.node_feat["features"]
    return read


def texts_of(data: TextGraph, samples: int = 3) -> list[np.ndarray]:
    """Return what an exported ERNIESage takes: all texts, and the edges that infer.py draws."""
    nodes, edges = neighborhood(data.graph.incoming, np.arange(data.graph.num_nodes), samples, 1, 0)
    return [data.term_ids[nodes], edges]


def write_nothing(folder: Path) -> Path:
    """Make the empty folder of a config that draws its data."""
    folder.mkdir(parents=True)
    return folder


OWN_GRAPHS: dict[str, Any] = {
    "own_graph_gcn": write_own_graph, "own_graphs_gin": write_graphs, "airports_node2vec": write_airports,
    "own_triples_transe": write_triples, "own_triples_rotate": write_triples, "own_texts_erniesage": write_texts,
}  # fmt: skip
"""Configs of data of one's own: what writes it."""

GRAPHS: dict[str, Any] = {
    "NodeClassification": (
        "cora_gcn", write_cora, ("task.passes_per_epoch=2",), "7", arrays_of, lambda rows, weights: rows,
    ),
    "MaskedLabelClassification": (
        "cora_unimp", write_cora, ("task.passes_per_epoch=2", "network.hidden_size=8"), "7",
        lambda data: arrays_of(data, shown=True), lambda rows, weights: rows,
    ),
    "SampledNodeClassification": (
        "cora_graphsage", write_cora, ("task.samples=[5,5]", "network.hidden_size=8", "task.batch_size=8"), "7",
        arrays_of, lambda rows, weights: rows,
    ),
    "GraphClassification": (
        "drawn_graphs_gin", write_nothing,
        ("data.dataset={name: DrawnGraphs, count: 60}", "task.batch_size=9", "network.hidden_size=8"), "7",
        lambda data: DrawnGraphs(60).batch(np.arange(5)), lambda rows, weights: rows[:5],
    ),
    "SkipGram": (
        "blogcatalog_deepwalk", write_blog_catalog, ("task.batch_size=30", "network.embedding_size=8"), "7",
        lambda data: [np.array([5, 0, 5])], lambda rows, weights: rows[[5, 0, 5]],
    ),
    "LinkPrediction": (
        "umls_transe", write_triples,
        ("task.batch_size=14", "task.negatives=4", "network.embedding_size=8", "network.gamma=6.0"), "h3",
        lambda data: [np.array(numbers) for numbers in ([0, 3], [1, 0], [2, 5])],
        lambda rows, weights: 6 - np.abs(rows[[0, 3]] + weights["relations"][[1, 0]] - rows[[2, 5]]).sum(axis=1),
    ),
    "TextLinkPrediction": (
        "drawn_texts_erniesage", write_nothing,
        ("data.dataset={name: DrawnTextGraph, topics: 2, texts: 4}", "task.batch_size=8", "network.hidden_size=8"), "7",
        lambda data: texts_of(DrawnTextGraph(2, 4)), lambda rows, weights: rows,
    ),
}  # fmt: skip
"""Task: a config, what writes its data, changes, a node to look around, what its exported program takes and gives."""

def rotated(rows: np.ndarray, weights: Any) -> np.ndarray:
    """Return RotatE's scores of the triples (0, 1, 2) and (3, 0, 5) at γ = 6 and 8 complex numbers an entity."""
    bound = (6 + 2) / 8
    turned = (rows[[0, 3], :8] + 1j * rows[[0, 3], 8:]) * np.exp(1j * np.pi / bound * weights["relations"][[1, 0]])
    return 6 - np.abs(turned - rows[[2, 5], :8] - 1j * rows[[2, 5], 8:]).sum(axis=1)


NOISE = ("data.train.batch_size=6", "data.test.batch_size=6", "samples.every=3", "samples.count=4")
FACES = tuple(
    f"data.{split}.dataset={{name: Faces, count: {count}, size: 32, attributes: [Bangs, Eyeglasses]}}"
    for split, count in (("train", 8), ("test", 4))
)
EDITED = (
    *FACES, "data.train.batch_size=4", "data.test.batch_size=4", "task.critic_steps=1", "samples.every=3",
    "samples.count=2", "generator.network.ngf=2", "discriminator.network.ndf=2",
)  # fmt: skip
TRANSLATED = tuple(
    f"data.{split}.transforms=[{{name: Resize, size: [32, 32]}}, {{name: ToTensor}}, "
    "{name: Normalize, mean: 0.5, std: 0.5}]"
    for split in ("train", "test")
)
PAIRED = (*TRANSLATED, "data.train.batch_size=2", "data.test.batch_size=2", "samples.every=3", "samples.count=2")


def write_pairs(folder: Path) -> Path:
    """Write pairs side by side in train and val."""
    write_pictures(folder / "train", 4, 64)
    write_pictures(folder / "val", 2, 64, first=50)
    return folder


def write_unpaired(folder: Path) -> Path:
    """Write pictures of two kinds in trainA and trainB."""
    write_pictures(folder / "trainA", 4, 32)
    write_pictures(folder / "trainB", 4, 32, first=20)
    return folder


ANIMATED = (
    *PAIRED, "data.num_workers=0", "task.vgg_weights=vgg.npy", "discriminator.network.channel=4",
)  # fmt: skip


def write_film_and_vgg(folder: Path) -> Path:
    """Write AnimeGAN's data, and VGG-19 with few channels."""
    write_film(folder, smooth=True)
    write_pictures(folder / "test" / "HR_photo", 2, 32, first=60)
    write_vgg(folder / "vgg.npy")
    return folder


def write_domains(folder: Path) -> Path:
    """Write pictures of three domains to train, and to test."""
    for number, part in enumerate(f"{split}/{name}" for split in ("train", "val") for name in ("cat", "dog", "wild")):
        write_pictures(folder / part, 2, 32, first=20 * number)
    return folder


def write_four_parts(folder: Path) -> Path:
    """Write pictures of two kinds in trainA, trainB, testA and testB."""
    for number, part in enumerate(("trainA", "trainB", "testA", "testB")):
        write_pictures(folder / part, 4, 32, first=20 * number)
    return folder


SMALL_RESTORATION = (
    "data.root=null", "data.num_workers=0", "data.train.batch_size=2", "data.test.batch_size=2", "samples.every=3",
    "samples.count=2",
    "train.steps=null", "train.evaluate_every=1", "train.log_every=1", "data.valid=null",
    "data.train.transforms=[{name: RandomHorizontalFlip}, {name: ToTensor}]",
)  # fmt: skip


def drawn_pairs(scale: int) -> tuple[str, ...]:
    """Return changes of a config: pairs of drawn faces of 32 pixels."""
    return tuple(
        f"data.{split}.dataset={{name: SRFaces, count: {count}, size: 32, scale: {scale}}}"
        for split, count in (("train", 4), ("test", 2))
    )


def drawn_windows(frames: int) -> tuple[str, ...]:
    """Return changes of a config: windows of drawn faces of 32 pixels that move."""
    return tuple(
        f"data.{split}.dataset={{name: MovingFaces, count: {count}, size: 32, number_frames: {frames}}}"
        for split, count in (("train", 4), ("test", 2))
    )


SAMPLES = {"samples": ("--count", "4"), "interpolate": ("--rows", "2", "--steps", "2")}
EDITS = {"edit": ("--count", "2"), "sweep": ("--attribute", "Bangs", "--count", "2", "--steps", "2")}
ADVERSARIAL = {
    "UnconditionalGAN": ("fashion_mnist_dcgan", write_blobs, (*DCGAN, *NOISE), SAMPLES),
    "ConditionalGAN": ("fashion_mnist_cgan", write_blobs, (*CGAN, *NOISE), SAMPLES),
    "StyleGAN2": (
        "faces_stylegan2", None,
        (
            *FACES, "data.train.batch_size=4", "data.test.batch_size=4", "samples.every=3", "samples.count=4",
            *(f"{player}.network.max_channels=4" for player in ("generator", "discriminator")),
            "generator.network.size=32", "discriminator.network.size=32",
            "generator.network.style_dim=6", "generator.network.n_mlp=2", "task.r1_every=2", "task.path_every=2",
        ),
        {**SAMPLES, "mix": ("--rows", "2", "--columns", "2", "--truncation", "0.5")},
    ),
    "WassersteinGAN": ("fashion_mnist_wgan_gp", write_blobs, (*WGAN, *NOISE, "task.critic_steps=2"), SAMPLES),
    "Pix2Pix": (
        "camvid_pix2pix", write_pairs,
        (*PAIRED, "generator.network.num_downs=5", "generator.network.ngf=2", "discriminator.network.ndf=2"),
        {"translate": ()},
    ),
    "CycleGAN": (
        "dusk2day_cyclegan", write_unpaired,
        (*PAIRED, "generator.network.ngf=2", "discriminator.network.ndf=2"),
        {"translate": ("--direction", "BtoA")},
    ),
    "AnimeGAN": (
        "animegan_hayao", write_film_and_vgg, (*ANIMATED, "generator.network={name: AnimeGeneratorLite}"),
        {"translate": ()},
    ),
    "AnimeGANPretraining": (
        "animegan_hayao_pretraining", write_film_and_vgg,
        (*ANIMATED, "generator.network={name: AnimeGeneratorLite}"), {"translate": ()},
    ),
    "Wav2Lip": (
        "lrs2_wav2lip", write_talking,
        (
            "generator.network.width=16", "discriminator.network.width=32", "data.train.batch_size=2",
            "data.test.batch_size=2", "data.num_workers=0", "samples.every=3", "samples.count=2", "task.expert=null",
            "task.sync_later=0.0",
        ),
        {},
    ),
    "StarGANv2": (
        "afhq_stargan_v2", write_domains,
        (
            *TRANSLATED, "data.num_workers=0", "data.train.batch_size=2", "data.test.batch_size=2", "samples.every=3",
            "samples.count=2", "task.hidden_dim=6", "task.latent_dim=4",
            "generator.network={name: StarGANv2Generator, img_size: 32, style_dim: 5, max_conv_dim: 4, base: 64, "
            "w_hpf: 0}",
            "discriminator.network={name: StarGANv2Discriminator, img_size: 32, max_conv_dim: 4, base: 64}",
        ),
        {"restyle": ("--domain", "dog", "--count", "2")},
    ),
    "UGATIT": (
        "selfie2anime_ugatit", write_four_parts,
        (
            *PAIRED, "generator.network.ngf=2", "generator.network.n_blocks=1", "discriminator.network.ndf=2",
            "task.global_layers=4", "task.local_layers=3", "data.num_workers=0",
        ),
        {"translate": ("--direction", "BtoA")},
    ),
    "SPADE": (
        "camvid_spade", write_pairs, (*PAIRED, "generator.network.ngf=1", "discriminator.network.ndf=2"),
        {"translate": ()},
    ),
    "STGAN": ("faces_stgan", None, (*EDITED, "discriminator.network.fc_dim=4"), EDITS),
    "AttGAN": ("faces_attgan", None, (*EDITED, "discriminator.network.fc_dim=4"), EDITS),
    "StarGAN": ("faces_stargan", None, (*EDITED, "generator.network.n_blocks=1"), EDITS),
    "SuperResolution": (
        "restoration/faces_pan", None,
        (*SMALL_RESTORATION, *drawn_pairs(2), "generator.network={name: PAN, nf: 4, unf: 4, nb: 1, scale: 2}"),
        {"restore": ()},
    ),
    "ESRGAN": (
        "restoration/esrgan_x4_div2k", None,
        (
            *SMALL_RESTORATION, *drawn_pairs(4), "generator.network={name: RRDBNet, nf: 4, nb: 1, gc: 2}",
            "discriminator.network={name: VGGDiscriminator128, num_feat: 2, image_size: 32}",
            "generator.schedule={name: Constant, learning_rate: 0.0001}",
            "discriminator.schedule={name: Constant, learning_rate: 0.0001}",
        ),
        {"restore": ()},
    ),
    "DRN": (
        "restoration/drn_psnr_x4_div2k", None,
        (*SMALL_RESTORATION, *drawn_pairs(4), "generator.network={name: DRNGenerator, n_blocks: 1, n_feats: 8}"),
        {"restore": ()},
    ),
    "VideoRestoration": (
        "restoration/faces_edvr", None,
        (
            *SMALL_RESTORATION, *drawn_windows(3),
            "generator.network={name: EDVRNet, nf: 4, groups: 2, nframes: 3, front_RBs: 1, back_RBs: 1}",
        ),
        {"restore": ()},
    ),
}  # fmt: skip
"""Task: a config, what writes its data, changes, and what infer.py does with a run, with its options."""


UNBOUNDED = ("StyleGAN2", "StarGANv2")
"""Tasks whose generators give numbers beyond 1."""


def write_photos(folder: Path, classes: int = 2, count: int = 4, side: int = 40) -> Path:
    """Write noisy photographs, a folder for each class; the class decides the shade."""
    source = np.random.default_rng(0)
    for kind in range(classes):
        (folder / f"class_{kind}").mkdir(parents=True)
        for number in range(count):
            low = kind * 200 // classes
            photo = source.integers(low, low + 50, (side, side + 8, 3), np.uint8)
            write_image(folder / f"class_{kind}" / f"{number}.png", photo)
    return folder


def write_weights(file: Path, name: str, class_num: int) -> Path:
    """Write a weight file of a network as the official ones are."""
    core.seed(7)
    core.save(PaddleClas.create_model(name, class_num=class_num).state_dict(), str(file))
    return file


SCENES = (
    *(f"data.{split}.dataset.count={count}" for split, count in (("train", 8), ("valid", 4), ("test", 4))),
    *(f"data.{split}.dataset.size=64" for split in ("train", "valid", "test")),
    "data.num_workers=0", "data.train.batch_size=4", "data.valid.batch_size=4", "data.test.batch_size=4",
)  # fmt: skip
DETECTION: dict[str, tuple[str, tuple[str, ...]]] = {
    "boxes": ("digits_yolov3", (*SCENES, "network.scale=0.125", "network.width=16", "network.conf_thresh=0.0")),
    "masks": (
        "digits_mask_rcnn",
        (*SCENES, "network.channels=16", "network.head_channels=32", "network.mask_channels=8"),
    ),
}  # fmt: skip
"""What a detector finds: a config on drawn scenes, and what makes it small."""


def write_labelled(folder: Path) -> Path:
    """Write bright squares on dark images with YOLO's labels, of two classes."""
    source = np.random.default_rng(0)
    for split, count in (("train", 6), ("valid", 4)):
        for number in range(count):
            image = source.integers(0, 60, (64, 64, 3), np.uint8)
            lines = []
            for label, left in enumerate((4, 36)):
                side, top = int(source.integers(12, 24)), int(source.integers(0, 40))
                image[top : top + side, left : left + side] = (255, 120, 120) if label else (120, 255, 120)
                centre, share = (left + side / 2) / 64, side / 64
                lines.append(f"{label} {centre:.6f} {(top + side / 2) / 64:.6f} {share:.6f} {share:.6f}")
            for part, name in (("images", "png"), ("labels", "txt")):
                (folder / part / split).mkdir(parents=True, exist_ok=True)
                file = folder / part / split / f"{number}.{name}"
                if name == "png":
                    write_image(file, image)
                else:
                    file.write_text("\n".join(lines) + "\n")
    return folder
