"""Layers, models and optimizers that several ranks could share, on one: dense layers with Paddle's names.

Names, grids and the looked-up rows are those that Paddle 2.6.2 gives in one process.
"""

from __future__ import annotations

import importlib
import pkgutil
import socket

import numpy as np
import pytest

import core
from core import distributed as dist
from core.distributed import fleet, sharding
from core.distributed.fleet import meta_parallel, optimizers
from core.distributed.fleet.meta_parallel import operators
from core.distributed.fleet.utils import log_util, sequence_parallel_utils, timer_helper
from core.nn import functional as F
from core.nn.naming import guard


@pytest.fixture(autouse=True)
def group(monkeypatch):
    for name in ("PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM", "PADDLE_TRAINER_ENDPOINTS"):
        monkeypatch.delenv(name, raising=False)
    level = log_util.get_log_level_code()
    fleet.init(is_collective=True)
    yield fleet.get_hybrid_communicate_group()
    dist.destroy_process_group()
    log_util.set_log_level(level)


def test_a_grid_of_processes() -> None:
    grid = fleet.CommunicateTopology(["data", "pipe", "sharding", "sep", "model"], [2, 2, 1, 1, 3])
    assert grid.world_size() == 12 and grid.get_dim("pipe") == 2 and grid.get_hybrid_group_names()[-1] == "model"
    assert grid.get_comm_list("data") == [[0, 6], [1, 7], [2, 8], [3, 9], [4, 10], [5, 11]]
    assert grid.get_comm_list("model") == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]
    assert grid.get_axis_list("pipe", 1) == [3, 4, 5, 9, 10, 11]
    assert grid.get_fused_ranks(["data", "model"]) == [[0, 1, 2, 6, 7, 8], [3, 4, 5, 9, 10, 11]]
    assert grid.get_rank(data=1, pipe=0, sharding=0, sep=0, model=2) == 8
    assert str(grid.get_coord(7)) == "Coordinate(data=1, pipe=0, sharding=0, sep=0, model=1)"
    assert grid.get_rank_from_stage(10, pipe=0) == 7


def test_the_groups_of_one_process(group) -> None:
    for axis in ("data", "model", "sharding", "sep"):
        assert getattr(group, f"get_{axis}_parallel_rank")() == 0
        assert getattr(group, f"get_{axis}_parallel_world_size")() == 1
    for axis in ("data", "model", "sharding"):
        assert getattr(group, f"get_{axis}_parallel_group")().ranks == [0]
        assert getattr(group, f"get_{axis}_parallel_group_src_rank")() == 0
    assert group.get_stage_id() == 0 and group.get_pipe_parallel_world_size() == 1 and group.is_last_stage
    assert group.get_parallel_mode() is None and group.get_rank_from_stage(0) == 0
    assert group.get_check_parallel_group(True).ranks == [0] and group.topology().world_size() == 1


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda: meta_parallel.ColumnParallelLinear(4, 6, has_bias=True), ["linear_0.w_0", "linear_0.b_0"]),
        (lambda: meta_parallel.ColumnParallelLinear(4, 6, gather_output=False), ["linear_0.w_0"]),
        (lambda: meta_parallel.RowParallelLinear(4, 6, input_is_parallel=True), ["linear_0.w_0", "linear_0.b_0"]),
        (
            lambda: sequence_parallel_utils.ColumnSequenceParallelLinear(4, 6, has_bias=True, gather_output=False),
            ["column_sequence_parallel_linear_0.w_0", "column_sequence_parallel_linear_0.b_0"],
        ),
        (
            lambda: sequence_parallel_utils.RowSequenceParallelLinear(4, 6, input_is_parallel=True),
            ["row_sequence_parallel_linear_0.w_0", "row_sequence_parallel_linear_0.b_0"],
        ),
    ],
)
def test_a_parallel_linear_layer_is_a_linear_layer(make, names) -> None:
    with guard():
        layer = make()
    assert [value.name for value in layer.state_dict().values()] == names
    assert layer.weight.shape == [4, 6] and layer.weight.is_distributed is False and not layer.is_mp
    x = core.to_tensor(np.linspace(-1, 1, 8, dtype="float32").reshape(2, 4), stop_gradient=False)
    out = layer(x)
    np.testing.assert_allclose(out.numpy(), x.numpy() @ layer.weight.numpy(), rtol=1e-6)
    out.sum().backward()
    np.testing.assert_allclose(layer.weight.grad.numpy(), np.tile(x.numpy().sum(0)[:, None], 6), atol=1e-6)


