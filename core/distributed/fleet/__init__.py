"""Preparing models and optimizers for several processes (paddle.distributed.fleet), so far for one."""

from __future__ import annotations

from core.distributed.fleet import meta_parallel, utils
from core.distributed.fleet.fleet import Fleet
from core.distributed.fleet.role_maker import PaddleCloudRoleMaker
from core.distributed.fleet.strategy import DistributedStrategy
from core.distributed.fleet.topology import CommunicateTopology, HybridCommunicateGroup

fleet = Fleet()
init = fleet.init
is_first_worker = fleet.is_first_worker
worker_index = fleet.worker_index
worker_num = fleet.worker_num
is_worker = fleet.is_worker
is_server = fleet.is_server
worker_endpoints = fleet.worker_endpoints
server_num = fleet.server_num
server_endpoints = fleet.server_endpoints
barrier_worker = fleet.barrier_worker
local_rank = fleet.local_rank
rank = fleet.worker_index
nranks = world_size = fleet.worker_num
node_num = fleet.node_num
distributed_model = fleet.distributed_model
distributed_optimizer = fleet.distributed_optimizer
distributed_scaler = fleet.distributed_scaler
get_hybrid_communicate_group = fleet.get_hybrid_communicate_group

__all__ = [
    "CommunicateTopology", "DistributedStrategy", "Fleet", "HybridCommunicateGroup", "PaddleCloudRoleMaker",
    "barrier_worker", "distributed_model", "distributed_optimizer", "distributed_scaler", "fleet",
    "get_hybrid_communicate_group", "init", "is_first_worker", "is_server", "is_worker", "local_rank",
    "meta_parallel", "node_num", "nranks", "rank", "server_endpoints", "server_num", "utils", "worker_endpoints",
    "worker_index", "worker_num", "world_size",
]  # fmt: skip
