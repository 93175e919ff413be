"""Operators that change shapes and move elements: reshaping, axes, repetition, joining, splitting, padding."""

from __future__ import annotations

from tests.parity.operators.table import DOUBLE, EVERY, FLOATS, INTEGERS, NUMBERS, Family, given, real, whole

FAMILY = Family()
case = FAMILY.case


def every(name: str, call: object, *shape: int) -> None:
    """Add a case of all types on one tensor."""
    case(name, call, real(*shape), types=EVERY)  # type: ignore[arg-type]


every("reshape", lambda p, x: p.reshape(x, [3, 2]), 2, 3)
every("reshape: rest", lambda p, x: p.reshape(x, [-1, 2]), 2, 3)
every("reshape: kept sizes", lambda p, x: p.reshape(x, [0, 0, -1]), 2, 3, 4)
every("reshape: to 0-D", lambda p, x: p.reshape(x, []), 1, 1)
every("reshape: from 0-D", lambda p, x: p.reshape(x, [1, 1]))
every("reshape: tuple", lambda p, x: p.reshape(x, (6,)), 2, 3)
every("reshape: tensor", lambda p, x: p.reshape(x, p.to_tensor([3, -1])), 2, 3)
every("reshape: tensors in a list", lambda p, x: p.reshape(x, [p.to_tensor(3), 2]), 2, 3)
every("reshape: size 0", lambda p, x: p.reshape(x, [0, 3]), 0, 3)
every("flatten", lambda p, x: p.flatten(x), 2, 3, 2)
every("flatten: middle", lambda p, x: p.flatten(x, 1, 2), 2, 3, 2, 2)
every("flatten: negative", lambda p, x: p.flatten(x, start_axis=-2, stop_axis=-1), 2, 3, 2)
every("flatten: 0-D", lambda p, x: p.flatten(x))
every("squeeze", lambda p, x: p.squeeze(x), 1, 3, 1)
every("squeeze: axis", lambda p, x: p.squeeze(x, axis=-1), 1, 3, 1)
every("squeeze: axes", lambda p, x: p.squeeze(x, axis=[0, 1]), 1, 3, 1)
every("squeeze: tuple", lambda p, x: p.squeeze(x, axis=(0, 2)), 1, 3, 1)
every("squeeze: 0-D", lambda p, x: p.squeeze(x))
every("unsqueeze", lambda p, x: p.unsqueeze(x, 0), 2, 3)
every("unsqueeze: negative", lambda p, x: p.unsqueeze(x, -1), 2, 3)
every("unsqueeze: axes", lambda p, x: p.unsqueeze(x, [0, 2]), 2, 3)
every("unsqueeze: tensor", lambda p, x: p.unsqueeze(x, p.to_tensor([0, -1])), 2, 3)
every("unsqueeze: 0-D", lambda p, x: p.unsqueeze(x, 0))
every("transpose", lambda p, x: p.transpose(x, [1, 0, 2]), 2, 3, 2)
every("transpose: negative", lambda p, x: p.transpose(x, (-1, 0, 1)), 2, 3, 2)
every("transpose: 0-D", lambda p, x: p.transpose(x, []))
every("transpose: size 0", lambda p, x: p.transpose(x, [1, 0]), 0, 3)
every("t", lambda p, x: p.t(x), 2, 3)
every("t: vector", lambda p, x: p.t(x), 3)
every("t: 0-D", lambda p, x: p.t(x))
every("moveaxis", lambda p, x: p.moveaxis(x, 0, -1), 2, 3, 2)
every("moveaxis: several", lambda p, x: p.moveaxis(x, [0, 1], [2, 0]), 2, 3, 2)
every("broadcast_to", lambda p, x: p.broadcast_to(x, [2, 3, 2]), 3, 1)
every("broadcast_to: kept size", lambda p, x: p.broadcast_to(x, [2, -1, 2]), 3, 1)
every("broadcast_to: 0-D", lambda p, x: p.broadcast_to(x, [2, 2]))
case("broadcast_shape", lambda p: p.broadcast_shape([2, 1, 3], [4, 1]), types=("int64",))
every("expand", lambda p, x: p.expand(x, shape=[2, 3, 2]), 3, 1)
every("expand: kept size", lambda p, x: p.expand(x, [2, -1]), 1, 3)
every("expand: 0-D", lambda p, x: p.expand(x, [3]))
every("expand: tensor", lambda p, x: p.expand(x, p.to_tensor([2, 3])), 3)
case("expand_as", lambda p, x, y: p.expand_as(x, y), real(3, 1), real(2, 3, 2), types=EVERY)
case("expand_as: 0-D", lambda p, x, y: p.expand_as(x, y), real(), real(2), types=EVERY)
every("tile", lambda p, x: p.tile(x, [2, 1]), 2, 3)
every("tile: more axes", lambda p, x: p.tile(x, (2, 1, 2)), 2, 2)
every("tile: fewer axes", lambda p, x: p.tile(x, [2]), 2, 2)
every("tile: 0-D", lambda p, x: p.tile(x, [3]))
every("tile: tensor", lambda p, x: p.tile(x, p.to_tensor([1, 2])), 2, 2)
every("flip", lambda p, x: p.flip(x, [0, -1]), 2, 3, 2)
every("flip: one axis", lambda p, x: p.flip(x, 1), 2, 3)
every("reverse", lambda p, x: p.reverse(x, [1]), 2, 3)
every("roll", lambda p, x: p.roll(x, 2), 2, 3)
every("roll: axes", lambda p, x: p.roll(x, [1, -2], [0, 1]), 3, 4)
every("roll: axis", lambda p, x: p.roll(x, shifts=-1, axis=-1), 2, 3)
for k in (-1, 0, 1, 2, 3):
    every(f"rot90: {k}", lambda p, x, k=k: p.rot90(x, k, [0, 1]), 2, 3)
