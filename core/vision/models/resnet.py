"""ResNet, and its variants with groups (ResNeXt) and with twice the width (Wide ResNet).

Papers: He et al., "Deep residual learning for image recognition", CVPR 2016, https://arxiv.org/abs/1512.03385;
Xie et al., "Aggregated residual transformations for deep neural networks", CVPR 2017,
https://arxiv.org/abs/1611.05431; Zagoruyko, Komodakis, "Wide residual networks", BMVC 2016,
https://arxiv.org/abs/1605.07146
Source of arguments and parameter names: Paddle 2.6. A bottleneck's stride lies on the 3 x 3 convolution.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

from core import nn
from core.operators import flatten
from core.vision.models.base import ImageNetwork, build, choice

_HOST = "https://paddle-hapi.bj.bcebos.com/models/"

model_urls = {
    "resnet18": (f"{_HOST}resnet18.pdparams", "cf548f46534aa3560945be4b95cd11c4"),
    "resnet34": (f"{_HOST}resnet34.pdparams", "8d2275cf8706028345f78ac0e1d31969"),
    "resnet50": (f"{_HOST}resnet50.pdparams", "ca6f485ee1ab0492d38f323885b0ad80"),
    "resnet101": (f"{_HOST}resnet101.pdparams", "02f35f034ca3858e1e54d4036443c92d"),
    "resnet152": (f"{_HOST}resnet152.pdparams", "7ad16a2f1e7333859ff986138630fd7a"),
    "resnext50_32x4d": (f"{_HOST}resnext50_32x4d.pdparams", "dc47483169be7d6f018fcbb7baf8775d"),
    "resnext50_64x4d": (f"{_HOST}resnext50_64x4d.pdparams", "063d4b483e12b06388529450ad7576db"),
    "resnext101_32x4d": (f"{_HOST}resnext101_32x4d.pdparams", "967b090039f9de2c8d06fe994fb9095f"),
    "resnext101_64x4d": (f"{_HOST}resnext101_64x4d.pdparams", "98e04e7ca616a066699230d769d03008"),
    "resnext152_32x4d": (f"{_HOST}resnext152_32x4d.pdparams", "18ff0beee21f2efc99c4b31786107121"),
    "resnext152_64x4d": (f"{_HOST}resnext152_64x4d.pdparams", "77c4af00ca42c405fa7f841841959379"),
    "wide_resnet50_2": (f"{_HOST}wide_resnet50_2.pdparams", "0282f804d73debdab289bd9fea3fa6dc"),
    "wide_resnet101_2": (f"{_HOST}wide_resnet101_2.pdparams", "d4360a2d23657f059216f5d5a1a9ac93"),
}
"""The published weight files and their MD5."""

BLOCKS = {18: (2, 2, 2, 2), 34: (3, 4, 6, 3), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}
"""Number of residual blocks in each of the four stages, by the number of layers with weights."""

Norm = Callable[[int], nn.Layer]
"""Makes the normalisation of a number of channels."""


class BasicBlock(nn.Layer):
    """Two 3 x 3 convolutions and a shortcut: (N, inplanes, H, W) to (N, planes, H / stride, W / stride).

    Args:
        inplanes: channels of the input.
        planes: channels of the output.
        stride: step of the first convolution, pixels.
        downsample: makes the shortcut of the input where sizes differ; None for the input itself.
        groups: accepted for the signature of all blocks; the convolutions have one group.
        base_width: accepted likewise.
        dilation: 1.
        norm_layer: makes the normalisations; BatchNorm2D when it is None.

    Raises:
        NotImplementedError: the dilation is larger than 1.
    """

    expansion = 1

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: Optional[nn.Layer] = None,
        groups: int = 1,
        base_width: int = 64,
        dilation: int = 1,
        norm_layer: Optional[Norm] = None,
    ) -> None:
        super().__init__()
        if dilation > 1:
            raise NotImplementedError(f"BasicBlock: dilation must be 1, not {dilation}; BottleneckBlock takes others")
        norm_layer = norm_layer or nn.BatchNorm2D
        self.conv1 = nn.Conv2D(inplanes, planes, 3, padding=1, stride=stride, bias_attr=False)
        self.bn1 = norm_layer(planes)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2D(planes, planes, 3, padding=1, bias_attr=False)
        self.bn2 = norm_layer(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        shortcut = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(x)) + shortcut)


class BottleneckBlock(nn.Layer):
    """Convolutions of 1 x 1, 3 x 3 and 1 x 1 and a shortcut: (N, inplanes, H, W) to (N, 4 * planes, H', W').

    Args:
        inplanes: channels of the input.
        planes: a quarter of the output's channels.
        stride: step of the 3 x 3 convolution, pixels.
        downsample: makes the shortcut of the input where sizes differ; None for the input itself.
        groups: groups of channels in the 3 x 3 convolution.
        base_width: channels of each group where ``planes`` is 64.
        dilation: distance of the 3 x 3 convolution's taps, pixels.
        norm_layer: makes the normalisations; BatchNorm2D when it is None.
    """

    expansion = 4

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: Optional[nn.Layer] = None,
        groups: int = 1,
        base_width: int = 64,
        dilation: int = 1,
        norm_layer: Optional[Norm] = None,
    ) -> None:
        super().__init__()
        norm_layer = norm_layer or nn.BatchNorm2D
        width = int(planes * (base_width / 64)) * groups
        self.conv1 = nn.Conv2D(inplanes, width, 1, bias_attr=False)
        self.bn1 = norm_layer(width)
        self.conv2 = nn.Conv2D(
            width, width, 3, stride, padding=dilation, dilation=dilation, groups=groups, bias_attr=False
        )
        self.bn2 = norm_layer(width)
        self.conv3 = nn.Conv2D(width, planes * self.expansion, 1, bias_attr=False)
        self.bn3 = norm_layer(planes * self.expansion)
        self.relu = nn.ReLU()
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        shortcut = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.relu(self.bn2(self.conv2(x)))
        return self.relu(self.bn3(self.conv3(x)) + shortcut)


class ResNet(ImageNetwork):
    """A 7 x 7 convolution, four stages of residual blocks and a linear layer: (N, 3, H, W) to (N, num_classes).

    Without the head the result is the feature maps, (N, C, 1, 1), or (N, C, H/32, W/32) without pooling.

    Args:
        block: :class:`BasicBlock` or :class:`BottleneckBlock`.
        depth: 18, 34, 50, 101 or 152 layers with weights; it says how many blocks there are.
        width: channels of each group of the blocks of the first stage.
        num_classes: number of classes; without the head where it is not positive.
        with_pool: whether the feature maps are averaged.
        groups: groups of channels in the blocks.

    Raises:
        ValueError: there is no ResNet of this depth.
    """

    def __init__(
        self,
        block: Any,
        depth: int = 50,
        width: int = 64,
        num_classes: int = 1000,
        with_pool: bool = True,
        groups: int = 1,
    ) -> None:
        super().__init__(num_classes, with_pool)
        counts = choice(BLOCKS, depth, f"ResNet has {', '.join(map(str, BLOCKS))} layers")
        self.groups = groups
        self.base_width = width
        self._norm_layer: Norm = nn.BatchNorm2D
        self.inplanes = 64  # channels that the next stage receives
        self.dilation = 1
        self.conv1 = nn.Conv2D(3, self.inplanes, 7, stride=2, padding=3, bias_attr=False)
        self.bn1 = self._norm_layer(self.inplanes)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2D(3, stride=2, padding=1)
        self.layer1 = self._make_layer(block, 64, counts[0])
        self.layer2 = self._make_layer(block, 128, counts[1], stride=2)
        self.layer3 = self._make_layer(block, 256, counts[2], stride=2)
        self.layer4 = self._make_layer(block, 512, counts[3], stride=2)
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((1, 1))
        if self.num_classes > 0:
            self.fc = nn.Linear(512 * block.expansion, self.num_classes)

    def _make_layer(
        self, block: Any, planes: int, blocks: int, stride: int = 1, dilate: bool = False
    ) -> nn.Sequential:
        """Return a stage; subclasses call it, and replace it.

        Args:
            block: class of its blocks.
            planes: channels of the output, but for the block's expansion.
            blocks: how many.
            stride: step of the first block, pixels.
            dilate: whether the later blocks are dilated by the stride instead.
        """
        norm_layer, dilation, out_channels = self._norm_layer, self.dilation, planes * block.expansion
        if dilate:
            self.dilation *= stride
            stride = 1
        downsample = None
        if stride != 1 or self.inplanes != out_channels:
            downsample = nn.Sequential(
                nn.Conv2D(self.inplanes, out_channels, 1, stride=stride, bias_attr=False), norm_layer(out_channels)
            )
        first = block(
            self.inplanes, planes, stride, downsample, self.groups, self.base_width, dilation, norm_layer
        )
        self.inplanes = out_channels
        options = {"groups": self.groups, "base_width": self.base_width, "norm_layer": norm_layer}
        return nn.Sequential(first, *[block(out_channels, planes, **options) for _ in range(1, blocks)])

    def forward(self, x: Any) -> Any:
        """Return the logits for images, (N, num_classes), or their feature maps."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        if self.with_pool:
            x = self.avgpool(x)
        return self.fc(flatten(x, 1)) if self.num_classes > 0 else x


