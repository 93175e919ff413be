from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import pytest

import core
import PaddleGAN
from core.train.config.schema import ConfigError, Section, load_config
from core.train.config.table import Component, Named
from core.weights import WeightRecord
from PaddleGAN.models import pretrained, weights
from PaddleGAN.models.registry import ALIASES, DISCRIMINATOR_NETWORKS, GENERATOR_NETWORKS, MODELS, NETWORKS, entry
from tests.engine import ENGINE


def test_list_models_matches_a_pattern_in_any_case() -> None:
    assert PaddleGAN.list_models("unet*") == ["UnetGenerator", "unet_128", "unet_256"]
    assert PaddleGAN.list_models("STGAN*") == ["STGANGenerator"]
    assert PaddleGAN.list_models("no such*") == []
    assert PaddleGAN.list_models() == list(MODELS)


def test_an_unknown_name_lists_the_nearest_ones_of_its_kind() -> None:
    with pytest.raises(ValueError, match="unknown generator 'resnet-9block'; the nearest is 'resnet_9block', of: "):
        PaddleGAN.create_generator("resnet-9block")
    with pytest.raises(ValueError, match="unknown discriminator 'DCGenerator'; the nearest is .* of: .*DCDisc"):
        PaddleGAN.create_discriminator("DCGenerator")
    with pytest.raises(ValueError, match="unknown generator '!!'; the nearest is .* of: CGANGenerator, .*, SPADE"):
        PaddleGAN.create_generator("!!")


@pytest.mark.parametrize("name", PaddleGAN.list_models())
def test_every_name_of_the_table_is_a_class_or_function_with_a_docstring(name: str) -> None:
    found = entry(name)
    assert found.__name__ == name
    assert found is getattr(PaddleGAN.models, name)
    assert found.__doc__ and name in dir(PaddleGAN.models)


def test_names_of_the_older_kit() -> None:
    assert entry("basic") is entry("nlayers") is entry("NLayerDiscriminator")
    assert entry("pixel") is entry("PixelDiscriminator")
    assert entry("STGANDiscriminator") is entry("AttGANDiscriminator")
    assert not set(ALIASES) & set(MODELS)


def test_models_have_no_other_attributes() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'CycleGAN'; PaddleGAN.list_models"):
        PaddleGAN.models.CycleGAN  # noqa: B018


def test_an_argument_that_the_network_lacks_is_named() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'width'"):
        PaddleGAN.create_generator("DCGenerator", width=3)


class Networks(Section):
    """Two networks of a config."""

    generator: Annotated[Component, Named(GENERATOR_NETWORKS)]
    discriminator: Annotated[Component, Named(DISCRIMINATOR_NETWORKS)]


def test_networks_of_a_config(tmp_path: Path) -> None:
    path = tmp_path / "gan.yaml"
    path.write_text("generator: {name: unet_128, use_dropout: true, ngf: 8}\ndiscriminator:\n  name: basic\n  ndf: 4\n")
    config = load_config(Networks, path)
    assert type(DISCRIMINATOR_NETWORKS.build(config.discriminator)) is entry("NLayerDiscriminator")
    with pytest.raises(ConfigError, match=r"discriminator.nfd'; the nearest valid key is 'discriminator.ndf'"):
        load_config(Networks, path, ["discriminator.nfd=4"])
    path.write_text("generator: {name: unet_128}\ndiscriminator:\n  name: basic\n  nfd: 4\n")
    with pytest.raises(ConfigError, match=r"gan.yaml:4: unknown key 'discriminator.nfd'"):
        load_config(Networks, path)
    path.write_text("generator: {name: basic}\ndiscriminator: {name: basic}\n")
    with pytest.raises(ConfigError, match="gan.yaml:1: generator: unknown generator 'basic'; the nearest is"):
        load_config(Networks, path)


@pytest.mark.parametrize("name", PaddleGAN.list_models())
def test_every_argument_of_a_network_is_known(name: str) -> None:
    parameters = inspect.signature(entry(name)).parameters.values()
    assert not [parameter.name for parameter in parameters if parameter.kind is parameter.VAR_KEYWORD]
    assert NETWORKS.describe(name).count(":") == 1 + len(parameters) + len(("pretrained", "part"))


def test_importing_the_package_loads_no_engine() -> None:
    code = f"import sys, PaddleGAN; PaddleGAN.list_models(); sys.exit(bool({{'{ENGINE}', 'numba'}} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


ARGUMENTS = {"input_nz": 3, "ngf": 1}