every("rot90: other axes", lambda p, x: p.rot90(x, 1, [1, 2]), 2, 3, 2)
every("repeat_interleave", lambda p, x: p.repeat_interleave(x, 2), 2, 3)
every("repeat_interleave: axis", lambda p, x: p.repeat_interleave(x, 2, axis=-1), 2, 3)
case("repeat_interleave: tensor", lambda p, x, n: p.repeat_interleave(x, n, 0), real(3, 2), whole(3, low=1, high=3),
     types=NUMBERS)  # fmt: skip
every("unflatten", lambda p, x: p.unflatten(x, 1, [2, -1]), 2, 4)
every("unflatten: negative", lambda p, x: p.unflatten(x, -1, (2, 2)), 2, 4)
every("as_strided", lambda p, x: p.as_strided(x, [2, 2], [3, 1]), 2, 3)
every("unfold", lambda p, x: p.unfold(x, 0, 2, 2), 7)
every("unfold: last axis", lambda p, x: p.unfold(x, -1, 3, 3), 2, 4)
case(
    "unfold: overlap", lambda p, x: p.unfold(x, 0, 3, 2), real(7), types=NUMBERS, gradients=False
)  # which Paddle loses
every("view", lambda p, x: p.view(x, [3, 2]), 2, 3)
case("view_as", lambda p, x, y: p.view_as(x, y), real(2, 3), real(3, 2), types=NUMBERS)
for count in (1, 2, 3):
    name = f"atleast_{count}d"
    for shape in ((), (3,), (2, 3), (2, 1, 2, 1)):
        every(f"{name}: {len(shape)}-D", lambda p, x, name=name: getattr(p, name)(x), *shape)
    call = lambda p, x, y, name=name: getattr(p, name)(x, y)  # noqa: E731
    case(f"{name}: several", call, real(), real(2), types=NUMBERS)
every("numel", lambda p, x: p.numel(x), 2, 3)
every("rank", lambda p, x: p.rank(x), 2, 3)
every("shape", lambda p, x: p.shape(x), 2, 3)
every("shape: 0-D", lambda p, x: [p.shape(x), p.rank(x), p.numel(x)])
every("shape: size 0", lambda p, x: [p.shape(x), p.rank(x), p.numel(x)], 0, 2)
every("tolist", lambda p, x: p.tolist(x), 2, 3)
case("shard_index", lambda p, x: p.shard_index(x, 20, 2, 1), given([[1], [6], [12], [19]]), types=INTEGERS)
case("shard_index: ignore", lambda p, x: p.shard_index(x, 20, 3, 0, -7), given([[1], [6], [12]]), types=INTEGERS)

# joining and splitting

case("concat", lambda p, x, y: p.concat([x, y]), real(2, 3), real(1, 3), types=EVERY)
case("concat: axis -1", lambda p, x, y: p.concat((x, y), axis=-1), real(2, 3), real(2, 2), types=EVERY)
case("concat: axis as tensor", lambda p, x, y: p.concat([x, y], p.to_tensor(1)), real(2, 3), real(2, 2))
case("concat: one tensor twice", lambda p, x: p.concat([x, x], axis=0), real(2, 3))
case("concat: empty part", lambda p, x, y: p.concat([x, y], axis=0), real(2, 3), real(0, 3), types=EVERY)
case("stack", lambda p, x, y: p.stack([x, y]), real(2, 3), real(2, 3), types=EVERY)
case("stack: axis -1", lambda p, x, y: p.stack([x, y], -1), real(2, 3), real(2, 3), types=EVERY)
case("stack: 0-D", lambda p, x, y: p.stack([x, y]), real(), real(), types=EVERY)
every("split", lambda p, x: p.split(x, 3), 6, 2)
every("split: sections", lambda p, x: p.split(x, [1, 3], axis=-1), 2, 4)
every("split: rest", lambda p, x: p.split(x, [1, -1, 2], axis=1), 2, 6)
every("split: axis as tensor", lambda p, x: p.split(x, 2, p.to_tensor(1)), 2, 4)
every("chunk", lambda p, x: p.chunk(x, 2, axis=1), 2, 4)
every("vsplit", lambda p, x: p.vsplit(x, 2), 4, 2)
every("vsplit: sections", lambda p, x: p.vsplit(x, [1, 3]), 4, 2)
every("unbind", lambda p, x: p.unbind(x), 2, 3)
every("unbind: axis", lambda p, x: p.unbind(x, axis=-1), 2, 3)
every("unstack", lambda p, x: p.unstack(x), 2, 3)
every("unstack: axis", lambda p, x: p.unstack(x, axis=1, num=3), 2, 3)
case("meshgrid", lambda p, x, y: p.meshgrid(x, y), real(2), real(3), types=NUMBERS)
case("meshgrid: list", lambda p, x, y, z: p.meshgrid([x, y, z]), real(2), real(1), real(3), types=NUMBERS)
case("broadcast_tensors", lambda p, x, y: p.broadcast_tensors([x, y]), real(2, 1), real(3), types=NUMBERS)

