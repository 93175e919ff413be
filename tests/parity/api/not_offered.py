"""Which public names of Paddle 2.6 are not in core, or take other arguments, and why. ``*`` stands for all below."""

from __future__ import annotations

SPARSE = "there are no sparse tensors"
PROCESSES = "training with several processes is not built"
PROGRAMS = "programs built statement by statement are not offered; to_static compiles ordinary code"
INTERNAL = "Paddle's own parts, which its documentation does not describe"
DEVICES = "the engine serves CPUs and NVIDIA's GPUs"
DATASETS = "not built: data sets that are downloaded from Paddle's servers"

NOT_OFFERED: dict[str, str] = {
    # element types
    "paddle.dtype.*": "element types are no enumeration; framework.core.VarDesc.VarType has these names",
    # tensors
    "paddle.Tensor.stft": "signal.stft is the function",
    "paddle.Tensor.istft": "signal.istft is the function",
    **{
        f"paddle.Tensor.{name}": SPARSE
        for name in (
            "cols", "coalesce", "crows", "get_selected_rows", "indices", "nnz", "rows", "to_dense", "to_sparse_coo",
            "to_sparse_csr", "values",
        )
    },
    **{
        f"paddle.Tensor.{name}": PROCESSES
        for name in ("dist_attr", "num_shard", "placements", "process_mesh", "reconstruct_from_")
    },
    **{
        f"paddle.Tensor.{name}": INTERNAL
        for name in (
            "block", "broadcast_shape", "create_parameter", "create_tensor", "get_map_tensor", "grad_", "grad_fn",
            "inplace_version", "layout", "scatter_nd", "set_string_list", "set_vocab", "top_p_sampling", "type",
        )
    },
    # framework
    "paddle.check_shape": INTERNAL,
    "paddle.get_cuda_rng_state": "there is one stream of random numbers: get_rng_state",
    "paddle.set_cuda_rng_state": "there is one stream of random numbers: set_rng_state",
    "paddle.enable_grad.clone": INTERNAL,
    "paddle.no_grad.clone": INTERNAL,
    "paddle.set_grad_enabled.clone": INTERNAL,
    "paddle.device.IPUPlace": DEVICES,
    "paddle.device.XPUPlace": DEVICES,
    "paddle.autograd.saved_tensors_hooks": "the engine keeps what its gradients need out of reach",
    "paddle.autograd.PyLayer.*": INTERNAL,
    "paddle.jit.TranslatedLayer.program": PROGRAMS,
    "paddle.jit.set_code_level": "rewritten code is not logged",
    "paddle.jit.set_verbosity": "rewritten code is not logged",
    "paddle.sysconfig.*": "core has no headers or libraries of its own",
    "paddle.callbacks.WandbCallback.run": "Weights & Biases is not supported",
    "paddle.callbacks.ReduceLROnPlateau.in_cooldown": INTERNAL,
    "paddle.io.ConcatDataset.cumsum": INTERNAL,
    "paddle.metric.Auc.trapezoid_area": INTERNAL,
    "paddle.nn.RNNCellBase.state_dtype": INTERNAL,
    "paddle.optimizer.Optimizer.append_regularization_ops": INTERNAL,
    "paddle.optimizer.Optimizer.get_opti_var_name_list": INTERNAL,
    # several processes
    **{
        f"paddle.distributed.{name}": PROCESSES
        for name in (
            "CountFilterEntry", "DistAttr", "DistAttr.*", "InMemoryDataset", "InMemoryDataset.*", "Partial",
            "Placement", "Placement.*", "ProbabilityEntry", "ProcessMesh", "ProcessMesh.*", "QueueDataset",
            "QueueDataset.*", "ReduceType", "ReduceType.*", "Replicate", "Shard", "Shard.*", "ShowClickEntry",
            "Strategy", "Strategy.*", "dtensor_from_fn", "gloo_barrier", "gloo_init_parallel_env", "gloo_release",
            "io", "load_state_dict", "reshard", "save_state_dict", "shard_layer", "shard_optimizer", "shard_tensor",
            "split", "to_static",
        )
    },
    **{
        f"paddle.distributed.fleet.{name}": PROCESSES
        for name in (
            "MultiSlotDataGenerator", "MultiSlotStringDataGenerator",
            "Role", "UserDefinedRoleMaker", "UtilBase",
        )
    },
    "paddle.DataParallel.init_reducer": INTERNAL,
    # parts that are not there
    "paddle.static.*": PROGRAMS,
    "paddle.inference.XpuConfig": DEVICES,
    "paddle.inference._get_phi_kernel_name": INTERNAL,
    "paddle.sparse.*": SPARSE,
    "paddle.audio.datasets": DATASETS,
    "paddle.text.*": DATASETS,
    "paddle.vision.datasets.MNIST.*": INTERNAL,
    "paddle.vision.datasets.FashionMNIST.*": INTERNAL,
    **{
        f"paddle.incubate.{name}": "not built"
        for name in (
            "LookAhead", "LookAhead.*", "ModelAverage", "ModelAverage.*", "graph_khop_sampler", "identity_loss",
            "softmax_mask_fuse", "softmax_mask_fuse_upper_triangle",
        )
    },
    "paddle.incubate.graph_reindex": "geometric.reindex_graph is its present name",
    "paddle.incubate.graph_sample_neighbors": "geometric.sample_neighbors is its present name",
    "paddle.profiler.export_protobuf": "traces are written as JSON: export_chrome_tracing",
    "paddle.profiler.load_profiler_result": "traces are JSON, which json.load reads",
}  # fmt: skip

DIFFERENT: dict[str, str] = {
    "paddle.Tensor": "Paddle's lists what its engine needs; tensors are made by to_tensor",
    "paddle.jit.TranslatedLayer": "made by jit.load, from an exported program",
    "paddle.nn.Layer": "dtype None follows set_default_dtype, as parameters do in Paddle too",
    "paddle.nn.RNNCellBase": "dtype None follows set_default_dtype, as parameters do in Paddle too",
    "paddle.nn.initializer.Dirac.forward": "named as in the other initializers",
    "paddle.nn.initializer.Orthogonal.forward": "named as in the other initializers",
    "paddle.nn.functional.interpolate": "data_format None is NCW, NCHW or NCDHW, by the number of axes",
    "paddle.nn.functional.upsample": "data_format None is NCW, NCHW or NCDHW, by the number of axes",
    "paddle.static.Variable": "the class of tensors, for isinstance; programs' variables are not made by hand",
    "paddle.profiler.RecordEvent": "kinds of events are not told apart",
    "paddle.onnx.export": "the default opset is one that has the operators in use",
}
"""Names whose arguments differ from Paddle's."""
