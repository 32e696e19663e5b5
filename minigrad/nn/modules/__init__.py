"""The layers at PyTorch's module paths: ``minigrad.nn.modules.loss.MSELoss``.

Each path is a module with names from `minigrad.nn`; the layers are defined in its subpackages.
"""

from __future__ import annotations

import copy
import sys
import types
from collections.abc import Iterable
from itertools import repeat
from typing import Any

from ... import nn
from .. import hooks, registration_hooks
from .. import module as _module
from ..convolution.modules import _Convolution, _ConvTranspose
from ..dropout import _Dropout
from ..lazy import Lazy
from ..linear import NonDynamicallyQuantizableLinear
from ..loading import IncompatibleKeys
from ..loss.modules import Loss, WeightedLoss
from ..normalisation.batch import _BatchNorm, _InstanceNorm, _Norm
from ..padding import _ConstantPad
from ..pooling.modules import _AdaptiveMax, _AvgPool, _LPPool, _MaxPool
from ..pooling.unpooling_modules import _Unpool
from ..recurrent.cells import RNNCellBase
from ..recurrent.modules import RNNBase
from ..state import without_prefix
from ..transformer.encoder import activation_called

PLACES = {
    "activation": "Threshold ReLU RReLU Hardtanh ReLU6 Sigmoid Hardsigmoid Tanh SiLU Mish Hardswish ELU CELU SELU GLU "
    "GELU Hardshrink LeakyReLU LogSigmoid Softplus Softshrink MultiheadAttention PReLU Softsign Tanhshrink Softmin "
    "Softmax Softmax2d LogSoftmax",
    "adaptive": "AdaptiveLogSoftmaxWithLoss",
    "batchnorm": "BatchNorm1d LazyBatchNorm1d BatchNorm2d LazyBatchNorm2d BatchNorm3d LazyBatchNorm3d SyncBatchNorm",
    "channelshuffle": "ChannelShuffle",
    "container": "Sequential ModuleList ModuleDict ParameterList ParameterDict",
    "conv": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d LazyConv2d LazyConv3d "
    "LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d",
    "distance": "PairwiseDistance CosineSimilarity",
    "dropout": "Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout",
    "flatten": "Flatten Unflatten",
    "fold": "Fold Unfold",
    "instancenorm": "InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d "
    "LazyInstanceNorm3d",
    "linear": "Bilinear Identity LazyLinear Linear",
    "loss": "L1Loss NLLLoss PoissonNLLLoss GaussianNLLLoss KLDivLoss MSELoss BCELoss BCEWithLogitsLoss "
    "HingeEmbeddingLoss MultiLabelMarginLoss SmoothL1Loss HuberLoss SoftMarginLoss CrossEntropyLoss "
    "LinearCrossEntropyLoss MultiLabelSoftMarginLoss CosineEmbeddingLoss MarginRankingLoss MultiMarginLoss "
    "TripletMarginLoss TripletMarginWithDistanceLoss CTCLoss",
    "normalization": "CrossMapLRN2d LocalResponseNorm LayerNorm GroupNorm RMSNorm",
    "padding": "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d "
    "ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d",
    "pixelshuffle": "PixelShuffle PixelUnshuffle",
    "pooling": "MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d AvgPool1d AvgPool2d AvgPool3d "
    "FractionalMaxPool2d FractionalMaxPool3d LPPool1d LPPool2d LPPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d "
    "AdaptiveMaxPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d",
    "rnn": "RNN LSTM GRU RNNCell LSTMCell GRUCell",
    "sparse": "Embedding EmbeddingBag",
    "transformer": "Transformer TransformerEncoder TransformerDecoder TransformerEncoderLayer TransformerDecoderLayer",
    "upsampling": "Upsample UpsamplingNearest2d UpsamplingBilinear2d",
}
"""The layers of each path."""


def _clones(module: Any, n: int) -> Any:
    """Return `n` copies of `module` with separate parameters."""
    return nn.ModuleList(copy.deepcopy(module) for _ in range(n))


BASES: dict[str, dict[str, Any]] = {
    "linear": {"NonDynamicallyQuantizableLinear": NonDynamicallyQuantizableLinear},
    "batchnorm": {"_BatchNorm": _BatchNorm, "_NormBase": _Norm},
    "conv": {"_ConvNd": _Convolution, "_ConvTransposeNd": _ConvTranspose},
    "dropout": {"_DropoutNd": _Dropout},
    "instancenorm": {"_InstanceNorm": _InstanceNorm},
    "lazy": {"LazyModuleMixin": Lazy},
    "loss": {"_Loss": Loss, "_WeightedLoss": WeightedLoss},
    "padding": {"_ConstantPadNd": _ConstantPad},
    "pooling": {
        "_AdaptiveMaxPoolNd": _AdaptiveMax, "_AvgPoolNd": _AvgPool, "_LPPoolNd": _LPPool, "_MaxPoolNd": _MaxPool,
        "_MaxUnpoolNd": _Unpool,
    },
    "rnn": {"RNNBase": RNNBase, "RNNCellBase": RNNCellBase},
    "transformer": {"_get_activation_fn": activation_called, "_get_clones": _clones},
}  # fmt: skip
"""Base classes of layers, for programs that test ``isinstance(layer, _BatchNorm)`` or subclass them."""


def _ntuple(n: int) -> Any:
    """Return a function that repeats a single value `n` times, and leaves sequences unchanged."""

    def made(given: Any) -> tuple[Any, ...]:
        return tuple(given) if isinstance(given, Iterable) else tuple(repeat(given, n))

    return made


_single, _pair, _triple, _quadruple = (_ntuple(n) for n in (1, 2, 3, 4))


class _OfAllModules(types.ModuleType):
    """``torch.nn.modules.module``, with the hooks of all modules under PyTorch's names."""

    _global_forward_pre_hooks = hooks.of_all_modules("forward_pre")
    _global_forward_hooks = hooks.of_all_modules("forward")
    _global_backward_pre_hooks = hooks.of_all_modules("backward_pre")
    _global_backward_hooks = hooks.of_all_modules("backward")


def _place(name: str, content: dict[str, Any], kind: type[types.ModuleType] = types.ModuleType) -> types.ModuleType:
    made = kind(f"{__name__}.{name}", f"Names of `minigrad.nn` under ``torch.nn.modules.{name}``.")
    vars(made).update(content, __all__=[each for each in content if not each.startswith("_")])
    sys.modules[made.__name__] = made
    return made


for _name in sorted({*PLACES, *BASES}):
    _layers = {each: getattr(nn, each) for each in PLACES.get(_name, "").split()}
    globals()[_name] = _place(_name, {**_layers, **BASES.get(_name, {})})
module = _place(
    "module",
    {
        "Module": _module.Module,
        "_IncompatibleKeys": IncompatibleKeys,
        **{n: getattr(at, n) for at in (hooks, registration_hooks) for n in dir(at) if n.startswith("register_module")},
    },
    _OfAllModules,
)
utils = _place(
    "utils",
    {
        "_ntuple": _ntuple, "_single": _single, "_pair": _pair, "_triple": _triple, "_quadruple": _quadruple,
        "consume_prefix_in_state_dict_if_present": without_prefix,
    },
)  # fmt: skip
globals().update({each: getattr(nn, each) for layers in PLACES.values() for each in layers.split()})
Module = _module.Module