# slices

every("slice", lambda p, x: p.slice(x, [0, 1], [0, 1], [2, 3]), 3, 4)
every("slice: negative", lambda p, x: p.slice(x, axes=[-1], starts=[-3], ends=[-1]), 3, 4)
every("slice: beyond the end", lambda p, x: p.slice(x, [1], [2], [100]), 3, 4)
every("slice: tensors", lambda p, x: p.slice(x, [1], p.to_tensor([1]), [p.to_tensor(3)]), 3, 4)
every("strided_slice", lambda p, x: p.strided_slice(x, [0, 1], [0, 0], [3, 4], [2, 3]), 3, 4)
every("strided_slice: backward", lambda p, x: p.strided_slice(x, [1], [3], [0], [-2]), 2, 4)
every("crop", lambda p, x: p.crop(x, [2, 2], [0, 1]), 3, 4)
every("crop: rest", lambda p, x: p.crop(x, [-1, 2], [1, 1]), 3, 4)
every("crop: no offsets", lambda p, x: p.crop(x, (2, 3)), 3, 4)

# diagonals

for offset in (-1, 0, 2):
    every(f"tril: {offset}", lambda p, x, offset=offset: p.tril(x, offset), 3, 4)
    every(f"triu: {offset}", lambda p, x, offset=offset: p.triu(x, diagonal=offset), 2, 3, 3)
    every(f"diag: of a matrix, {offset}", lambda p, x, offset=offset: p.diag(x, offset), 3, 4)
    every(f"diag: of a vector, {offset}", lambda p, x, offset=offset: p.diag(x, offset), 3)
    every(f"diagflat: {offset}", lambda p, x, offset=offset: p.diagflat(x, offset), 2, 2)
    every(f"diagonal: {offset}", lambda p, x, offset=offset: p.diagonal(x, offset), 3, 4)
    case(f"diag_embed: {offset}", lambda p, x, offset=offset: p.diag_embed(x, offset), real(2, 3), types=EVERY,
         gradients=False)  # fmt: skip  # Paddle has none
    every(f"trace: {offset}", lambda p, x, offset=offset: p.trace(x, offset), 3, 4)
    case(f"diagonal_scatter: {offset}", lambda p, x, y, o=offset: p.diagonal_scatter(x, y.detach(), o), real(3, 4),
         real(2 if offset else 3), types=NUMBERS)  # fmt: skip
    for name in ("tril_indices", "triu_indices"):
        call = lambda p, name=name, offset=offset: getattr(p, name)(3, 4, offset)  # noqa: E731
        case(f"{name}: {offset}", call, types=("int64",))
case("tril_indices: int32", lambda p: p.tril_indices(3, dtype="int32", col=None), types=("int32",))
every("diag: padding", lambda p, x: p.diag(x, 1, padding_value=7), 2)
every("diagonal: axes", lambda p, x: p.diagonal(x, 0, axis1=-1, axis2=0), 2, 3, 2)
every("trace: axes", lambda p, x: p.trace(x, 1, 0, 2), 2, 3, 2)
case("diag_embed: axes", lambda p, x: p.diag_embed(x, dim1=0, dim2=2), real(2, 3), types=EVERY, gradients=False)
every("vander", lambda p, x: p.vander(x), 3)
every("vander: options", lambda p, x: p.vander(x, 4, increasing=True), 3)
every("combinations", lambda p, x: p.combinations(x), 4)
every("combinations: replaced", lambda p, x: p.combinations(x, 3, True), 3)
case("select_scatter", lambda p, x, y: p.select_scatter(x, y, 1, 2), real(2, 3), real(2), types=NUMBERS)
case("select_scatter: negative", lambda p, x, y: p.select_scatter(x, y, -2, -1), real(3, 2), real(2), types=DOUBLE)
assert FLOATS