def test_the_parallel_embedding_and_cross_entropy() -> None:
    with guard():
        table = meta_parallel.VocabParallelEmbedding(10, 4)
    assert table.weight.name == "embedding_0.w_0"
    index = core.to_tensor([[1, 9]])
    np.testing.assert_array_equal(table(index).numpy(), table.weight.numpy()[[1, 9]][None])
    scores = core.to_tensor(np.arange(12, dtype="float32").reshape(2, 2, 3) % 5)
    label = core.to_tensor([[0, 2], [-100, 1]])
    loss = meta_parallel.ParallelCrossEntropy()(scores, label)
    expected = F.cross_entropy(scores, label.unsqueeze(-1), reduction="none")
    assert loss.shape == [2, 2, 1] and loss[1, 0].item() == 0
    np.testing.assert_allclose(loss.numpy(), expected.numpy(), rtol=1e-6)


def test_the_operations_between_one_rank() -> None:
    x = core.to_tensor([[1.0, 2.0]], stop_gradient=False)
    for operation in (operators.identity, operators.concatenated, operators.own_part, operators.added_up):
        y = operation(x)
        assert y.tolist() == [[1.0, 2.0]] and y is not x
        assert core.grad([y], [x])[0].tolist() == [[1.0, 1.0]]
    for operation in ("ScatterOp", "GatherOp", "AllGatherOp", "ReduceScatterOp"):
        y = getattr(sequence_parallel_utils, operation).apply(x)
        assert y.tolist() == [[1.0, 2.0]]
        assert core.grad([y * 3], [x])[0].tolist() == [[3.0, 3.0]]
    table = core.arange(6, dtype="float32").reshape([2, 3])
    rows = operators.rows_of_part(table, core.to_tensor([1, 5, 2]), 1, 10)
    assert rows.tolist() == [[0, 1, 2], [0, 0, 0], [3, 4, 5]]
    parameter = core.create_parameter([2], "float32")
    sequence_parallel_utils.mark_as_sequence_parallel_parameter(parameter)
    assert sequence_parallel_utils.is_sequence_parallel_parameter(parameter)


def pipeline(**kwargs) -> meta_parallel.PipelineLayer:
    def head(layer, x):
        return core.matmul(x, layer.weight, transpose_y=True)

    shared = meta_parallel.SharedLayerDesc
    layers = [
        shared("embed", core.nn.Embedding, None, "weight", 7, 4),
        meta_parallel.LayerDesc(core.nn.Linear, 4, 4),
        core.nn.ReLU(),
        F.sigmoid,
        shared("embed", core.nn.Embedding, head, "weight", 7, 4),
    ]
    return meta_parallel.PipelineLayer(layers, num_stages=1, loss_fn=core.nn.CrossEntropyLoss(), **kwargs)


def test_a_pipeline_of_one_stage() -> None:
    core.seed(5)
    with guard():
        model = pipeline()
    drawn = core.randn([3]).numpy()
    assert {key: value.name for key, value in model.state_dict().items()} == {
        "shared_layers.embed.weight": "embedding_0.w_0",
        "1.weight": "linear_0.w_0",
        "1.bias": "linear_0.b_0",
    }
    assert model.segment_parts == [0, 5] and model.get_stage_from_index(3) == 0
    assert model.get_num_virtual_stages() == 1 and model.get_model_chunks() is None
    again = pipeline()
    np.testing.assert_array_equal(again.state_dict()["1.weight"].numpy(), model.state_dict()["1.weight"].numpy())
    assert not np.array_equal(core.randn([3]).numpy(), drawn)
    x = core.to_tensor([[1, 2]])
    table = model.shared_layers["embed"].weight
    out = model(x)
    assert out.shape == [1, 2, 7]
    state = model.state_dict()
    hidden = 1 / (1 + np.exp(-np.maximum(table.numpy()[[1, 2]] @ state["1.weight"].numpy(), 0)))
    np.testing.assert_allclose(out.numpy()[0], hidden @ table.numpy().T, rtol=1e-5)