def checkpoint(path: Path, *parts: str) -> Path:
    """Write networks of noise 3 and width 1, each with its number in its first weight, as one file of ppgan's form."""
    content: dict[str, object] = {"epoch": 1}
    for number, part in enumerate(parts):
        network = PaddleGAN.create_generator("DCGenerator", **ARGUMENTS)
        network.model[0].weight.set_value(core.full(network.model[0].weight.shape, number))
        content[part] = network.state_dict()
    core.save(content, str(path))
    return path


def test_a_part_of_a_checkpoint_is_chosen_by_name(tmp_path: Path) -> None:
    path = checkpoint(tmp_path / "cycle.pdparams", "netG_A", "netG_B", "netD_A")
    network = PaddleGAN.create_generator("DCGenerator", pretrained=path, part="netG_B", **ARGUMENTS)
    assert network.model[0].weight.numpy().max() == 1
    with pytest.raises(ValueError, match="the parts netG_A, netG_B, netD_A, 2 of a generator; choose one with part="):
        PaddleGAN.create_generator("DCGenerator", pretrained=path, **ARGUMENTS)
    with pytest.raises(ValueError, match="has the parts netG_A, netG_B, netD_A, no 'netG'; choose one with part="):
        PaddleGAN.create_generator("DCGenerator", pretrained=path, part="netG", **ARGUMENTS)


def test_the_only_part_of_its_kind_needs_no_name(tmp_path: Path) -> None:
    path = checkpoint(tmp_path / "dcgan.pdparams", "netD", "netG")
    network = PaddleGAN.create_generator("DCGenerator", pretrained=path, **ARGUMENTS)
    assert network.model[0].weight.numpy().min() == 1


def test_a_file_of_one_network_has_no_parts(tmp_path: Path) -> None:
    network = PaddleGAN.create_generator("DCGenerator", **ARGUMENTS)
    path = tmp_path / "generator.pdparams"
    core.save(network.state_dict(), str(path))
    again = PaddleGAN.create_generator("DCGenerator", pretrained=path, **ARGUMENTS)
    assert (again.model[0].weight.numpy() == network.model[0].weight.numpy()).all()
    with pytest.raises(ValueError, match="holds one network, so there is no part 'netG' to take"):
        PaddleGAN.create_generator("DCGenerator", pretrained=path, part="netG", **ARGUMENTS)
    with pytest.raises(ValueError, match="generator.pdparams' does not fit the model"):
        PaddleGAN.create_generator("DCGenerator", pretrained=path, input_nz=4, ngf=1)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="absent.pdparams"):
        PaddleGAN.create_generator("DCGenerator", pretrained=tmp_path / "absent.pdparams", **ARGUMENTS)
    with pytest.raises(ValueError, match="part='netG' names a network of a file, and pretrained names no file"):
        PaddleGAN.create_generator("DCGenerator", part="netG", **ARGUMENTS)


def test_official_weights_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="no weights are published for DCGenerator: pass pretrained=PATH with a file"):
        PaddleGAN.create_generator("DCGenerator", pretrained=True, **ARGUMENTS)
    with pytest.raises(TypeError, match="pretrained must be a bool, a checkpoint's name or a path, not 3"):
        PaddleGAN.create_generator("DCGenerator", pretrained=3, **ARGUMENTS)  # type: ignore[arg-type]
    record = WeightRecord("https://example.org/dc.pdparams", None, None, None, "MIT", "a test", "none")
    monkeypatch.setattr(weights, "CHECKPOINTS", {"dc": weights.Checkpoint("DCGenerator", record, ARGUMENTS, "gen_ema")})
    monkeypatch.setattr(pretrained, "CHECKPOINTS", weights.CHECKPOINTS)
    monkeypatch.setattr(pretrained, "fetch", lambda found: checkpoint(tmp_path / "dc.pdparams", "gen", "gen_ema"))
    for asked in (True, "dc"):
        assert PaddleGAN.create_generator("DCGenerator", pretrained=asked).model[0].weight.numpy().min() == 1
    with pytest.raises(ValueError, match="the checkpoint 'dc' is of the network DCGenerator, not DCGenerator28"):
        PaddleGAN.create_generator("DCGenerator28", pretrained="dc")
    component = Component.model_validate({"name": "DCGenerator", "pretrained": True, "ngf": 5})
    assert GENERATOR_NETWORKS.continued(component).model_dump() == {"name": "DCGenerator", "input_nz": 3, "ngf": 5}


@pytest.mark.parametrize("name", weights.CHECKPOINTS)
def test_a_checkpoint_is_of_a_network_that_can_be_built(name: str) -> None:
    checkpoint = weights.CHECKPOINTS[name]
    with core.LazyGuard():
        assert entry(checkpoint.network)(**checkpoint.arguments).state_dict()
    assert checkpoint.record.url.startswith("https://") and checkpoint.record.paper and checkpoint.record.source