def _resnet(name: str, block: Any, depth: int, pretrained: bool, **kwargs: Any) -> ResNet:
    network: ResNet = build(name, ResNet, model_urls, pretrained, block=block, depth=depth, **kwargs)
    return network


def resnet18(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """Return ResNet-18, with its weights of ImageNet if ``pretrained``; further arguments as of :class:`ResNet`."""
    return _resnet("resnet18", BasicBlock, 18, pretrained, **kwargs)


def resnet34(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """Return ResNet-34; arguments as of :func:`resnet18`."""
    return _resnet("resnet34", BasicBlock, 34, pretrained, **kwargs)


def resnet50(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """Return ResNet-50; arguments as of :func:`resnet18`."""
    return _resnet("resnet50", BottleneckBlock, 50, pretrained, **kwargs)


def resnet101(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """Return ResNet-101; arguments as of :func:`resnet18`."""
    return _resnet("resnet101", BottleneckBlock, 101, pretrained, **kwargs)


def resnet152(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """Return ResNet-152; arguments as of :func:`resnet18`."""
    return _resnet("resnet152", BottleneckBlock, 152, pretrained, **kwargs)


def resnext50_32x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """Return ResNeXt-50 of 32 groups of 4 channels; arguments as of :func:`resnet18`."""
    return _resnet("resnext50_32x4d", BottleneckBlock, 50, pretrained, **{**kwargs, "groups": 32, "width": 4})


def resnext50_64x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """Return ResNeXt-50 of 64 groups of 4 channels; arguments as of :func:`resnet18`."""
    return _resnet("resnext50_64x4d", BottleneckBlock, 50, pretrained, **{**kwargs, "groups": 64, "width": 4})


def resnext101_32x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """Return ResNeXt-101 of 32 groups of 4 channels; arguments as of :func:`resnet18`."""
    return _resnet("resnext101_32x4d", BottleneckBlock, 101, pretrained, **{**kwargs, "groups": 32, "width": 4})


def resnext101_64x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """Return ResNeXt-101 of 64 groups of 4 channels; arguments as of :func:`resnet18`."""
    return _resnet("resnext101_64x4d", BottleneckBlock, 101, pretrained, **{**kwargs, "groups": 64, "width": 4})


def resnext152_32x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """Return ResNeXt-152 of 32 groups of 4 channels; arguments as of :func:`resnet18`."""
    return _resnet("resnext152_32x4d", BottleneckBlock, 152, pretrained, **{**kwargs, "groups": 32, "width": 4})


def resnext152_64x4d(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """Return ResNeXt-152 of 64 groups of 4 channels; arguments as of :func:`resnet18`."""
    return _resnet("resnext152_64x4d", BottleneckBlock, 152, pretrained, **{**kwargs, "groups": 64, "width": 4})


def wide_resnet50_2(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """Return ResNet-50 whose 3 x 3 convolutions are twice as wide; arguments as of :func:`resnet18`."""
    return _resnet("wide_resnet50_2", BottleneckBlock, 50, pretrained, **{**kwargs, "width": 128})


def wide_resnet101_2(pretrained: bool = False, **kwargs: Any) -> ResNet:
    """Return ResNet-101 whose 3 x 3 convolutions are twice as wide; arguments as of :func:`resnet18`."""
    return _resnet("wide_resnet101_2", BottleneckBlock, 101, pretrained, **{**kwargs, "width": 128})
