"""Wav2Lip: faces whose lips move as a sound says, with a discriminator of faces, and an expert on lips and sound.

Paper: Prajwal et al., "A lip sync expert is all you need for speech to lip generation in the wild", ACM MM 2020,
https://arxiv.org/abs/2008.10010
Source of parameter names: ppgan 2.1 (wav2lip.py, wav2lip_disc_qual.py, syncnet.py, conv.py).
Faces are numbers from 0 to 1, blue first, of 96 pixels; sounds are mel spectrograms of 80 bands and 16 frames. Kernels
start uniform within sqrt(6 / fan in). ``width`` is ours, for small experiments: it divides all channels within.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Union

import core
from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Constant, Uniform
from core.nn.layer.checks import positive_numbers

SIDE = 96
"""Pixels of a side of a face."""

MEL_SHAPE = (80, 16)
"""Bands and frames of the sound of a picture."""

FRAMES = 5
"""Pictures that follow each other, by which lips and sound are compared."""

Stride = Union[int, tuple[int, int]]


def started(fan_in: int) -> dict[str, Any]:
    """Return ``weight_attr`` and ``bias_attr`` of a layer whose outputs are computed from ``fan_in`` numbers."""
    bound = math.sqrt(6.0 / fan_in)
    return {
        "weight_attr": ParamAttr(initializer=Uniform(-bound, bound)),
        "bias_attr": ParamAttr(initializer=Constant(0.0)),
    }


def conv(before: int, after: int, kernel_size: int, stride: Stride = 1, padding: int = 0) -> nn.Conv2D:
    """Return a convolution."""
    return nn.Conv2D(before, after, kernel_size, stride, padding, **started(before * kernel_size**2))


class ConvBNRelu(nn.Layer):
    """A convolution, batch normalisation, perhaps the input added, ReLU.

    Args:
        cin: channels received.
        cout: channels returned.
        kernel_size: pixels of a side.
        stride: pixels between results.
        padding: pixels around the border.
        residual: whether the input is added.
    """

    def __init__(
        self, cin: int, cout: int, kernel_size: int, stride: Stride = 1, padding: int = 1, residual: bool = False
    ) -> None:
        super().__init__()
        self.conv_block = nn.Sequential(conv(cin, cout, kernel_size, stride, padding), nn.BatchNorm2D(cout))
        self.residual = residual

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        found = self.conv_block(x)
        return F.relu(found + x if self.residual else found)


class Conv2dTransposeRelu(nn.Layer):
    """A transposed 3 x 3 convolution, batch normalisation, ReLU.

    Args:
        cin: channels received.
        cout: channels returned.
        stride: 2 doubles feature maps; 1, without padding, makes them 2 larger.
    """

    def __init__(self, cin: int, cout: int, stride: int) -> None:
        super().__init__()
        beyond = stride - 1
        layer = nn.Conv2DTranspose(cin, cout, 3, stride, beyond, beyond, **started(cout * 9))
        self.conv_block = nn.Sequential(layer, nn.BatchNorm2D(cout))

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        return F.relu(self.conv_block(x))


class NonNormConv2d(nn.Layer):
    """A convolution, leaky ReLU; arguments as of :class:`ConvBNRelu`."""

    def __init__(self, cin: int, cout: int, kernel_size: int, stride: Stride = 1, padding: int = 1) -> None:
        super().__init__()
        self.conv_block = nn.Sequential(conv(cin, cout, kernel_size, stride, padding))

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        return F.leaky_relu(self.conv_block(x), 0.01)


def sound_encoder(widths: Sequence[int], residuals: Sequence[int]) -> nn.Sequential:
    """Return layers that take sounds (N, 1, 80, 16) to a vector of each, (N, C, 1, 1).

    Args:
        widths: channels of the four sizes of feature maps, and of the vector.
        residuals: further convolutions at each size.
    """
    layers: list[nn.Layer] = []
    strides: tuple[Stride, ...] = (1, (3, 1), 3, (3, 2))
    before = 1
    for after, stride, further in zip(widths, strides, residuals):
        layers.append(ConvBNRelu(before, after, 3, stride))
        layers += [ConvBNRelu(after, after, 3, residual=True) for _ in range(further)]
        before = after
    last = widths[4]
    return nn.Sequential(*layers, ConvBNRelu(before, last, 3, padding=0), ConvBNRelu(last, last, 1, padding=0))


def check_faces(owner: str, faces: Any, channels: int) -> None:
    """Check faces (N, channels, 96, 96), or with frames (N, channels, T, 96, 96).

    Raises:
        ValueError: they have another shape.
    """
    shape = list(faces.shape)
    if len(shape) not in (4, 5) or shape[1] != channels or shape[-2:] != [SIDE, SIDE]:
        raise ValueError(
            f"{owner} takes faces (N, {channels}, {SIDE}, {SIDE}), or (N, {channels}, T, ...), not {shape}"
        )


def check_sounds(owner: str, sounds: Any, axes: int) -> None:
    """Check sounds (N, 1, 80, 16), or with frames (N, T, 1, 80, 16).

    Raises:
        ValueError: they have another shape.
    """
    shape = list(sounds.shape)
    if len(shape) != axes or shape[-3:] != [1, *MEL_SHAPE]:
        raise ValueError(f"{owner} takes sounds of 80 bands and 16 frames, ({axes} axes), not {shape}")


def frames_first(x: Any, axis: int) -> Any:
    """Return what has frames with these in the batch, all samples of the first frame first."""
    return core.concat([part.squeeze(axis) for part in core.split(x, x.shape[axis], axis=axis)], axis=0)


class Wav2Lip(nn.Layer):
    """Sounds and faces to faces that speak them.

    Args:
        width: what all channels within are divided by; 1 is the paper's.

    Raises:
        ValueError: it is not from 1 to 16.
    """

    def __init__(self, width: int = 1) -> None:
        super().__init__()
        positive_numbers("Wav2Lip", width=width)
        if width > 16:
            raise ValueError(f"Wav2Lip: width must be from 1 to 16, not {width}")
        block = ConvBNRelu
        sizes = [channels // width for channels in (16, 32, 64, 128, 256, 512, 512)]
        faces = [nn.Sequential(block(6, sizes[0], 7, padding=3))]
        for before, after, further in zip(sizes, sizes[1:6], (2, 3, 2, 2, 1)):
            more = (block(after, after, 3, residual=True) for _ in range(further))
            faces.append(nn.Sequential(block(before, after, 3, 2), *more))
        last = sizes[6]
        faces.append(nn.Sequential(block(sizes[5], last, 3, padding=0), block(last, last, 1, padding=0)))
        self.face_encoder_blocks = nn.LayerList(faces)
        self.audio_encoder = sound_encoder([channels // width for channels in (32, 64, 128, 256, 512)], (2, 2, 2, 1))
        made = [channels // width for channels in (512, 512, 512, 384, 256, 128, 64)]
        decoder = [nn.Sequential(block(made[0], made[0], 1, padding=0))]
        for number, (before, after) in enumerate(zip(made, made[1:])):
            received = before + sizes[6 - number]
            more = (block(after, after, 3, residual=True) for _ in range(2 if number else 1))
            decoder.append(nn.Sequential(Conv2dTransposeRelu(received, after, 2 if number else 1), *more))
        self.face_decoder_blocks = nn.LayerList(decoder)
        inner = 32 // width
        self.output_block = nn.Sequential(block(made[6] + sizes[0], inner, 3), conv(inner, 3, 1), nn.Sigmoid())

    def forward(self, sounds: Any, faces: Any) -> Any:
        """Return faces, 0 to 1.

        Args:
            sounds: (N, 1, 80, 16), or for each of T frames (N, T, 1, 80, 16).
            faces: (N, 6, 96, 96): a face whose lower half is 0, and a face that shows how the person looks; or (N, 6,
                T, 96, 96).

        Returns:
            (N, 3, 96, 96), or (N, 3, T, 96, 96).
        """
        check_faces("Wav2Lip", faces, 6)
        several = len(faces.shape) == 5
        check_sounds("Wav2Lip", sounds, 4 + several)
        frames = faces.shape[2]
        if several:
            sounds, faces = frames_first(sounds, 1), frames_first(faces, 2)
        maps, x = [], faces
        for block in self.face_encoder_blocks:
            x = block(x)
            maps.append(x)
        x = self.audio_encoder(sounds)
        for block in self.face_decoder_blocks:
            x = core.concat([block(x), maps.pop()], axis=1)
        made = self.output_block(x)
        return core.stack(core.split(made, frames, axis=0), axis=2) if several else made


class Wav2LipDiscQual(nn.Layer):
    """Lower halves of faces (N, 3, T, 96, 96) to how real each looks, (N T, 1), 0 to 1; frames first.

    Args:
        width: what all channels within are divided by; 1 is the paper's.

    Raises:
        ValueError: it is not positive.
    """

    def __init__(self, width: int = 1) -> None:
        super().__init__()
        positive_numbers("Wav2LipDiscQual", width=width)
        block = NonNormConv2d
        sizes = [channels // width for channels in (32, 64, 128, 256, 512, 512, 512)]
        blocks = [nn.Sequential(block(3, sizes[0], 7, padding=3))]
        for number, (before, after) in enumerate(zip(sizes, sizes[1:6])):
            stride, kernel = (1, 2) if number == 0 else 2, 5 if number < 3 else 3
            first = block(before, after, kernel, stride, kernel // 2)
            blocks.append(nn.Sequential(first, block(after, after, kernel, padding=kernel // 2)))
        ends = block(sizes[5], sizes[6], 3, padding=0), block(sizes[6], sizes[6], 1, padding=0)
        self.face_encoder_blocks = nn.LayerList([*blocks, nn.Sequential(*ends)])
        self.binary_pred = nn.Sequential(conv(sizes[6], 1, 1), nn.Sigmoid())

    def forward(self, faces: Any) -> Any:
        """Return the scores, which a sigmoid has passed, as those of no other discriminator here."""
        check_faces("Wav2LipDiscQual", faces, 3)
        x = frames_first(faces, 2)[:, :, SIDE // 2 :]
        for block in self.face_encoder_blocks:
            x = block(x)
        return core.flatten(self.binary_pred(x), 1)


class SyncNetColor(nn.Layer):
    """The expert: sounds and lower halves of five faces to a vector of each, of length 1.

    Args:
        width: what all channels within are divided by; 1 is the paper's.

    Raises:
        ValueError: it is not positive.
    """

    def __init__(self, width: int = 1) -> None:
        super().__init__()
        positive_numbers("SyncNetColor", width=width)
        block = ConvBNRelu
        sizes = [channels // width for channels in (32, 64, 128, 256, 512)]
        layers = [block(3 * FRAMES, sizes[0], 7, padding=3)]
        for number, (before, after) in enumerate(zip(sizes, sizes[1:])):
            layers.append(block(before, after, 5 if number == 0 else 3, (1, 2) if number == 0 else 2))
            layers += [block(after, after, 3, residual=True) for _ in range((2, 3, 2, 2)[number])]
        last = sizes[4]
        layers += [block(last, last, 3, 2), block(last, last, 3, padding=0), block(last, last, 1, padding=0)]
        self.face_encoder = nn.Sequential(*layers)
        self.audio_encoder = sound_encoder(sizes, (2, 2, 2, 2))

    def forward(self, sounds: Any, faces: Any) -> tuple[Any, Any]:
        """Return the vectors of sounds and of faces, (N, 512) each.

        Args:
            sounds: (N, 1, 80, 16).
            faces: the lower halves of five faces, their colors one after the other, (N, 15, 48, 96).
        """
        check_sounds("SyncNetColor", sounds, 4)
        if list(faces.shape)[1:] != [3 * FRAMES, SIDE // 2, SIDE]:
            raise ValueError(f"SyncNetColor takes lower halves of faces (N, 15, 48, 96), not {list(faces.shape)}")
        vectors = (self.audio_encoder(sounds), self.face_encoder(faces))
        sound, face = (F.normalize(core.flatten(vector, 1), p=2, axis=1) for vector in vectors)
        return sound, face
