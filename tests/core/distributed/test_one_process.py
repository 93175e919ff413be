"""Everything about several processes, in one: identities, and refusals by name."""

from __future__ import annotations

import sys
import textwrap

import numpy as np
import pytest

import core
from core import distributed as dist
from core.distributed import fleet
from core.distributed.fleet.utils import hybrid_parallel_util


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    for name in ("PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM", "PADDLE_TRAINER_ENDPOINTS", "PADDLE_CURRENT_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    dist.destroy_process_group()
    yield
    dist.destroy_process_group()


def test_the_environment_of_one_process() -> None:
    env = dist.ParallelEnv()
    assert (env.rank, env.local_rank, env.world_size, env.nranks, env.dev_id, env.device_id) == (0, 0, 1, 1, 0, 0)
    assert (env.current_endpoint, env.trainer_endpoints, env.nrings, env.pg_timeout) == ("", [""], 1, 1800000)
    assert env.device_type == ""
    assert dist.get_rank() == 0 and dist.get_world_size() == 1 and dist.is_available()
    assert not dist.is_initialized()
    dist.init_parallel_env()
    assert dist.is_initialized() and dist.get_group().ranks == [0] and dist.get_backend() == "LOCAL"
    dist.destroy_process_group()
    assert not dist.is_initialized()


def test_groups() -> None:
    group = dist.new_group([0])
    assert dist.get_group(group.id) is group and group.is_member() and group.nranks == group.world_size == 1
    assert dist.get_rank(group) == 0 and dist.get_world_size(group) == 1 and group.get_group_rank(3) == -1
    assert str(group) == f"rank: 0, nranks: 1, id: {group.id}, ranks: 0; name: _default_pg{group.id}"
    with pytest.warns(UserWarning, match="get_group: there is no group 0"):
        assert dist.get_group() is None
    with pytest.raises(ValueError, match="new_group: there is no process 2: the only one is 0"):
        dist.new_group([0, 2])


@pytest.mark.parametrize("operation", ["SUM", "MAX", "MIN", "PROD", "AVG"])
def test_reductions_over_one_process_change_nothing(operation: str) -> None:
    x = core.to_tensor([1.0, -2.0])
    assert dist.all_reduce(x, getattr(dist.ReduceOp, operation), sync_op=False).wait()
    dist.reduce(x, 0, getattr(dist.ReduceOp, operation)).synchronize()
    dist.broadcast(x, 0)
    dist.barrier()
    dist.wait(x)
    assert x.tolist() == [1.0, -2.0]
    y = core.zeros([2])
    dist.reduce_scatter(y, [x], getattr(dist.ReduceOp, operation))
    assert y.tolist() == [1.0, -2.0]


def test_what_is_gathered_is_a_copy() -> None:
    x = core.to_tensor([1.0, 2.0])
    collected: list[core.Tensor] = []
    dist.all_gather(collected, x)
    x[0] = 7.0
    assert len(collected) == 1 and collected[0].tolist() == [1.0, 2.0]
    dist.gather(x, collected)
    assert len(collected) == 1 and collected[0].tolist() == [7.0, 2.0]


def test_scatter_and_alltoall() -> None:
    x, y = core.to_tensor([3.0, 4.0]), core.zeros([2])
    dist.scatter(y, [x])
    assert y.tolist() == [3.0, 4.0]
    z = core.zeros([2])
    dist.alltoall_single(x, z, [2], [2])
    assert z.tolist() == [3.0, 4.0]
    received: list[core.Tensor] = []
    dist.alltoall([x], received)
    assert received[0].tolist() == [3.0, 4.0]
    w = core.zeros([2])
    dist.alltoall(x, w)
    assert w.tolist() == [3.0, 4.0]


def test_objects() -> None:
    original = {"a": [1, 2]}
    collected: list[object] = []
    dist.all_gather_object(collected, original)
    assert collected == [original] and collected[0] is not original
    dist.broadcast_object_list(collected, 0)
    assert collected == [original]
    received: list[object] = []
    dist.scatter_object_list(received, [original])
    assert received == [original]


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: dist.all_reduce(x, 9), ValueError, "all_reduce: 9 is no member of ReduceOp"),
        (lambda x: dist.all_reduce([1.0]), TypeError, "all_reduce: tensor must be a Tensor, not list"),
        (lambda x: dist.broadcast(x, 1), ValueError, "broadcast: there is no process 1: the only one is 0"),
        (lambda x: dist.all_gather([x, x], x), ValueError, "all_gather: the list must be empty or have 1 tensors, not"),
        (lambda x: dist.gather(x), ValueError, "gather: the receiving process must give a gather_list"),
        (lambda x: dist.scatter(x, [x, x]), ValueError, "scatter: tensor_list must have a tensor for each of the 1"),
        (lambda x: dist.scatter(x, [core.ones([3])]), ValueError, r"has shape \[2\], the new value \[3\]"),
        (lambda x: dist.alltoall_single(x, x, [1, 1]), ValueError, r"in_split_sizes \[1, 1\] must be the one size \[2"),
        (lambda x: dist.scatter_object_list([], []), ValueError, "an object for each of the 1 processes, not 0"),
        (lambda x: dist.send(x), NotImplementedError, "send: there is no other process to exchange tensors with"),
        (lambda x: dist.recv(x), NotImplementedError, "recv: there is no other process"),
        (lambda x: dist.isend(x, 1), NotImplementedError, "isend: there is no other process"),
        (lambda x: dist.irecv(x), NotImplementedError, "irecv: there is no other process"),
        (lambda x: dist.spawn(print, nprocs=2), NotImplementedError, "spawn: nprocs=2, but training with several"),
        (lambda x: core.DataParallel(x), TypeError, "DataParallel: layers must be a Layer, not Tensor"),
        (lambda x: fleet.distributed_model(x), TypeError, "model must be a Layer, not Tensor"),
        (lambda x: fleet.init(strategy={}), TypeError, "strategy must be a DistributedStrategy, not dict"),
    ],
)
def test_errors_name_the_mend(call, kind, message) -> None:
    with pytest.raises(kind, match=message):
        call(core.ones([2]))


