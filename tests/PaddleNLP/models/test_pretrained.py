"""Weights of every origin: folders of Fluid 1.x, Hugging Face's files, other tasks' heads, and what does not fit."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.weights import read_weights, write_pdparams, write_safetensors
from PaddleNLP.models.registry import create_model
from tests.core.weights.test_fluid import tensor
from tests.parity.PaddleNLP import model_cases as cases

SETTINGS = cases.FAMILIES["ernie"].settings
HUGGING_FACE = cases.FOLDER / "hugging_face"
SMALL = {
    "vocab_size": 40,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 20,
    "max_position_embeddings": 24,
    "type_vocab_size": 2,
}
OF_FLUID = {
    "word_embedding": "embeddings.word_embeddings.weight",
    "pos_embedding": "embeddings.position_embeddings.weight",
    "sent_embedding": "embeddings.token_type_embeddings.weight",
    "task_embedding": "embeddings.task_type_embeddings.weight",
    "pre_encoder_layer_norm_scale": "embeddings.layer_norm.weight",
    "pre_encoder_layer_norm_bias": "embeddings.layer_norm.bias",
    "pooled_fc.w_0": "pooler.dense.weight",
    "pooled_fc.b_0": "pooler.dense.bias",
}
OF_LAYERS = {
    "multi_head_att_query_fc.w_0": "self_attn.q_proj.weight",
    "multi_head_att_query_fc.b_0": "self_attn.q_proj.bias",
    "multi_head_att_key_fc.w_0": "self_attn.k_proj.weight",
    "multi_head_att_key_fc.b_0": "self_attn.k_proj.bias",
    "multi_head_att_value_fc.w_0": "self_attn.v_proj.weight",
    "multi_head_att_value_fc.b_0": "self_attn.v_proj.bias",
    "multi_head_att_output_fc.w_0": "self_attn.out_proj.weight",
    "multi_head_att_output_fc.b_0": "self_attn.out_proj.bias",
    "post_att_layer_norm_scale": "norm1.weight",
    "post_att_layer_norm_bias": "norm1.bias",
    "ffn_fc_0.w_0": "linear1.weight",
    "ffn_fc_0.b_0": "linear1.bias",
    "ffn_fc_1.w_0": "linear2.weight",
    "ffn_fc_1.b_0": "linear2.bias",
    "post_ffn_layer_norm_scale": "norm2.weight",
    "post_ffn_layer_norm_bias": "norm2.bias",
}
OF_HEADS = {
    "mask_lm_trans_fc.w_0": "cls.predictions.transform.weight",
    "mask_lm_trans_fc.b_0": "cls.predictions.transform.bias",
    "mask_lm_trans_layer_norm_scale": "cls.predictions.layer_norm.weight",
    "mask_lm_trans_layer_norm_bias": "cls.predictions.layer_norm.bias",
    "mask_lm_out_fc.b_0": "cls.predictions.decoder.bias",
    "next_sent_fc.w_0": "cls.seq_relationship.weight",
    "next_sent_fc.b_0": "cls.seq_relationship.bias",
}


def seeded(task: str, family: str = "ernie") -> dict[str, np.ndarray]:
    """Return the weights with which the stored outputs were made."""
    model = create_model(family, task, cases.CLASSES, **cases.FAMILIES[family].settings)
    return cases.weights(family, {key: value.shape for key, value in model.state_dict().items()})


def fluid_folder(folder: Path, values: Mapping[str, np.ndarray]) -> Path:
    """Write weights as Fluid 1.x did: a file for each, under its name of then."""
    names = {**OF_FLUID, **OF_HEADS, "cls_out_w": "classifier.weight", "cls_out_b": "classifier.bias"}
    for layer in range(SETTINGS["num_hidden_layers"]):
        names.update(
            {f"encoder_layer_{layer}_{old}": f"encoder.layers.{layer}.{new}" for old, new in OF_LAYERS.items()}
        )
    folder.mkdir()
    for old, new in names.items():
        value = values.get(f"ernie.{new}", values.get(new))
        if value is not None:
            (folder / old).write_bytes(tensor(value, 5))
    (folder / "learning_rate_0").write_bytes(tensor(np.ones(1, np.float32), 5))
    return folder


def assert_same(model: Any, task: str, family: str = "ernie") -> None:
    """Assert that a model says what paddlenlp's says with the seeded weights."""
    model.eval()
    official = np.load(cases.FOLDER / f"{family}.npz")
    given = {key: core.to_tensor(value) for key, value in cases.inputs(family, task).items()}
    outputs = model(**given)
    for index, one in enumerate(outputs if isinstance(outputs, tuple) else (outputs,)):
        wanted = official[f"{task} {index}"]
        assert np.abs(one.numpy() - wanted).max() <= 1e-4 * np.abs(wanted).max()


