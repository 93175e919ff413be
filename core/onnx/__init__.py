"""ONNX export (paddle.onnx)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.engine import requirements

DEFAULT_VERSION = 18


def export(
    layer: Any,
    path: str,
    input_spec: Optional[Sequence[Any]] = None,
    opset_version: int = DEFAULT_VERSION,
    *,
    compare: bool = True,
    examples: Optional[Sequence[Sequence[Any]]] = None,
    **configs: Any,
) -> None:
    """Write a layer, in evaluation mode, as ``path + '.onnx'``.

    The model is checked before the file appears: by ONNX's own checker and, where onnxruntime is installed, by
    comparing what it computes with what the layer computes.

    Args:
        layer: A Layer, or one that ``to_static`` compiled.
        path: Folder and name of the file, without the ending.
        input_spec: An InputSpec (sizes may be None) or example Tensor for each input; those given to ``to_static`` when
            None.
        opset_version: Version of ONNX's operators, from 13 to 21.
        compare: Compare the numbers; without it onnxruntime only has to load the model. Leave it out where the order of
            rows may differ, as of boxes with nearly equal scores, and compare what they mean afterwards.
        examples: Lists of Tensors, one for each input, with which the numbers are compared; random ones between 0 and 1
            when None. Give some where such numbers mean nothing, as for the sizes of images.
        **configs: ``enable_onnx_checker=True`` of Paddle is taken for granted; there is no other option.

    Raises:
        OperatorError: operators, element types or sizes that ONNX cannot express, or numbers that differ.
        TypeError: the layer cannot be called.
        ValueError: the path names no file, the version is not supported, input_spec is missing, or an example has not
            one Tensor for each input.
        NotImplementedError: an option is given that is not built.
        ImportError: onnx is not installed, or too old.
    """
    for name, value in configs.items():
        if value is not None and (name, value) != ("enable_onnx_checker", True):
            raise NotImplementedError(f"onnx.export: the option {name} is not built; leave it out")
    requirements.check("onnx", ("onnx",))
    from core.onnx.export_layer import export_layer  # only this needs the package

    export_layer(layer, path, input_spec, opset_version, compare, examples)


__all__ = ["export"]
