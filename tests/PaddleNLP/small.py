"""Small sets of texts, and an experiment on each, for the tests of the commands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable

import yaml

from PaddleNLP import train

NETWORK = {
    "name": "ernie",
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 64,
    "initializer_range": 0.2,
}
TRANSLATOR = {
    **{"name": "transformer", "d_model": 16, "d_inner_hid": 32, "n_head": 2, "max_length": 48},
    **{"num_encoder_layers": 1, "num_decoder_layers": 1},
}
NAMES = ("王小明", "李雷", "韩梅梅", "张三丰")
CITIES = ("Rom", "Paris", "Bonn", "Graz", "Oslo", "Wien", "Kiew", "Riga")
PLACES = ("北京", "上海", "南京路", "西湖")


def write_labels(folder: Path) -> dict[str, Any]:
    """Write comments of which some are rude, some loud; return the data set's settings."""
    rows = ["text,rude,loud"]
    for number in range(24):
        rude, loud = number % 2, number // 2 % 2
        rows.append(f"第{number}个人{'很粗鲁' if rude else '很礼貌'}{'而且大声' if loud else '而且小声'},{rude},{loud}")
    (folder / "labels.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return {"name": "TableDataset", "path": "labels.csv", "multi_label": ["rude", "loud"], "separator": ","}


def write_pairs(folder: Path) -> dict[str, Any]:
    """Write pairs of texts with a number of how alike they are; return the data set's settings."""
    rows = [f"今天天气{'很' * (number % 5)}好\t今天天气好\t{number % 5}" for number in range(24)]
    (folder / "pairs.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    columns = {"columns": ["text", "text_pair", "score"], "text_pair": "text_pair", "label": "score"}
    return {"name": "TableDataset", "path": "pairs.tsv", **columns, "numeric": True}


def write_names(folder: Path) -> dict[str, Any]:
    """Write sentences with persons and places; return the data set's settings."""
    lines = []
    for number in range(24):
        name, place = NAMES[number % 4], PLACES[number // 4 % 4]
        tags = ["B-PER", *["I-PER"] * (len(name) - 1), "O", "B-LOC", *["I-LOC"] * (len(place) - 1), "O"]
        lines += [f"{token} {tag}" for token, tag in zip(f"{name}在{place}。", tags)] + [""]
    (folder / "names.txt").write_text("\n".join(lines), encoding="utf-8")
    return {"name": "CoNLLDataset", "path": "names.txt"}


def write_questions(folder: Path) -> dict[str, Any]:
    """Write questions about where persons are, one of which has no answer; return the data set's settings."""
    paragraphs = []
    for number in range(16):
        name, place = NAMES[number % 4], PLACES[number // 4 % 4]
        context = f"{'今天下雨。' * (number % 3 * 4)}{name}在{place}。"
        answers = [{"text": place, "answer_start": context.index(place)}] if number else []
        one = {"id": str(number), "question": f"{name}在哪里？", "answers": answers, "is_impossible": not answers}
        paragraphs.append({"context": context, "qas": [one]})
    content = {"version": "2.0", "data": [{"title": "", "paragraphs": paragraphs}]}
    (folder / "questions.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return {"name": "SQuADDataset", "path": "questions.json"}


def write_texts(folder: Path) -> dict[str, Any]:
    """Write texts to pretrain on; return the data set's settings."""
    texts = [f"{name}今天在{place}走了很久。" for name in NAMES for place in PLACES]
    (folder / "texts.tsv").write_text("\n".join(texts) + "\n", encoding="utf-8")
    return {"name": "TableDataset", "path": "texts.tsv", "columns": ["text"]}


def write_candidates(folder: Path) -> dict[str, Any]:
    """Write questions with three sentences each, of which one answers it; return the data set's settings."""
    rows = ["qid\ttext_a\ttext_b\tlabel"]
    for number in range(12):
        name, place = NAMES[number % 4], PLACES[number // 4]
        others = (f"{NAMES[(number + 1) % 4]}在{place}。", f"{name}没有说。")
        answers = [f"{name}在{place}。", *others]
        for turn in range(3):
            text = answers[(turn + number) % 3]
            rows.append(f"{number}\t{name}在哪里？\t{text}\t{int(text == answers[0])}")
    (folder / "candidates.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return {"name": "DBQA", "path": "candidates.tsv"}


def write_relations(folder: Path) -> dict[str, Any]:
    """Write texts that say who lives where, and who leads what; return the data set's settings."""
    rows = []
    for number in range(24):
        name, place = NAMES[number % 4], PLACES[number // 4 % 4]
        text = f"{name}住在{place}，是{place}大学校长。"
        home, school = text.index(place), text.index("，是") + 2
        found = {"居住地": (home, home + len(place)), "学校": (school, school + len(place) + 2)}
        spans = [{"predicate": kind, "subject": [0, len(name)], "object": span} for kind, span in found.items()]
        rows.append(json.dumps({"text": text, "spo_list": spans[: 1 + number % 2]}, ensure_ascii=False))
    (folder / "relations.json").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return {"name": "RelationDataset", "path": "relations.json"}


def write_choices(folder: Path) -> dict[str, Any]:
    """Write questions about where persons are, with two or three places to choose from; return the data's settings."""
    documents = []
    for number in range(24):
        name, place = NAMES[number % 4], PLACES[number // 4 % 4]
        others = [one for one in PLACES if one != place][: 1 + number % 2]
        choices = [*others, place] if number % 3 else [place, *others]
        entry = {"question": f"{name}在哪里？", "choice": choices, "answer": place}
        documents.append([[f"{name}在{place}。"], [entry], str(number)])
    (folder / "choices.json").write_text(json.dumps(documents, ensure_ascii=False), encoding="utf-8")
    return {"name": "C3Dataset", "path": "choices.json"}


def write_pairs_of_entities(folder: Path) -> dict[str, Any]:
    """Write sentences about persons and places, of which every third says nothing; return the data set's settings."""
    rows = []
    for number in range(24):
        person, place = ("Ann", "Bob", "Eve")[number % 3], ("Rome", "Oslo", "Lima", "Cairo")[number % 4]
        label, words = (("/born", "was born in"), ("/lives", "now lives in"), ("None", "has not seen"))[number // 2 % 3]
        mention = {"em1Text": person, "em2Text": place, "label": label}
        entities = [{"text": person, "label": "PERSON"}, {"text": place, "label": "CITY"}]
        row = {"sentText": f"They say {person} {words} {place} .", "relationMentions": [mention]}
        rows.append(json.dumps({**row, "entityMentions": entities}))
    (folder / "pairs_of_entities.json").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return {"name": "DistantRelations", "path": "pairs_of_entities.json"}


def write_passages(folder: Path) -> dict[str, Any]:
    """Write questions about where persons are, each with two or three passages; return the data set's settings."""
    rows = []
    for number in range(16):
        name, place = NAMES[number % 4], PLACES[number // 4 % 4]
        documents: list[dict[str, Any]] = [
            {"segmented_paragraphs": [["今天", "下雨", "。"]]} for _ in range(1 + number % 2)
        ]
        paragraph: list[str] = [*["今天"] * (number % 3 * 4), name, "在", place, "。"]
        documents.insert(number % 2, {"segmented_paragraphs": [paragraph], "most_related_para": 0})
        spot = paragraph.index(place)
        answer = {"answers": [place], "answer_docs": [number % 2], "answer_spans": [[spot, spot]]}
        question = {"question_id": number, "segmented_question": [name, "在", "哪里", "？"]}
        rows.append(json.dumps({**question, "documents": documents, **answer}, ensure_ascii=False))
    (folder / "passages.json").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return {"name": "DuReaderPassages", "path": "passages.json"}


def write_sentences(folder: Path) -> dict[str, Any]:
    """Write sentences and their translations, line by line; return the data set's settings."""
    names = ("Li", "Mei", "Wang")
    pairs = [(f"{name} ist in {place}.", f"{name} is in {place}.") for name in names for place in CITIES]
    for language, sentences in zip(("de", "en"), zip(*pairs)):
        (folder / f"sentences.{language}").write_text("\n".join(sentences) + "\n", encoding="utf-8")
    return {"name": "ParallelDataset", "source": "sentences.de", "target": "sentences.en"}


def write_talks(folder: Path) -> dict[str, Any]:
    """Write conversations with three responses each, of which the first one fits; return the data set's settings."""
    rows = []
    for number in range(10):
        name, place = NAMES[number % 4], PLACES[number // 4]
        replies = (f"在 {place}", f"在 {PLACES[number // 4 - 1]}", "没 有")
        rows += [f"{name} 在 {place} <eot> {name} 在 哪里\t{reply}\t{int(not i)}" for i, reply in enumerate(replies)]
    (folder / "talks.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return {"name": "ContextResponseRows", "path": "talks.txt", "end_of_turn": "<eot>", "candidates": 3}


def write_judged_talks(folder: Path) -> dict[str, Any]:
    """Write questions with replies that are judged from 0 to 2; return the data set's settings."""
    rows = [
        f"{name} 在 哪里\t{reply}\t{level}"
        for name in NAMES
        for level, reply in enumerate(("好", "不 知道", "在 西湖"))
    ]
    (folder / "judged.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return {"name": "ContextResponseRows", "path": "judged.txt", "numeric": True}


def write_led_talks(folder: Path) -> dict[str, Any]:
    """Write conversations of DuConv about where persons live; return the settings of their candidates."""
    rows = []
    for number in range(12):
        name, place = NAMES[number % 4], PLACES[number // 4]
        facts = [[name, "住在", place], [name, "领域", "明星"], ["西游", "领域", "电影"]]
        turns = [f"你 知道 {name} 吗", "他 住 哪里", f"{name} 住在 {place}"]
        talk = {"goal": [["START", name, "西游"]], "knowledge": facts, "conversation": turns}
        rows.append(json.dumps(talk, ensure_ascii=False))
    (folder / "led.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return {"name": "DuConvCandidates", "path": "led.txt", "candidates": 3}


def write_led_replies(folder: Path) -> dict[str, Any]:
    """Write the same; return the settings of what is replied."""
    return {"name": "DuConvReplies", "path": write_led_talks(folder)["path"]}


def write_parts(folder: Path) -> dict[str, Any]:
    """Write data of four tasks; return the settings of all of it."""
    parts = {"match": write_candidates, "kind": write_labels, "names": write_names}
    acts = {"name": "DrawnReviews", "split": "test", "count": 16}
    return {"name": "SeveralDatasets", "parts": {**{k: v(folder) for k, v in parts.items()}, "act": acts}}


PARTS = {
    "match": {"name": "Ranking", "recall_at": [1]},
    "kind": {"name": "MultiLabel"},
    "names": {"name": "TokenClassification"},
    "act": {"name": "Classification"},
}
SETS: dict[str, tuple[Mapping[str, Any], Callable[[Path], dict[str, Any]]]] = {
    "Classification": ({}, lambda folder: {"name": "DrawnReviews", "split": "test", "count": 24}),
    "MultiPerspective": ({}, lambda folder: {"name": "DrawnReviews", "split": "test", "count": 24}),
    "MultiLabel": ({"thresholds": [0.5, 0.4]}, write_labels),
    "Regression": ({}, write_pairs),
    "Ranking": ({"recall_at": [1, 2]}, write_candidates),
    "TokenClassification": ({}, write_names),
    "LexicalAnalysis": ({"segmentation": True}, write_names),
    "RelationExtraction": ({}, write_relations),
    "DistantRelation": ({"loop": 1}, write_pairs_of_entities),
    "QuestionAnswering": ({"metric": "SQuAD2", "stride": 16}, write_questions),
    "PassageReading": ({"passages": 3, "max_question": 8}, write_passages),
    "PairClassification": ({}, write_candidates),
    "Similarity": ({"threshold": 0.4}, write_candidates),
    "ResponseSelection": ({"turns": 2, "recall_at": [1, 2]}, write_talks),
    "KnowledgeSelection": ({"recall_at": [1]}, write_led_talks),
    "Reply": ({"max_length": 6}, write_led_replies),
    "ResponseQuality": ({}, write_judged_talks),
    "MultipleChoice": ({}, write_choices),
    "MultiTask": ({"parts": PARTS}, write_parts),
    "Pretraining": ({}, write_texts),
    "LanguageModel": ({}, lambda folder: {"name": "DrawnMarkovText", "split": "test", "count": 120}),
    "BidirectionalLanguageModel": (
        {"samples": 6},
        lambda folder: {"name": "DrawnMarkovText", "split": "test", "count": 40},
    ),
    "Translation": ({"beam_size": 2, "max_length": 12}, write_sentences),
    "VariationalGeneration": ({"kl_steps": 4, "max_length": 12}, write_sentences),
}
"""Of each task its settings, and what writes its data into a folder."""

OTHERWISE: dict[str, dict[str, Any]] = {
    "Similarity": {
        "network": {"name": "simnet_bow", "emb_dim": 8, "fc_size": 8},
        "train": {"name": "TriplesOfPairs", "pairs": {"name": "DBQA", "path": "candidates.tsv"}},
    },
    "DistantRelation": {"network": {"name": "arnor", "emb_dim": 8, "units": 8}, "segmenter": "spaces"},
    "PassageReading": {"network": {"name": "bidaf", "emb_dim": 8, "units": 8}},
    "ResponseSelection": {
        "network": {"name": "dam", "emb_dim": 8, "stacks": 1, "turns": 2, "max_length": 48, "channels": [2, 2]},
        "segmenter": "spaces",
    },
    "ResponseQuality": {"network": {"name": "ade", "emb_dim": 8, "units": 8}, "segmenter": "spaces"},
    "KnowledgeSelection": {
        "network": {
            **{"name": "duconv_retrieval", "hidden_size": 8, "layers": 1, "attention_heads": 2, "max_length": 48},
            **{"knowledge_length": 12, "fact_units": 4},
        },
        "segmenter": "spaces",
    },
    "Reply": {"network": {"name": "duconv_generation", "emb_dim": 8, "hidden_size": 8}, "segmenter": "spaces"},
    "LexicalAnalysis": {"network": {"name": "lac", "emb_dim": 8, "units": 8}},
    "LanguageModel": {"network": {"name": "rnn_lm", "hidden_size": 8}, "segmenter": "spaces", "shuffle": False},
    "BidirectionalLanguageModel": {
        "network": {"name": "elmo", "lstm_size": 12, "projection_size": 8},
        "segmenter": "spaces",
    },
    "Translation": {"network": TRANSLATOR, "tokenizer": {"name": "SubwordTokenizer"}},
    "VariationalGeneration": {
        "network": {"name": "seq2seq_variational", "embed_dim": 8, "hidden_size": 8, "latent_size": 4},
        "tokenizer": {"name": "SubwordTokenizer"},
    },
}
"""Tasks with networks on words, and perhaps other training data than the data that is evaluated."""


def experiment(task: str, folder: Path) -> Path:
    """Write the data and the config of an experiment; return the config's file.

    Args:
        task: one of :data:`SETS`.
        folder: to write into.
    """
    folder.mkdir(parents=True, exist_ok=True)
    settings, write = SETS[task]
    split = {"dataset": write(folder), "batch_size": 8, "batching": {"buckets": [32, 48]}}
    own = OTHERWISE.get(task, {})
    words = {"name": "ErnieTokenizer"}
    if own:
        words = {"name": "WordLevelTokenizer", "segmenter": own.get("segmenter", "characters")}
        words = own.get("tokenizer", words)
    config = {
        "output": str(folder / "run"),
        "task": {"name": task, **settings},
        "tokenizer": {**words, "learn": 300, "max_length": 48},
        "network": own.get("network", NETWORK),
        "data": {
            "root": str(folder),
            "train": {**split, "dataset": own.get("train", split["dataset"]), "shuffle": own.get("shuffle", True)},
            "valid": split,
            "test": split,
        },
        "optimizer": {"name": "AdamW"},
        "schedule": {"name": "Constant", "learning_rate": 0.01},
        "train": {"epochs": 2, "tensorboard": False},
    }
    file = folder / f"{task}.yaml"
    file.write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    return file


def trained(task: str, folder: Path) -> Path:
    """Train an experiment; return the run's folder."""
    assert train.main(["-c", str(experiment(task, folder))]) == 0
    return folder / "run"
