"""Each named checkpoint has the parameters, the settings and the address of paddlenlp's own list."""

from __future__ import annotations

import json
import math

import pytest
from pydantic_core import PydanticCustomError

import core
import PaddleNLP
from core.train.config.table import Component
from PaddleNLP.models.registry import FAMILIES, MODELS, create_model
from PaddleNLP.models.weights import ALIASES, CHECKPOINTS
from tests.parity.PaddleNLP import model_cases as cases

OFFICIAL = {
    name: facts
    for family in FAMILIES
    if (cases.FOLDER / f"{family}.json").exists()
    for name, facts in json.loads((cases.FOLDER / f"{family}.json").read_text()).items()
}
ARCHIVES = [name for name, checkpoint in CHECKPOINTS.items() if checkpoint.record.url.endswith(".tar.gz")]
GPT2 = {"gpt2-en": 124439808, "gpt2-medium-en": 354823168, "gpt2-large-en": 774030080, "gpt2-xl-en": 1557611200}
"""GPT-2's numbers of parameters in transformers; paddlenlp has addresses of its files, but not its sizes."""

OTHER_NAMES = {
    "xlnet": {"num_attention_heads": "n_head", "hidden_act": "ff_activation", "hidden_dropout_prob": "dropout"}
}
"""Names of settings here by their names in the official lists, where they differ."""

ENGLISH_ROBERTA = {"roberta-base": 124645632, "roberta-large": 355359744}
"""RoBERTa's numbers of parameters in transformers; paddlenlp has addresses of its tokenisers, but not its sizes."""

QUICK = ("ernie-1.0", "uie-nano", "utc-pico", "bert-base-chinese", "hfl/rbt3", "electra-small", "xlnet-base-cased")
NAMES = [
    name if name in QUICK else pytest.param(name, marks=pytest.mark.zoo)
    for name in CHECKPOINTS
    if name not in ARCHIVES and name not in GPT2 and name not in ENGLISH_ROBERTA
]


@pytest.mark.parametrize("name", NAMES)
def test_parameters_settings_and_address(name: str) -> None:
    facts = OFFICIAL[name]
    with core.LazyGuard():
        encoder = create_model(name, "encoder")
    assert sum(parameter.size for parameter in encoder.parameters()) == facts["count"]
    assert cases.checksum({key: value.shape for key, value in encoder.state_dict().items()}) == facts["names"]
    described = json.loads(json.dumps(facts["settings"]))
    names = OTHER_NAMES.get(CHECKPOINTS[name].family, {})
    parameters = MODELS._parameters(name)
    assert {key: parameters[names.get(key, key)].default for key in described} == described
    assert CHECKPOINTS[name].record.url == facts["url"].replace("http://", "https://")


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.zoo) for name in GPT2])
def test_parameters_of_gpt_2(name: str) -> None:
    with core.LazyGuard():
        model = create_model(name, "language_model")
    assert sum({id(one): one.size for one in model.parameters()}.values()) == GPT2[name]


@pytest.mark.parametrize("name", ["roberta-base", pytest.param("roberta-large", marks=pytest.mark.zoo)])
def test_parameters_of_english_roberta(name: str) -> None:
    with core.LazyGuard():
        encoder = create_model(name, "encoder")
    assert sum(one.size for one in encoder.parameters()) == ENGLISH_ROBERTA[name]
    assert encoder.max_length == 512 and encoder.layer_norm_eps == 1e-5


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives_of_fluid(name: str) -> None:
    with core.LazyGuard():
        encoder = create_model(name, "encoder")
    get = {key: one.default for key, one in MODELS._parameters(name).items()}
    layers, width, inner = get["num_hidden_layers"], get["hidden_size"], get["intermediate_size"]
    tasks = get["task_type_vocab_size"] if get.get("use_task_id") else 0
    rows = get["vocab_size"] + get["max_position_embeddings"] + get["type_vocab_size"] + tasks
    layer = 4 * (width * width + width) + width * inner + inner + inner * width + width + 4 * width
    assert sum(one.size for one in encoder.parameters()) == rows * width + 2 * width + layers * layer + width * (
        width + 1
    )
    assert get["layer_norm_eps"] == 1e-5 and math.isclose(encoder.embeddings.layer_norm._epsilon, 1e-5)


def test_names_and_aliases() -> None:
    assert PaddleNLP.list_models("ERNIE-1.0*") == [
        *("ernie-1.0", "ernie-1.0-base-zh", "ernie-1.0-base-zh-cw", "ernie-1.0-large-zh-cw")
    ]
    assert MODELS.find("roberta-wwm-ext") == ALIASES["roberta-wwm-ext"] == "hfl/roberta-wwm-ext"
    with pytest.raises(
        ValueError, match="unknown language model 'ernie-4.0-base-zh'; the nearest are 'ernie-3.0-base-zh'"
    ):
        create_model("ernie-4.0-base-zh")
    with pytest.raises(ValueError, match="unknown task 'tokens'; the nearest is"):
        create_model("ernie", "tokens")
    with pytest.raises(TypeError, match="ernie takes no setting 'num_layers'; the nearest is 'num_hidden_layers'"):
        create_model("ernie", num_layers=2)


def test_a_config_names_a_model_with_its_settings() -> None:
    checked = MODELS.check(Component(name="ernie-3.0-nano-zh", num_hidden_layers=2, dropout=0.2))
    assert "hidden_size: 312, num_hidden_layers: 4," in MODELS.describe(checked.name)
    with core.LazyGuard():
        made = MODELS.build(checked, task="token_classification", num_classes=7)
    assert made.classifier.weight.shape == [312, 7] and len(made.ernie.encoder.layers) == 2 and made.dropout.p == 0.2
    with pytest.raises(PydanticCustomError, match="num_hidden_layers must be integer, not 2.5"):
        MODELS.check(Component(name="ernie", num_hidden_layers=2.5))


PUBLISHED = [name for name in FAMILIES if (cases.FOLDER / f"{name}.json").exists()]


def test_families_with_records_have_facts_beside_the_reference_models() -> None:
    assert {record.family for record in CHECKPOINTS.values()} == set(PUBLISHED)


@pytest.mark.parametrize("family", PUBLISHED)
def test_every_published_file_has_a_record(family: str) -> None:
    facts = json.loads((cases.FOLDER / f"{family}.json").read_text())
    published = {name for name, fact in facts.items() if fact["url"]}
    assert published and published <= CHECKPOINTS.keys()
    assert {CHECKPOINTS[name].family for name in published} == {family}