@pytest.mark.parametrize(
    "call",
    [
        dist.init_parallel_env,
        dist.barrier,
        dist.new_group,
        dist.get_backend,
        fleet.init,
        fleet.barrier_worker,
        lambda: dist.all_reduce(core.ones([2])),
        lambda: dist.all_gather_object([], 1),
        lambda: dist.spawn(print),
        lambda: dist.send(core.ones([2])),
        lambda: core.DataParallel(core.nn.Linear(1, 1)),
        lambda: fleet.distributed_model(core.nn.Linear(1, 1)),
        lambda: fleet.distributed_optimizer(None),
        lambda: fleet.distributed_scaler(None),
        lambda: hybrid_parallel_util.fused_allreduce_gradients([], None),
    ],
)
def test_several_processes_are_refused(call, monkeypatch) -> None:
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    assert dist.get_world_size() == 2 and dist.get_rank() == 1 and not fleet.is_first_worker()
    with pytest.raises(NotImplementedError, match="the environment names 2 processes .PADDLE_TRAINERS_NUM., but"):
        call()


def test_a_damaged_environment_is_named(monkeypatch) -> None:
    monkeypatch.setenv("PADDLE_TRAINER_ID", "one")
    with pytest.raises(ValueError, match="variable PADDLE_TRAINER_ID is 'one': it must be a number"):
        dist.get_rank()


def test_data_parallel_is_the_layer_itself() -> None:
    core.seed(0)
    layer = core.nn.Linear(3, 2)
    parallel = core.DataParallel(layer)
    x = core.to_tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    np.testing.assert_array_equal(parallel(x).numpy(), layer(x).numpy())
    assert list(parallel.state_dict()) == ["weight", "bias"]
    assert [name for name, _ in parallel.named_parameters()] == ["_layers.weight", "_layers.bias"]
    parallel.set_state_dict({"weight": np.ones((3, 2), np.float32), "bias": np.zeros(2, np.float32)})
    with parallel.no_sync():
        loss = parallel.scale_loss(parallel(x).sum())
    loss.backward()
    parallel.apply_collective_grads()
    assert loss.item() == 30.0 and layer.bias.grad.tolist() == [2.0, 2.0]
    compiled = core.jit.to_static(parallel)
    np.testing.assert_array_equal(compiled(x).numpy(), [[3, 3], [12, 12]])


