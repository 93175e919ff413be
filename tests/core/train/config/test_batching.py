"""Ragged batches from the config to the trainer: their shapes are announced, compiled once each, and resumed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.io import Batch, BatchSampler, DataLoader, DistributedBatchSampler, HostList, LineDataset, Pad, TensorDataset
from core.io.batch import device_fields, samples_of
from core.train import ConfigError, TrainingInterrupted, load_config, save_config
from core.train.config.batching import Batching, programs_of
from core.train.config.schema import Section, describe_schema
from core.train.logs.announcement import announcement
from tests.core.io.worker_datasets import Scenes
from tests.core.train.ragged_task import FIELDS, SceneTask
from tests.core.train.regression import assert_same_weights, trainer_for
from tests.core.train.test_trainer import Interrupt


class Config(Section):
    batching: Batching


def config(path: Path, text: str) -> Batching:
    path.write_text(f"batching: {text}")
    return load_config(Config, path).batching


def test_as_many_programs_are_compiled_as_announced_and_a_run_resumes_in_the_middle(tmp_path: Path) -> None:
    whole, first, second = SceneTask(2), SceneTask(0), SceneTask(0)
    trainer = trainer_for(whole, tmp_path / "whole", epochs=3)
    line = "at most 4 compiled programs: samples x length 3 x 16, 5 x 8 times boxes 8, 32"
    assert {"batches of at most 48 tokens, padding included", line} <= set(announcement(trainer))
    outcome = trainer.fit()
    programs = [len(programs) for programs in trainer.steps[0]._loss.programs.values()]
    assert programs == [1] * 4
    assert outcome.results["valid"]["error"] < 2
    assert len(outcome.evaluators["valid"].errors) == 60
    with pytest.raises(TrainingInterrupted, match="interrupted after step 21"):  # an epoch has 16
        trainer_for(first, tmp_path / "parts", [Interrupt(20)], epochs=3).fit()
    resumed = trainer_for(second, tmp_path / "parts", resume=True, epochs=3)
    assert resumed.resume() and resumed.progress.step_in_epoch == 5
    assert resumed.fit().results == outcome.results
    assert_same_weights(whole.network, second.network)


def test_a_stream_by_length_trains_and_resumes_in_the_middle(tmp_path: Path) -> None:
    whole, first, second = [SceneTask(workers, stream=True) for workers in (2, 0, 0)]
    length: dict[str, Any] = {"epochs": None, "steps": 24, "evaluate_every": {"steps": 12}}
    trainer = trainer_for(whole, tmp_path / "whole", **length)
    assert "at most 4 compiled programs: samples x length 5 x 8, 3 x 16 times boxes 8, 32" in announcement(trainer)
    outcome = trainer.fit()
    assert [len(programs) for programs in trainer.steps[0]._loss.programs.values()] == [1] * 4
    with pytest.raises(TrainingInterrupted, match="interrupted after step 21"):
        trainer_for(first, tmp_path / "parts", [Interrupt(20)], **length).fit()
    resumed = trainer_for(second, tmp_path / "parts", resume=True, **length)
    assert resumed.resume() and resumed.progress.step == 21 and resumed.progress.step_in_epoch > 0
    assert resumed.fit().results == outcome.results
    assert_same_weights(whole.network, second.network)


def test_workers_give_the_same_batches() -> None:
    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: plain(part) for name, part in value.items()}
        return value if isinstance(value, list) else (value.dtype, value.numpy().tolist())

    runs = [[(batch.samples, plain(batch)) for batch in SceneTask(count).loader("train")] for count in (0, 2)]
    assert runs[0] == runs[1]
    assert list(runs[0][0][1]) == [
        "tokens", "tokens_mask", "boxes", "boxes_offsets", "boxes_numbers", "side", "name", "target"
    ]  # fmt: skip
    assert isinstance(runs[0][0][1]["name"], HostList)


def test_compiled_functions_take_nested_fields() -> None:
    traced = []

    def total(fields: Mapping[str, Any], pair: Any) -> Any:
        traced.append(None)
        return fields["a"] * fields["inner"]["b"] + pair[0] - pair[1][0]

    compiled = core.jit.to_static(total)
    for size in (2, 3, 2, 3):
        x = core.full([size], 2.0)
        x.stop_gradient = False
        result = compiled({"a": x, "inner": {"b": x * 3}}, (x, [x]))
        assert result.numpy().tolist() == [12.0] * size
        result.sum().backward()
        assert x.grad.numpy().tolist() == [12.0] * size
    assert len(traced) == 2
    compiled({"a": x, "inner": {"b": x}, "mask": x}, (x, [x]))  # another structure is another program
    assert len(traced) == 3


def test_what_is_for_the_host_is_left_out_and_samples_are_counted() -> None:
    rows, offsets = core.zeros([7, 4]), core.to_tensor([0, 3, 7])
    batch = Batch([rows, offsets, HostList(["a", "b"]), {"deep": HostList("xy"), "x": rows}], 2)
    assert samples_of(batch) == 2
    assert samples_of([HostList("abc"), rows]) == samples_of([{"x": rows}]) == samples_of(({}, [rows])) == 7
    assert samples_of([]) == samples_of([HostList("abc")]) == 1
    fields = device_fields(batch)
    assert fields[0] is rows and fields[1] is offsets and fields[2] == {"x": rows} and len(fields) == 3
    assert device_fields({"x": rows, "name": HostList("a")}) == [{"x": rows}]
    loader = DataLoader([(np.zeros(2), "a"), (np.zeros(2), "b")], batch_size=2)  # type: ignore[arg-type]
    assert [type(field) for field in next(iter(loader))] == [core.Tensor, HostList]


def test_the_section_is_read_written_and_described(tmp_path: Path) -> None:
    read = config(tmp_path / "a.yaml", "{tokens: 4096, buckets: [32, 64, 512], longest: truncate}")
    assert read.buckets == {"length": [32, 64, 512]} and read.longest == "truncate"
    save_config(Config(batching=read), tmp_path / "b.yaml")
    assert load_config(Config, tmp_path / "b.yaml").batching == read
    assert describe_schema(Config)[2].startswith("batching.buckets (mapping; default {}): sizes to pad to, in")
    read = config(tmp_path / "a.yaml", "{buckets: {height: 32, boxes: [8, 16]}}")
    assert read.buckets == {"height": 32, "boxes": [8, 16]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{tokens: 100, buckets: [32, 512]}", "a sample of the last bucket, 512, does not fit into tokens 100; allow"),
        ("{tokens: 100}", "batching: tokens needs buckets of the size 'length', as in {length: [32, 64, 128]}"),
        ("{tokens: 9, by: words, buckets: [4]}", "batching: tokens needs buckets of the size 'words'"),
        ("{samples: 3}", "batching: samples limits what tokens allows; without tokens, say batch_size"),
        ("{longest: drop}", "batching: longest: drop needs buckets of the size 'length'"),
        ("{longest: cut}", "batching.longest: must be 'error', 'truncate' or 'drop', or one of these for each"),
        ("{longest: {length: drop}}", "batching: longest: drop needs buckets of the size 'length'"),
        ("{longest: {h: error}, buckets: [4]}", "batching: longest says how to treat size 'h', which has no"),
        (
            "{longest: {h: drop}, buckets: {length: [4], h: [4]}}",
            "batching: longest: samples are dropped by length, not by h; say truncate or error",
        ),
        ("{buckets: [3, 3]}", "batching.buckets: size 'length': buckets must be in ascending order: [3, 3]"),
        ("{buckets: [1, .nan]}", "buckets must be a list of positive integers, as in [32, 64, 128], not [1, nan]"),
        ("{buckets: {h: 0}}", "batching.buckets: size 'h': a multiple must be a positive integer, not 0"),
        ("{buckets: {h: [0, 1]}}", "batching.buckets: size 'h': buckets must be positive, not 0"),
        ("{bucket: [1]}", "unknown key 'batching.bucket'; the nearest valid key is 'batching.buckets'"),
    ],
)
def test_a_wrong_section_is_one_line_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config(tmp_path / "a.yaml", text)
    assert str(caught.value).startswith(f"{tmp_path / 'a.yaml'}:1: ") and "\n" not in str(caught.value)
    assert message in str(caught.value)


def test_lengths_that_are_needed_and_not_known_are_named() -> None:
    data = TensorDataset([np.zeros(4)])
    with pytest.raises(ValueError, match="batching: tokens needs the length of each sample, and TensorDataset has no"):
        Batching(tokens=8, buckets={"length": [4]}).loader(data, [Pad("length")], 2)
    with pytest.raises(ValueError, match="batching: longest: drop needs the length of each sample"):
        Batching(buckets={"length": [4]}, longest="drop").loader(data, [Pad("length")], 2)
    with pytest.raises(ValueError, match="batching: 3 lengths are given for 4 samples; give each one"):
        Batching(buckets={"length": [4]}).loader(data, [Pad("length")], 2, [1, 2, 3])
    with pytest.raises(ValueError, match="batching: a stream cannot be shuffled as a whole; make it a core.io."):
        Batching(buckets={"length": [4]}).loader(LineDataset("a"), [Pad("length")], 2, len, shuffle=True)
    with pytest.raises(ValueError, match="no field has a size 'length'; the fields have 'boxes'"):
        Batching(buckets={"length": [4]}).loader(data, [Pad("boxes")], 2)


def test_programs_are_counted_for_every_kind_of_loader() -> None:
    fields, data = [Pad("length")], TensorDataset([np.zeros((10, 3))])

    def line(batching: Batching, dataset: Any = data, **options: Any) -> str:
        programs = programs_of(batching.loader(dataset, fields, 4, **options))
        assert programs is not None
        return programs.line

    buckets = Batching(buckets={"length": [4, 8]})
    assert line(buckets) == "at most 4 compiled programs: samples 4, 2 times length 4, 8"
    assert line(buckets, drop_last=True) == "at most 2 compiled programs: length 4, 8"
    assert line(Batching(buckets={"length": [4]}), drop_last=True) == "at most 1 compiled program: length 4"
    assert line(buckets, lengths=[3] * 9 + [5]) == (
        "at most 3 compiled programs: samples x length 1 x 4, 1 x 8, 4 x 4"
    )
    many = Batching(buckets={"length": list(range(1, 41))})
    assert line(many, drop_last=True).endswith("; only 32 are kept, and others compiled again: use fewer buckets")
    assert line(Batching()) == (
        "an unknown number of compiled programs: "
        "length is padded to what each batch needs; name its buckets to bound it"
    )
    multiples = Batching(buckets={"length": 32})
    assert "length is padded to multiples of 32; name its buckets" in line(multiples)
    stream = LineDataset("texts.txt", transform=len)
    tokens = Batching(tokens=16, buckets={"length": [4, 8]})
    assert line(tokens, stream, lengths=len, drop_last=True) == (
        "at most 2 compiled programs: samples x length 4 x 4, 2 x 8"
    )
    assert "batches may have any number of samples; leave out what is not full" in line(tokens, stream, lengths=len)
    collate = buckets.collate(fields)
    assert programs_of(DataLoader(data, batch_size=4)) is None
    whole = DataLoader(stream, batch_size=4, drop_last=True, collate_fn=collate)
    assert programs_of(whole) == (2, "at most 2 compiled programs: length 4, 8")
    for sampler in (BatchSampler(data, batch_size=5), DistributedBatchSampler(data, 5, 2, 0)):
        assert programs_of(DataLoader(data, batch_sampler=sampler, collate_fn=collate))[0] == 2  # type: ignore[index]
    assert programs_of(DataLoader(data, batch_sampler=[[0], [1, 2]], collate_fn=collate))[0] is None  # type: ignore[index]


def test_what_is_done_to_a_batch_first_says_which_sizes_it_gives() -> None:
    class Resized:
        sizes = {"image": ["32 x 32", "64 x 64"]}

        def __call__(self, samples: Any) -> Any:
            return samples

    data, buckets = TensorDataset([np.zeros((8, 3))]), Batching(buckets={"length": [4, 8]})
    resized = Resized()
    loader = buckets.loader(data, [Pad("length")], 4, before=resized)
    assert programs_of(loader) == (4, "at most 4 compiled programs: length 4, 8 times image 32 x 32, 64 x 64")
    resized.sizes = {"height": None}  # type: ignore[dict-item]
    assert programs_of(loader) == (
        None, "an unknown number of compiled programs: height is padded to what each batch needs; name its buckets to "
        "bound it"
    )  # fmt: skip


def test_samples_that_are_too_long_are_cut_left_out_or_named() -> None:
    data = Scenes(60)
    longest = max(data.lengths)
    cut = Batching(buckets={"length": [4, 16]}, longest="truncate").loader(data, FIELDS, 4)
    assert sum(batch.samples for batch in cut) == 60
    dropped = Batching(buckets={"length": [4, 16]}, longest="drop").loader(data, FIELDS, 4)
    assert sum(batch.samples for batch in dropped) == sum(length <= 16 for length in data.lengths) < 60
    both = Batching(buckets={"length": [4, 16], "boxes": [6, 8]}, longest={"length": "drop", "boxes": "truncate"})
    batches = list(both.loader(data, FIELDS, 4))
    assert {batch["boxes"].shape[0] for batch in batches} == {6, 8}
    assert sum(batch.samples for batch in batches) == sum(batch.samples for batch in dropped)
    index = data.lengths.index(longest)
    with pytest.raises(ValueError, match=f"sample {index} has the length {longest}, and the last bucket is 16; add a"):
        Batching(buckets={"length": [4, 16]}).loader(data, FIELDS, 4)