def test_recomputing_layers_of_a_pipeline_changes_no_gradient() -> None:
    gradients = []
    for interval in (0, 2):
        linear = [meta_parallel.LayerDesc(core.nn.Linear, 3, 3) for _ in range(3)]
        model = meta_parallel.PipelineLayer(linear, num_stages=1, recompute_interval=interval, recompute_ctx={})
        x = core.ones([2, 3])
        x.stop_gradient = False
        (model(x) ** 2).sum().backward()
        gradients.append([parameter.grad.numpy() for parameter in model.parameters()])
    for one, other in zip(*gradients):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_a_pipeline_trains_on_small_batches_as_on_the_whole(group) -> None:
    strategy = fleet.DistributedStrategy()
    strategy.pipeline_configs = {"micro_batch_size": 2, "accumulate_steps": 2}
    assert strategy.pipeline_configs["schedule_mode"] == "1F1B"
    x, label = core.to_tensor([[1], [2], [3], [4]]), core.to_tensor([[0], [1], [2], [3]])
    model, whole = pipeline(), pipeline()
    runner = meta_parallel.PipelineParallel(model, group, strategy)
    inner = core.optimizer.SGD(0.5, parameters=model.parameters())
    optimizer = optimizers.HybridParallelOptimizer(inner, group, strategy)
    loss = runner.train_batch((x, label), optimizer)
    expected = whole._loss_fn(whole(x), label)
    expected.backward()
    other = core.optimizer.SGD(0.5, parameters=whole.parameters())
    other.step()
    np.testing.assert_allclose(loss.item(), expected.item(), rtol=1e-6)
    for one, two in zip(model.parameters(), whole.parameters()):
        np.testing.assert_allclose(one.numpy(), two.numpy(), atol=1e-6)
    outputs = runner.eval_batch((x, label))
    assert [output.shape for output in outputs] == [[2, 1, 7]] * 2
    assert runner.eval_batch(iter([(x[:2], label[:2]), (x[2:], label[2:])]), True).item() < loss.item()
    assert "_layers.shared_layers.embed.weight" in runner.state_dict()


def test_wrapped_optimizers_take_the_inner_step(group) -> None:
    layer = core.nn.Linear(2, 2)
    inner = core.optimizer.Momentum(0.5, parameters=layer.parameters())
    wrapped = optimizers.DygraphShardingOptimizerV2(inner, group)
    outer = optimizers.HybridParallelOptimizer(wrapped, group)
    before = layer.weight.numpy()
    layer(core.ones([1, 2])).sum().backward()
    outer.step()
    outer.clear_grad()
    np.testing.assert_allclose(layer.weight.numpy(), before - 0.5, rtol=1e-6)
    assert outer.get_lr() == 0.5 and len(outer.state_dict()) > 0 and not layer.weight.grad.numpy().any()
    assert wrapped.filter_parameters(layer.parameters(), group) == layer.parameters()
    model, optimizer, scaler = sharding.group_sharded_parallel(layer, inner, "os_g")
    assert model is layer and scaler is None and optimizer._inner_opt is inner


def test_streams_of_random_numbers() -> None:
    tracker = meta_parallel.get_rng_state_tracker()
    meta_parallel.model_parallel_random_seed(5)
    common = core.randn([2]).numpy()
    core.seed(5)
    with tracker.rng_state():
        first = core.randn([2]).numpy()
    with tracker.rng_state():
        second = core.randn([2]).numpy()
    assert not np.array_equal(first, second) and common.shape == (2,)
    meta_parallel.model_parallel_random_seed(5)
    with tracker.rng_state():
        np.testing.assert_array_equal(core.randn([2]).numpy(), first)
    with pytest.raises(ValueError, match="seed 6 already exists"):
        tracker.add("other", 6)
    with pytest.raises(ValueError, match="state other does not exist"), tracker.rng_state("other"):
        pass


def test_stop_watches_and_log_levels(capsys) -> None:
    timers = timer_helper.Timers()
    timers("step").start()
    timers("step").stop()
    assert 0 <= timers("step").elapsed() and timers("step").elapsed() == 0
    timers.log(["step"])
    assert capsys.readouterr().out == "time (ms) | step: 0.00\n"
    with pytest.raises(RuntimeError, match="the timer 'step' is not started"):
        timers("step").stop()
    with pytest.raises(AssertionError, match=r"get_timers: call set_timers\(\) first"):
        timer_helper.get_timers()
    log_util.set_log_level("warning")
    assert (log_util.get_log_level_code(), log_util.get_log_level_name()) == (30, "WARNING")
    assert log_util.layer_to_str("Linear", 3, 4, bias_attr=False) == "Linear(3, 4, bias_attr=False)"


def test_operations_with_a_choice_of_stream() -> None:
    x, y = core.to_tensor([1.0, 2.0]), core.zeros([2])
    stream = dist.stream
    stream.all_gather(y, x).wait()
    assert y.tolist() == [1.0, 2.0]
    collected: list[core.Tensor] = []
    stream.gather(x, collected)
    stream.all_gather(collected, x * 2, use_calc_stream=True)
    assert collected[0].tolist() == [2.0, 4.0]
    for operation in (stream.all_reduce, stream.reduce):
        operation(x)
    stream.broadcast(x, 0)
    for fill in (stream.reduce_scatter, stream.scatter, stream.alltoall, stream.alltoall_single):
        y = core.zeros([2])
        fill(y, x)
        assert y.tolist() == [1.0, 2.0]
    with pytest.raises(RuntimeError, match="send: use_calc_stream=True needs sync_op=True"):
        stream.send(x, sync_op=False, use_calc_stream=True)
    with pytest.raises(NotImplementedError, match="isend: there is no other process"):
        dist.batch_isend_irecv([dist.P2POp(dist.isend, x, 1)])
    assert dist.batch_isend_irecv([]) == []