@pytest.mark.parametrize("task", ["sequence_classification", "pretraining", "encoder"])
def test_a_folder_of_fluid(task: str, tmp_path: Path) -> None:
    values = seeded(task)
    bare = {key if task != "encoder" else f"ernie.{key}": value for key, value in values.items()}
    path = fluid_folder(tmp_path / "params", bare)
    assert_same(create_model("ernie", task, cases.CLASSES, pretrained=path, **SETTINGS), task)


def test_one_file_of_fluid_without_names(tmp_path: Path) -> None:
    values = seeded("sequence_classification")
    folder = fluid_folder(tmp_path / "params", values)
    (folder / "learning_rate_0").unlink()
    path = tmp_path / "all"
    path.write_bytes(b"".join((folder / name).read_bytes() for name in sorted(one.name for one in folder.iterdir())))
    made = create_model("ernie", "sequence_classification", cases.CLASSES, pretrained=path, **SETTINGS)
    assert_same(made, "sequence_classification")


@pytest.mark.parametrize(
    ("name", "family", "task", "ending", "more"),
    [
        ("bert_pretraining", "bert", "pretraining", "bin", {}),
        ("bert_answers", "bert", "question_answering", "bin", {}),
        ("ernie_classes", "ernie", "sequence_classification", "safetensors", {"use_task_id": True}),
        ("roberta_words", "roberta", "masked_lm", "safetensors", {}),
        ("roberta_classes", "roberta", "sequence_classification", "safetensors", {}),
    ],
)
def test_files_of_hugging_face(
    name: str, family: str, task: str, ending: str, more: dict[str, Any], tmp_path: Path
) -> None:
    shutil.copy(
        HUGGING_FACE / f"{name}.{ending}", tmp_path / {"bin": "pytorch_model.bin"}.get(ending, "model.safetensors")
    )
    stored = np.load(HUGGING_FACE / "outputs.npz")
    model = create_model(family, task, 3, pretrained=tmp_path, **SMALL, **more)
    model.eval()
    outputs = model(core.to_tensor(stored["input_ids"]), core.to_tensor(stored["token_type_ids"]))
    for index, one in enumerate(outputs if isinstance(outputs, tuple) else (outputs,)):
        ours, wanted = one.numpy(), stored[f"{name} {index}"]
        if ours.shape[:2] == stored["input_ids"].shape:  # what is at padding has a vector in torch, none in Paddle
            ours, wanted = ours[stored["input_ids"] != 0], wanted[stored["input_ids"] != 0]
        assert np.abs(ours - wanted).max() <= 1e-4 * np.abs(wanted).max()


def test_the_first_names_of_normalisations(tmp_path: Path) -> None:
    values = read_weights(HUGGING_FACE / "bert_answers.bin")
    older = {
        key.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): value
        for key, value in values.items()
    }
    older["bert.embeddings.position_ids"] = np.arange(24)[None]
    write_safetensors(older, tmp_path / "older.safetensors")
    stored = np.load(HUGGING_FACE / "outputs.npz")
    model = create_model("bert", "question_answering", pretrained=tmp_path / "older.safetensors", **SMALL)
    model.eval()
    start, _ = model(core.to_tensor(stored["input_ids"]), core.to_tensor(stored["token_type_ids"]))
    np.testing.assert_allclose(start.numpy(), stored["bert_answers 0"], atol=1e-4)


def test_a_head_of_another_count_stays_fresh(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_pdparams(seeded("sequence_classification"), tmp_path / "three.pdparams")
    with caplog.at_level(logging.WARNING):
        model = create_model("ernie", num_classes=5, pretrained=tmp_path / "three.pdparams", **SETTINGS)
    assert "fresh: classifier.weight ([24, 3] -> [24, 5])" in caplog.text
    assert "fresh: classifier.bias ([3] -> [5])" in caplog.text
    assert model.classifier.weight.shape == [24, 5] and np.isfinite(model.classifier.weight.numpy()).all()
    np.testing.assert_array_equal(
        model.ernie.pooler.dense.weight.numpy(), seeded("sequence_classification")["ernie.pooler.dense.weight"]
    )


def test_another_tasks_head_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    values = seeded("pretraining")
    values["cls.predictions.decoder_weight"] = values.pop("cls.predictions.decoder.weight")  # paddlenlp before 2.4
    write_pdparams(values, tmp_path / "pretrained.pdparams")
    with caplog.at_level(logging.INFO):
        create_model("ernie", "token_classification", 7, pretrained=tmp_path / "pretrained.pdparams", **SETTINGS)
    assert "fresh: classifier.weight (not in the source)" in caplog.text
    assert "of another task, not used: cls.predictions.decoder.bias" in caplog.text
    assert_same(
        create_model("ernie", "pretraining", pretrained=tmp_path / "pretrained.pdparams", **SETTINGS), "pretraining"
    )


def test_a_pooler_that_the_file_lacks_stays_fresh(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    values = {key: value for key, value in seeded("encoder").items() if not key.startswith("pooler")}
    write_pdparams(values, tmp_path / "encoder.pdparams")
    create_model("ernie", pretrained=tmp_path / "encoder.pdparams", **SETTINGS)
    assert "fresh: ernie.pooler.dense.weight (not in the source)" in caplog.text


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"vocab_size": 70}, "of a vocabulary of 60 tokens, the model has 70: pass vocab_size=60, and the vocabulary"),
        ({"num_hidden_layers": 3}, "does not fit the model: it lacks 16 entries: ernie.encoder.layers.2"),
        ({"num_hidden_layers": 1}, "the model has no ernie.encoder.layers.1"),
        ({"max_position_embeddings": 64}, r"position_embeddings.weight \(\[32, 24\] -> \[64, 24\]\)"),
        ({"use_task_id": False}, "the model has no ernie.embeddings.task_type_embeddings.weight"),
    ],
)
def test_what_does_not_fit(settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    write_pdparams(seeded("encoder"), tmp_path / "encoder.pdparams")
    with pytest.raises(ValueError, match=message):
        create_model("ernie", pretrained=tmp_path / "encoder.pdparams", **{**SETTINGS, **settings})


def test_what_cannot_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="ernie stands for networks of any size, for which no weights are published"):
        create_model("ernie", pretrained=True)
    with pytest.raises(TypeError, match="pretrained must be a bool, a checkpoint's name or a path, not 3"):
        create_model("ernie", pretrained=3)
    with pytest.raises(FileNotFoundError, match="there are no weights 'ernie-1.00', and no such file; the nearest"):
        create_model("ernie", pretrained="ernie-1.00")
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        create_model("ernie", pretrained=tmp_path / "none.pdparams", **SETTINGS)


