# ruff: noqa: E501 -- a table of mistakes reads best with one per line
"""The section ``optimizer`` of configs: its keys, and numbers against recurrences and against Paddle's."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any, Optional

import numpy as np
import pydantic
import pytest

import core
from core import nn
from core.amp import is_bfloat16_supported
from core.train import Callback, ConfigError, Phase, Section, Trainer, TrainingInterrupted
from core.train.checkpoints.state_files import read_optimizer, write_optimizer
from core.train.config.optimizers import (
    OPTIMIZERS,
    Optimized,
    OptimizerChoice,
    OptimizerSection,
    build_optimizer,
    describe_groups,
)
from core.train.config.schedules import ScheduleChoice
from core.train.config.schema import describe_schema, load_config, save_config, tables_of
from core.train.config.table import Component
from core.train.logs.announcement import announcement
from tests.core.optimizer import recurrences
from tests.core.train.grouped_network import GRADIENTS, SHAPES, VALUES, depth
from tests.core.train.regression import Regression, assert_same_weights, trainer_for
from tests.fuzz import bounds, cases, mutated


class Config(Section):
    optimizer: OptimizerChoice = pydantic.Field(description="an optimizer of core.optimizer with its arguments")
    schedule: ScheduleChoice


WHOLE = """\
optimizer:
  name: AdamW
  weight_decay: 0.05
  decay_norm_and_bias: false
  clip: {norm: 1}
  groups:
    - {parameters: ["backbone.*"], learning_rate: 0.1}
    - {parameters: ["stem.*", "blocks.0.*"], frozen: true}
    - parameters: ["head.*"]
      weight_decay: 0.0
      schedule: {name: Cosine, learning_rate: 0.02}
  layer_decay: {factor: 0.75, layers: ["embeddings.*", "encoder.layers.{}.*", ["norm.*", "head.*"]]}