def test_hybrid_settings() -> None:
    strategy = fleet.DistributedStrategy()
    order = ["mp", "dp", "pp", "sep", "sharding"]
    strategy.hybrid_configs = {"mp_degree": 1, "pp_configs": {"enable_timer": True}, "order": order}
    assert strategy.hybrid_configs["dp_degree"] == -1 and strategy.hybrid_configs["pp_configs"].enable_timer
    strategy.hybrid_configs["mp_configs"].mp_async_allreduce = True
    assert strategy.hybrid_parallel_order[0] == "mp"
    with pytest.raises(AttributeError, match="mp_configs has no setting 'fast': it has sync_param"):
        strategy.hybrid_configs["mp_configs"].fast = True
    with pytest.raises(ValueError, match="hybrid_configs has no setting 'foo': it has dp_degree"):
        strategy.hybrid_configs = {"foo": 1}


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda g: fleet.CommunicateTopology(["a"], [1, 1]), ValueError, "1 names of axes but 2 sizes"),
        (lambda g: fleet.CommunicateTopology().get_dim("width"), ValueError, "there is no axis 'width': use data"),
        (lambda g: fleet.CommunicateTopology().get_coord(1), ValueError, "there is no process 1 among 1"),
        (lambda g: fleet.CommunicateTopology().get_rank(data=0), ValueError, "there is no process at {'data': 0} of"),
        (
            lambda g: fleet.HybridCommunicateGroup(fleet.CommunicateTopology(dims=[2, 1, 1, 1, 1])),
            ValueError,
            "the topology has 2 processes, but there are 1",
        ),
        (
            lambda g: meta_parallel.ColumnParallelLinear(2, 2, mp_group=dist.Group(0, 9, [0, 1])),
            NotImplementedError,
            "ColumnParallelLinear: mp_group has 2 processes",
        ),
        (lambda g: pipeline(num_virtual_pipeline_stages=2), NotImplementedError, "1 stages of 2 parts"),
        (lambda g: meta_parallel.PipelineLayer([F.relu]), ValueError, "give num_stages or topology"),
        (lambda g: meta_parallel.PipelineLayer([3], 1), TypeError, r"layers\[0\] must be a layer or a function"),
        (lambda g: meta_parallel.LayerDesc(F.relu), TypeError, "layer_func must be a class of layers"),
        (lambda g: meta_parallel.PipelineParallel(core.nn.ReLU(), g), TypeError, "must be a PipelineLayer, not ReLU"),
        (
            lambda g: meta_parallel.PipelineParallel(pipeline(), g).eval_batch((core.ones([3, 1]), None)),
            ValueError,
            "the batch has 3 samples, but accumulate_steps=1 and micro_batch_size=1 need 1",
        ),
        (lambda g: sharding.group_sharded_parallel(core.nn.ReLU(), 1, "os"), TypeError, "must be an Optimizer"),
        (
            lambda g: sequence_parallel_utils.ColumnSequenceParallelLinear(2, 2),
            ValueError,
            "gather_output must be False",
        ),
        (lambda g: operators.added_up(core.ones([1]), dist.ReduceOp.MAX), ValueError, "op must be ReduceOp.SUM, not 1"),
        (lambda g: log_util.set_log_level(1.5), TypeError, "level must be a name or a number, not float"),
        (lambda g: dist.P2POp(dist.send, core.ones([1]), 0), ValueError, "op must be core.distributed.isend or irecv"),
    ],
)
def test_errors_name_the_mend(call, kind, message, group) -> None:
    with pytest.raises(kind, match=message):
        call(group)


def test_the_inner_modules_hold_the_real_things() -> None:
    package = importlib.import_module("core.internals.distributed")
    names = [module.name for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    assert "core.internals.distributed.fleet.layers.mpu.mp_ops" in names
    for name in names:
        module = importlib.import_module(name)
        for entry in getattr(module, "__all__", []):
            assert getattr(module, entry) is not None
    with core.install_as_paddle():
        topology = importlib.import_module("paddle.distributed.fleet.base.topology")
        assert topology._HYBRID_PARALLEL_GROUP is fleet.get_hybrid_communicate_group()
        importlib.import_module("paddle.distributed.communication.reduce")
    assert callable(dist.reduce) and callable(dist.communication.reduce)


def test_waiting_for_servers() -> None:
    module = importlib.import_module("core.internals.distributed.fleet.base.private_helper_function")
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        module.wait_server_ready([f"127.0.0.1:{server.getsockname()[1]}"])
    with pytest.raises(ValueError, match="'somewhere' must be host:port"):
        module.wait_server_ready(["somewhere"])