def test_spawn_calls_the_function_here() -> None:
    seen: list[object] = []
    context = dist.spawn(lambda a, b: seen.append((a, b)), args=(1, 2), join=False)
    assert context.join() and seen == [(1, 2)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--nnodes", "2"], "launch: --nnodes 2: training with several processes is not built"),
        (["--nproc_per_node", "4"], "launch: --nproc_per_node 4"),
        (["--gpus", "0,1"], "launch: --gpus 0,1"),
        ([], None),
        (["--gpus", "0", "--log_dir", "logs"], None),
    ],
)
def test_launch_runs_a_script(options, message, tmp_path, monkeypatch, capsys) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        textwrap.dedent("""
        import sys
        import core.distributed
        print(__name__, sys.argv[1:], core.distributed.get_world_size())
        """)
    )
    monkeypatch.setattr(sys, "argv", ["launch", *options, str(script), "--epochs", "3"])
    if message:
        with pytest.raises(NotImplementedError, match=message):
            dist.launch()
    else:
        dist.launch()
        assert capsys.readouterr().out == "__main__ ['--epochs', '3'] 1\n"


def test_fleet_of_one() -> None:
    strategy = fleet.DistributedStrategy()
    strategy.find_unused_parameters = True
    strategy.hybrid_configs = {"dp_degree": 1, "mp_degree": 1}
    assert fleet.init(is_collective=True, strategy=strategy) is fleet.fleet
    assert fleet.init(fleet.PaddleCloudRoleMaker(is_collective=True)).worker_num() == 1
    assert (fleet.worker_index(), fleet.worker_num(), fleet.local_rank(), fleet.node_num()) == (0, 1, 0, 1)
    assert fleet.is_first_worker() and fleet.is_worker() and not fleet.is_server()
    assert fleet.worker_endpoints() == ["127.0.0.1:6170"] and fleet.worker_endpoints(True) == "127.0.0.1:6170"
    assert fleet.server_num() == 0 and fleet.server_endpoints() == [] and fleet.server_endpoints(True) == ""
    layer = core.nn.Linear(2, 2)
    optimizer = core.optimizer.SGD(parameters=layer.parameters())
    assert fleet.distributed_model(layer) is layer
    assert fleet.distributed_optimizer(optimizer, strategy=strategy) is optimizer
    assert fleet.distributed_scaler(strategy) is strategy
    fleet.barrier_worker()
    hybrid_parallel_util.fused_allreduce_gradients(layer.parameters(), None)


def test_roles(monkeypatch) -> None:
    role = fleet.PaddleCloudRoleMaker()
    assert (role.worker_index(), role.worker_num(), role.is_first_worker()) == (0, 1, True)
    assert role.is_worker() and not role.is_server()
    monkeypatch.setenv("TRAINING_ROLE", "PSERVER")
    with pytest.raises(NotImplementedError, match="TRAINING_ROLE=PSERVER: there are no parameter servers"):
        fleet.init()


@pytest.mark.parametrize(
    ("name", "value", "kind", "message"),
    [
        ("amp", True, NotImplementedError, "DistributedStrategy.amp is not built: use core.amp.auto_cast"),
        ("sharding", True, NotImplementedError, "DistributedStrategy.sharding is not built"),
        ("hybrid_configs", {"mp_degree": 2}, NotImplementedError, "hybrid_configs: mp_degree=2"),
        ("colour", 1, AttributeError, "DistributedStrategy has no setting 'colour'"),
    ],
)
def test_strategies_that_are_not_built_are_refused(name, value, kind, message) -> None:
    with pytest.raises(kind, match=message):
        setattr(fleet.DistributedStrategy(), name, value)