schedule: {name: Cosine, learning_rate: 0.1}
"""


def loaded(folder: Path, text: str, *overrides: str) -> Config:
    path = folder / "run.yaml"
    path.write_text(text)
    return load_config(Config, path, overrides)


def test_what_was_valid_before_is_valid_still(tmp_path: Path) -> None:
    text = "optimizer: {name: Momentum, momentum: 0.9}\nschedule: {name: Constant, learning_rate: 0.1}\n"
    section = loaded(tmp_path, text).optimizer
    assert (section.name, section.arguments) == ("Momentum", {"momentum": 0.9})
    assert (section.clip, section.groups, section.layer_decay, section.decay_norm_and_bias) == (None, [], None, True)


def test_a_saved_config_reads_back_equal(tmp_path: Path) -> None:
    config = loaded(tmp_path, WHOLE, "optimizer.groups.0.learning_rate=0.2", "optimizer.clip.norm=2")
    assert config.optimizer.groups[0].learning_rate == 0.2 and config.optimizer.clip.norm == 2.0
    save_config(config, tmp_path / "saved.yaml")
    assert load_config(Config, tmp_path / "saved.yaml") == config


ADAM = "name, clip, decay_norm_and_bias, groups, layer_decay, beta1, beta2, epsilon, weight_decay, lazy_mode, multi_precision, use_multi_tensor"
MISTAKES = {
    "group: []": f"run.yaml:3: unknown key 'optimizer.group'; the nearest valid key is 'optimizer.groups' (valid here: {ADAM})",
    "beta: 0.9": f"run.yaml:3: unknown key 'optimizer.beta'; the nearest valid key is 'optimizer.beta2' (valid here: {ADAM})",
    "beta1: x": "run.yaml:3: optimizer: Adam: beta1 must be number, not 'x'",
    "beta1: 1": "run.yaml:3: optimizer: Adam: beta1 must be less than 1, not 1",
    "learning_rate: 0.1": "run.yaml:3: optimizer: learning_rate is in the section schedule too: remove it here",
    "grad_clip: 1": "run.yaml:3: unknown key 'optimizer.grad_clip'",
    "weight_decay: -1": "run.yaml:3: optimizer: Adam: weight_decay must be greater than or equal to 0, not -1",
    "weight_decay: much": "run.yaml:3: optimizer: Adam: weight_decay must be number or null, not 'much'",
    "decay_norm_and_bias: 0": "run.yaml:3: optimizer.decay_norm_and_bias must be a valid boolean, not 0",
    "clip: {norm: 0}": "run.yaml:3: optimizer.clip.norm must be greater than 0, not 0",
    "clip: {nrm: 1}": "run.yaml:3: unknown key 'optimizer.clip.nrm'; the nearest valid key is 'optimizer.clip.norm' (valid here: norm, norm_of_each, value)",
    "clip: {}": "run.yaml:3: optimizer.clip: give one of norm, norm_of_each, value, not none of them",
    "clip: {norm: 1, value: 1}": "run.yaml:3: optimizer.clip: give one of norm, norm_of_each, value, not norm and value",
    "clip: 1": "run.yaml:3: optimizer.clip must have the keys norm, norm_of_each, value, not 1",
    "groups: [{parameters: [a], learning_rat: 1}]": "run.yaml:3: unknown key 'optimizer.groups.0.learning_rat'; the nearest valid key is 'optimizer.groups.0.learning_rate' (valid here: parameters, learning_rate, weight_decay, schedule, frozen)",
    "groups: [{learning_rate: 1}]": "run.yaml:3: the key 'optimizer.groups.0.parameters' is missing",
    "groups: [{parameters: []}]": "run.yaml:3: optimizer.groups.0.parameters: needs at least one shell pattern of parameter names, as in [backbone.*]",
    "groups: [{parameters: ['']}]": "run.yaml:3: optimizer.groups.0.parameters: a shell pattern of parameter names has 1 to 1000 characters and at most 3 {}, not ''",
    "groups: [{parameters: a}]": "run.yaml:3: optimizer.groups.0.parameters must be a valid list, not 'a'",
    "groups: [{parameters: [a], learning_rate: 0}]": "run.yaml:3: optimizer.groups.0.learning_rate must be greater than 0, not 0",
    "groups: [{parameters: [a], weight_decay: -0.1}]": "run.yaml:3: optimizer.groups.0.weight_decay must be greater than or equal to 0, not -0.1",
    "groups: [{parameters: [a], frozen: true, learning_rate: 0.1}]": "run.yaml:3: optimizer.groups.0: frozen parameters do not learn: remove learning_rate, or set frozen: false",
    "groups: [{parameters: [a], schedule: {name: Cosin}}]": "run.yaml:3: optimizer.groups.0.schedule: unknown schedule 'Cosin'; the nearest is 'Cosine', of: Constant, Cosine, CosineRestarts, Piecewise, Linear, Polynomial, Exponential",
    "groups: [{parameters: [a], schedule: {name: Cosine, learning_rate: 0}}]": "run.yaml:3: optimizer.groups.0.schedule: Cosine: learning_rate must be greater than 0, not 0",
    "layer_decay: {factor: 1.5, layers: [a]}": "run.yaml:3: optimizer.layer_decay.factor must be less than or equal to 1, not 1.5",
    "layer_decay: {factor: 0.5, layers: []}": "run.yaml:3: optimizer.layer_decay.layers: needs at least one layer, as in [embeddings.*, blocks.{}.*, head.*]",
    "layer_decay: {factor: 0.5, layers: [a, 3]}": "run.yaml:3: optimizer.layer_decay.layers.1 must be a valid list, not 3",
    "layer_decay: {factor: 0.5, layers: ['{}{}{}{}']}": "run.yaml:3: optimizer.layer_decay.layers.0: a shell pattern of parameter names has 1 to 1000 characters and at most 3 {}, not '{}{}{}{}'",
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_one_line_with_file_line_and_key(tmp_path: Path, mistake: str) -> None:
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, f"optimizer:\n  name: Adam\n  {mistake}\nschedule: {{name: Constant, learning_rate: 0.1}}\n")
    message = str(caught.value).replace(str(tmp_path) + "/", "")
    assert message.startswith(MISTAKES[mistake]) and "\n" not in message


@pytest.mark.parametrize(
    ("name", "argument", "message"),
    [
        ("Momentum", "momentum: 2", "Momentum: momentum must be less than 1, not 2"),
        ("Momentum", "momentum: -0.5", "Momentum: momentum must be greater than or equal to 0, not -0.5"),
        ("RMSProp", "momentum: 1.0", "RMSProp: momentum must be less than 1, not 1.0"),
        ("Adadelta", "rho: 1.5", "Adadelta: rho must be less than 1, not 1.5"),
    ],
)
def test_what_decays_is_a_share(tmp_path: Path, name: str, argument: str, message: str) -> None:
    text = f"optimizer:\n  name: {name}\n  {argument}\nschedule: {{name: Constant, learning_rate: 0.1}}\n"
    with pytest.raises(ConfigError, match=rf"run.yaml:3: optimizer: {message}$"):
        loaded(tmp_path, text)


def test_keys_are_listed_with_types_defaults_and_meaning() -> None:
    lines = describe_schema(Config)
    assert lines[0] == (
        "optimizer (a name with its arguments; required): an optimizer of core.optimizer with its arguments; "
        f"of {', '.join(OPTIMIZERS.entries)}"
    )
    assert "optimizer.clip.value (number or null; default None): the largest magnitude of a gradient's elements" in lines
    rate = "optimizer.groups.NUMBER.learning_rate (number; default 1.0): a factor on the learning rate of the schedule"
    assert rate in lines
    assert any(line.startswith("optimizer.layer_decay.factor (number; required): ") for line in lines)
    assert {key: table.kind for key, table in tables_of(Config).items()} == {
        "optimizer": "optimizer",
        "schedule": "schedule",
    }


# numbers


class Grouped(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(3, 4)
        self.blocks = nn.LayerList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.norm = nn.BatchNorm1D(4)
        self.head = nn.Linear(4, 2)
        for name, parameter in self.named_parameters():
            if name in VALUES:
                parameter.set_value(VALUES[name])


def optimized(network: Any, section: dict[str, Any], schedule: Optional[dict[str, Any]] = None) -> Optimized:
    """Build an optimizer for six steps in two epochs."""
    checked = pydantic.TypeAdapter(OptimizerChoice).validate_python(section)
    chosen = Component.model_validate(schedule or {"name": "Cosine", "learning_rate": 0.1})
    return build_optimizer(checked, chosen, {"model": network}, steps_per_epoch=3, epochs=2)


def trained(network: Any, found: Optimized) -> np.ndarray:
    """Take a step with each of GRADIENTS; return all weights after each step: shape (steps, numbers)."""
    parameters = {name: value for name, value in network.named_parameters() if name in SHAPES}
    rows = []
    for gradients in GRADIENTS:
        for name, parameter in parameters.items():
            if not parameter.stop_gradient:
                (parameter * core.to_tensor(gradients[name])).sum().backward()
        found.optimizer.step()
        found.optimizer.clear_grad(set_to_zero=False)
        found.schedule.step()
        rows.append(np.concatenate([parameters[name].numpy().reshape(-1) for name in SHAPES]))
    return np.array(rows)


def cosine(rate: float, step: int) -> float:
    return rate * (1 + np.cos(np.pi * step / 6)) / 2


RULES = {
    "SGD": ({}, lambda decay: recurrences.SGD()),
    "Momentum": ({"momentum": 0.8}, lambda decay: recurrences.Momentum(0.8)),
    "Adam": ({"epsilon": 1e-3}, lambda decay: recurrences.Adam(0.9, 0.999, 1e-3)),
    "RMSProp": ({"rho": 0.9, "epsilon": 1e-3}, lambda decay: recurrences.RMSProp(0.9, 1e-3)),
    "AdamW": ({"epsilon": 1e-3}, lambda decay: recurrences.Adam(0.9, 0.999, 1e-3, decay)),
    "Lamb": ({"epsilon": 1e-3}, lambda decay: recurrences.Lamb(0.9, 0.999, 1e-3, decay)),
}
CLIPS = {
    "norm": ({"norm": 1.5}, lambda gradients: recurrences.by_global_norm(gradients, 1.5)),
    "norm_of_each": ({"norm_of_each": 0.7}, lambda gradients: recurrences.by_norm(gradients, 0.7)),
    "value": ({"value": 0.4}, lambda gradients: recurrences.by_value(gradients, -0.4, 0.4)),
    "none": (None, lambda gradients: gradients),
}


def expected_trajectory(name: str, clip: str) -> np.ndarray:
    """Return by hand what groups, layers and clipping make of GRADIENTS; see the section in the test."""
    learning = [key for key in SHAPES if not key.startswith("blocks.0")]
    decays = {key: 0.0 if len(SHAPES[key]) < 2 else 0.3 if key.startswith("head") else 0.05 for key in SHAPES}
    factors = {key: 0.5 ** depth(key) * (0.1 if key.startswith("stem") else 1.0) for key in SHAPES}
    weights = {key: value.astype(np.float64) for key, value in VALUES.items()}
    decoupled = name in ("AdamW", "Lamb")
    states = {key: RULES[name][1](decays[key]) for key in learning}
    rows = []
    for step, gradients in enumerate(GRADIENTS):
        clipped = CLIPS[clip][1]([gradients[key].astype(np.float64) for key in learning])
        for key, gradient in zip(learning, clipped):
            base = 0.02 if key.startswith("head") else cosine(0.1, step)
            effective = gradient if decoupled else gradient + decays[key] * weights[key]
            weights[key] = states[key].step(weights[key], effective, base * factors[key])
        rows.append(np.concatenate([weights[key].reshape(-1) for key in SHAPES]))
    return np.array(rows)


@pytest.mark.parametrize(("name", "clip"), [(name, "norm") for name in RULES] + [("AdamW", clip) for clip in CLIPS])
def test_groups_layers_and_clipping_against_the_recurrences(name: str, clip: str) -> None:
    section = {
        "name": name,
        **RULES[name][0],
        "lamb_weight_decay" if name == "Lamb" else "weight_decay": 0.05,
        "decay_norm_and_bias": False,
        "clip": CLIPS[clip][0],
        "groups": [
            {"parameters": ["stem.*"], "learning_rate": 0.1},
            {"parameters": ["blocks.0.*"], "frozen": True},
            {"parameters": ["head.*"], "weight_decay": 0.3, "schedule": {"name": "Constant", "learning_rate": 0.02}},
        ],
        "layer_decay": {"factor": 0.5, "layers": ["stem.*", "blocks.{}.*", ["norm.*", "head.*"]]},
    }
    network = Grouped()
    found = trained(network, optimized(network, section))
    np.testing.assert_allclose(found, expected_trajectory(name, clip), rtol=2e-5, atol=2e-6)


NO_DECAY = {"decay_norm_and_bias": False}
PADDLE = {
    "momentum": {
        "name": "Momentum",
        "weight_decay": 0.02,
        "clip": {"value": 0.7},
        "groups": [
            {"parameters": ["stem.*", "blocks.*"], "learning_rate": 0.1},
            {"parameters": ["head.*"], "weight_decay": 0.3},
        ],
    },
    "adamw": {
        "name": "AdamW",
        "weight_decay": 0.1,
        "clip": {"norm": 1.0},
        "layer_decay": {"factor": 0.75, "layers": ["stem.*", "blocks.{}.*", ["norm.*", "head.*"]]},
    },
    "lamb": {"name": "Lamb", "lamb_weight_decay": 0.05, "clip": {"norm": 1.0}},
}


@pytest.mark.parametrize("name", PADDLE)
def test_paddles_numbers(name: str) -> None:
    references = np.load(Path(__file__).parent / "data" / "paddle_groups.npz")
    network = Grouped()
    found = trained(network, optimized(network, {**PADDLE[name], **NO_DECAY}))
    np.testing.assert_allclose(found, references[name], rtol=2e-6, atol=1e-6)


def test_the_networks_own_factors_and_regularizers_count_beside_those_of_groups() -> None:
    network = nn.Linear(
        2, 2, nn.ParamAttr(learning_rate=0.5), nn.ParamAttr(regularizer=core.regularizer.L2Decay(0.25))
    )
    section = {"name": "SGD", "weight_decay": 0.1, "groups": [{"parameters": ["*"], "learning_rate": 0.5}]}
    found = optimized(network, section)
    assert describe_groups(found.optimizer) == ["*: 2 parameters (6 numbers), learning rate 0.025 to 0.05, weight decay 0.1 to 0.25"]
    again = optimized(network, section)  # the network has not changed by being asked
    assert again.optimizer._learning_rates([network.weight]) == pytest.approx([0.025])


def test_numbers_out_of_range_are_told_with_their_section() -> None:
    network = nn.Linear(2, 2)
    with pytest.raises(ValueError, match="RMSProp: rho must be greater than or equal to 0, not -1.0"):
        optimized(network, {"name": "RMSProp", "rho": -1.0})
    late = {"name": "Piecewise", "learning_rate": 0.1, "decay_epochs": [3.0, 2.0]}
    with pytest.raises(ValueError, match=r"^schedule: decay_epochs \[3.0, 2.0\] must rise"):
        optimized(network, {"name": "Adam"}, late)
    with pytest.raises(ValueError, match=r"^optimizer.groups.0.schedule: decay_epochs \[3.0, 2.0\] must rise"):
        optimized(network, {"name": "Adam", "groups": [{"parameters": ["*"], "schedule": late}]})
    with pytest.raises(ValueError, match="^optimizer: the network has no parameters to train$"):
        optimized(nn.ReLU(), {"name": "Adam"})
    with pytest.raises(ValueError, match="^generator.optimizer.groups.0.parameters: 'x' fits no parameter"):
        section = OptimizerSection.model_validate({"name": "Adam", "groups": [{"parameters": ["x"]}]})
        schedule = Component.model_validate({"name": "Constant", "learning_rate": 0.1})
        build_optimizer(section, schedule, {"g": network}, steps_per_epoch=1, epochs=1, prefix="generator.")


# groups in words


def test_groups_are_described() -> None:
    network = Grouped()
    section = {
        "name": "AdamW",
        "weight_decay": 0.05,
        "decay_norm_and_bias": False,
        "groups": [
            {"parameters": ["stem.*"], "learning_rate": 0.1},
            {"parameters": ["norm.*"], "frozen": True},
            {"parameters": ["head.weight"], "weight_decay": 0.0, "schedule": {"name": "Linear", "learning_rate": 0.02}},
        ],
        "layer_decay": {"factor": 0.5, "layers": ["stem.*", "blocks.{}.*", "head.*"]},
    }
    assert describe_groups(optimized(network, section).optimizer) == [
        "stem.*: 2 parameters (16 numbers), learning rate 0.00125, weight decay 0.05 (1 without)",
        "norm.*: 2 parameters (8 numbers), frozen",
        "head.weight: 1 parameter (8 numbers), learning rate 0.02 (Linear, its own schedule), no weight decay",
        "all others: 5 parameters (42 numbers), learning rate 0.025 to 0.1, weight decay 0.05 (3 without)",
    ]


def test_an_optimizer_with_one_way_of_learning_needs_no_description() -> None:
    assert describe_groups(optimized(nn.Linear(2, 2), {"name": "Adam"}).optimizer) == []
    assert describe_groups(core.optimizer.SGD(parameters=nn.Linear(2, 2).parameters())) == []
    found = optimized(nn.Linear(2, 2), {"name": "Adam", "decay_norm_and_bias": False, "weight_decay": 0.1})
    assert describe_groups(found.optimizer) == [
        "all: 2 parameters (6 numbers), learning rate 0.1, weight decay 0.1 (1 without)"
    ]


# runs


class GroupedRegression(Regression):
    """The regression with an optimizer section."""

    def __init__(self, section: dict[str, Any], **settings: Any) -> None:
        super().__init__(noise=0.3, dropout=0.5, batch_size=3, **settings)
        self.section = section

    def phases(self, steps_per_epoch: int, epochs: int) -> list[Phase]:
        checked = pydantic.TypeAdapter(OptimizerChoice).validate_python(self.section)
        schedule = Component.model_validate({"name": "Cosine", "learning_rate": 0.05, "warmup_epochs": 1})
        found = build_optimizer(checked, schedule, self.networks, steps_per_epoch=steps_per_epoch, epochs=epochs)
        return [Phase("fit", self.loss, *found)]


SECTION = {
    "name": "AdamW",
    "weight_decay": 0.05,
    "decay_norm_and_bias": False,
    "clip": {"norm": 0.5},
    "groups": [
        {"parameters": ["0.bias"], "frozen": True},
        {"parameters": ["0.*"], "schedule": {"name": "Linear", "learning_rate": 0.02}},
    ],
    "layer_decay": {"factor": 0.75, "layers": ["{}.*"]},
}


class Killed(BaseException):
    """Nothing is saved when it comes."""


class Disturbance(Callback):
    """Ends a run in the middle of an epoch: at step 6 as a kill does, at step 10 as Ctrl-C."""

    def __init__(self, kill: bool) -> None:
        self.kill = kill

    def on_step_begin(self, trainer: Trainer) -> None:
        if trainer.progress.step == 6 and self.kill:
            raise Killed
        if trainer.progress.step == 10:
            signal.raise_signal(signal.SIGINT)


WAYS = [
    pytest.param("float32", True, id="compiled"),
    pytest.param("float32", False, id="eager", marks=pytest.mark.exhaustive),
    pytest.param("bfloat16", True, id="compiled, bfloat16", marks=pytest.mark.exhaustive),
    pytest.param("bfloat16", False, id="eager, bfloat16"),
]


@pytest.mark.parametrize(("precision", "compiled"), WAYS)
def test_a_run_with_own_schedules_resumes_bit_for_bit(tmp_path: Path, precision: str, compiled: bool) -> None:
    if precision == "bfloat16" and not is_bfloat16_supported():
        pytest.skip("this device does not compute in bfloat16")
    options = {"accumulate": 2, "ema": 0.9, "compiled": compiled, "precision": precision}
    whole = GroupedRegression(SECTION)
    trainer_for(whole, tmp_path / "whole", **options).fit()
    with pytest.raises(Killed):
        trainer_for(GroupedRegression(SECTION), tmp_path / "parts", [Disturbance(kill=True)], **options).fit()
    trainer = trainer_for(GroupedRegression(SECTION), tmp_path / "parts", [Disturbance(kill=False)], resume=True, **options)
    assert trainer.resume() and trainer.progress.step == 4
    with pytest.raises(TrainingInterrupted):
        trainer.fit()
    second = GroupedRegression(SECTION)
    trainer = trainer_for(second, tmp_path / "parts", resume=True, **options)
    assert trainer.resume() and trainer.progress.step == 11
    trainer.fit()
    assert_same_weights(whole.network, second.network)


def test_frozen_parameters_have_no_gradient_and_no_state(tmp_path: Path) -> None:
    task = GroupedRegression(SECTION)
    frozen = task.network[0].bias
    start = frozen.numpy().copy()
    trainer = trainer_for(task, tmp_path / "run", epochs=1)
    trainer.fit()
    np.testing.assert_array_equal(frozen.numpy(), start)
    (phase,) = trainer.phases
    assert frozen.grad is None and not any(parameter is frozen for parameter in phase.parameters)
    owners = {name for name in phase.optimizer.state_dict() if "moment1" in name}
    assert len(owners) == len(phase.parameters) == 3 and not any(name.startswith(frozen.name) for name in owners)


def test_a_run_says_at_its_start_how_groups_learn(tmp_path: Path) -> None:
    lines = announcement(trainer_for(GroupedRegression(SECTION), tmp_path / "run"))
    assert lines[0].startswith("fit: 25 trainable parameters, AdamW, learning rate 0.005")
    assert lines[1:4] == [
        "  0.bias: 1 parameter (8 numbers), frozen",
        "  0.*: 1 parameter (16 numbers), learning rate 0.015 (Linear, its own schedule), weight decay 0.05",
        "  all others: 2 parameters (9 numbers), learning rate 0.005556, weight decay 0.05 (1 without)",
    ]


def test_other_groups_than_a_run_began_with_are_reported(tmp_path: Path) -> None:
    trainer_for(GroupedRegression(SECTION), tmp_path / "run", epochs=1).fit()
    other = GroupedRegression({"name": "AdamW", "weight_decay": 0.05})
    trainer = trainer_for(other, tmp_path / "run", resume=True, epochs=2)
    with pytest.raises(ValueError, match=r"the run began with schedules for 0\.\*, and now there are some for no group"):
        trainer.resume()


# runs of earlier versions


def old_optimizer(network: Any, groups: str) -> Optimized:
    """Build what PaddleClas made of ``decay_norm_and_bias: false``, or PGL of ``decays: {"head.*": 0.5}``."""
    schedule = core.optimizer.lr.CosineAnnealingDecay(0.1, T_max=6)
    named = [(name, value) for name, value in network.named_parameters() if not value.stop_gradient]
    if groups == "decay_norm_and_bias":
        split: Any = [
            {"params": [value for _, value in named if value.ndim > 1]},
            {"params": [value for _, value in named if value.ndim <= 1], "weight_decay": 0.0},
        ]
    else:
        split = [
            {"params": [value for name, value in named if not name.startswith("head.")]},
            {"params": [value for name, value in named if name.startswith("head.")], "weight_decay": 0.5},
        ]
    optimizer = core.optimizer.AdamW(schedule, parameters=split, weight_decay=0.05)
    return Optimized([value for _, value in named], optimizer, schedule)


@pytest.mark.parametrize("groups", ["decay_norm_and_bias", "decays"])
def test_the_state_of_earlier_groups_continues_to_the_same_bits(tmp_path: Path, groups: str) -> None:
    own = {"decay_norm_and_bias": False} if groups == "decay_norm_and_bias" else {"groups": [{"parameters": ["head.*"], "weight_decay": 0.5}]}
    old_network, new_network = Grouped(), Grouped()
    old = old_optimizer(old_network, groups)
    trained(old_network, old)
    write_optimizer(tmp_path, "fit", old.optimizer, {"model": old_network})
    new = optimized(new_network, {"name": "AdamW", "weight_decay": 0.05, **own})
    read_optimizer(tmp_path, "fit", new.optimizer, {"model": new_network})
    new_network.set_state_dict(old_network.state_dict())
    np.testing.assert_array_equal(trained(new_network, new), trained(old_network, old))
    assert new.schedule() == old.schedule()


def test_damaged_sections_are_read_or_refused(tmp_path: Path) -> None:
    for number in cases(150):
        file = tmp_path / "run.yaml"
        file.write_bytes(mutated(number, [WHOLE.encode()]))
        with bounds():
            try:
                config = load_config(Config, file)
            except ConfigError as error:
                assert all(line.startswith(str(file)) and len(line) < 2000 for line in str(error).splitlines()), number
                continue
        save_config(config, tmp_path / "again.yaml")
        assert load_config(Config, tmp_path / "again.yaml") == config, number