def test_weights_round_trip(tmp_path: Path) -> None:
    core.seed(5)
    model = create_model("bert", "masked_lm", **cases.FAMILIES["bert"].settings)
    core.save(model.state_dict(), str(tmp_path / "own.pdparams"))
    again = create_model("bert", "masked_lm", pretrained=tmp_path / "own.pdparams", **cases.FAMILIES["bert"].settings)
    assert again.cls.predictions.decoder.weight is again.bert.word_embeddings.weight
    for key, value in model.state_dict().items():
        np.testing.assert_array_equal(again.state_dict()[key].numpy(), value.numpy())


HEADS = {
    "architectures": ["BertForQuestionAnswering"],
    "layer_norm_eps": 1e-12,
    "torch_dtype": "float32",
    "id2label": {},
}


def test_a_familys_settings_come_from_the_folder(tmp_path: Path) -> None:
    shutil.copy(HUGGING_FACE / "bert_answers.bin", tmp_path / "pytorch_model.bin")
    (tmp_path / "config.json").write_text(json.dumps({**SMALL, **HEADS, "hidden_act": "relu", "pool_act": None}))
    model = create_model("bert", "question_answering", pretrained=tmp_path, hidden_dropout_prob=0.3)
    assert model.bert.hidden_act == "relu" and len(model.bert.encoder.layers) == 2 and model.dropout.p == 0.3
    nested = {"init_args": [{**SMALL, "init_class": "BertModel"}], "init_class": "BertForQuestionAnswering"}
    (tmp_path / "config.json").unlink()
    (tmp_path / "model_config.json").write_text(json.dumps(nested))
    assert create_model("bert", "encoder", pretrained=tmp_path).hidden_act == "gelu"


def test_a_folder_of_fluid_with_its_settings(tmp_path: Path) -> None:
    fluid_folder(tmp_path / "params", seeded("sequence_classification"))
    then = {("sent_type_vocab_size" if key == "type_vocab_size" else key): value for key, value in SETTINGS.items()}
    (tmp_path / "ernie_config.json").write_text(json.dumps(then))
    made = create_model("ernie", num_classes=3, pretrained=tmp_path)
    assert made.ernie.layer_norm_eps == 1e-5 and made.ernie.embeddings.type_vocab_size == 3
    same = create_model("ernie", num_classes=3, pretrained=tmp_path, layer_norm_eps=1e-12)
    assert_same(same, "sequence_classification")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"hidden_size": "wide"}', "config.json: hidden_size must be integer, not 'wide'"),
        ('{"hidden_size": 24', r"cannot read the settings in '.*config.json': Expecting ',' delimiter"),
        ("[" * 100_000, "it is nested too deeply"),
        ("[3]", "it holds no settings by name"),
        (" " * 1_000_001, "has more than 1,000,000 bytes, which no file of settings has"),
    ],
)
def test_settings_that_are_none(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(content)
    (tmp_path / "model_state.pdparams").write_bytes(b"")
    with pytest.raises(ValueError, match=message):
        create_model("ernie", pretrained=tmp_path)


def test_a_checkpoint_of_another_family() -> None:
    with pytest.raises(ValueError, match="the checkpoint 'bert-base-chinese' is of the family bert, not ernie"):
        create_model("ernie-1.0", pretrained="bert-base-chinese")
