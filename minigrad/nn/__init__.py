"""Layers, losses and containers; the functions behind them are in `nn.functional`.

A folder holds one family (`pooling`, `loss`, `normalisation`): its functions, and the modules that call them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UnknownNameError
from . import functional, init, utils
from .activation.modules import (
    ELU,
    GELU,
    GLU,
    SELU,
    Hardswish,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softmin,
    Softplus,
    Tanh,
    Tanhshrink,
)
from .activation.piecewise import CELU, Hardshrink, Hardsigmoid, RReLU, Softmax2d, Softshrink, Softsign, Threshold
from .adaptive_softmax import AdaptiveLogSoftmaxWithLoss
from .attention.modules import MultiheadAttention
from .container import ModuleDict, ModuleList, Sequential
from .convolution.modules import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .distance.modules import CosineSimilarity, PairwiseDistance, TripletMarginWithDistanceLoss
from .dropout import AlphaDropout, Dropout, Dropout1d, Dropout2d, Dropout3d, FeatureAlphaDropout
from .embedding import Embedding, EmbeddingBag
from .flatten import ChannelShuffle, Flatten, PixelShuffle, PixelUnshuffle, Unflatten
from .image.patches import Fold, Unfold
from .image.upsampling import Upsample, UpsamplingBilinear2d, UpsamplingNearest2d
from .lazy import (
    LazyBatchNorm1d,
    LazyBatchNorm2d,
    LazyBatchNorm3d,
    LazyConv1d,
    LazyConv2d,
    LazyConv3d,
    LazyConvTranspose1d,
    LazyConvTranspose2d,
    LazyConvTranspose3d,
    LazyInstanceNorm1d,
    LazyInstanceNorm2d,
    LazyInstanceNorm3d,
    LazyLinear,
)
from .linear import Bilinear, Identity, Linear
from .loss.margin_modules import (
    GaussianNLLLoss,
    MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    PoissonNLLLoss,
    SoftMarginLoss,
)
from .loss.modules import (
    BCELoss,
    BCEWithLogitsLoss,
    CosineEmbeddingLoss,
    CrossEntropyLoss,
    CTCLoss,
    HingeEmbeddingLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    LinearCrossEntropyLoss,
    MarginRankingLoss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
    TripletMarginLoss,
)
from .module import Module
from .normalisation.batch import BatchNorm1d, BatchNorm2d, BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .normalisation.modules import CrossMapLRN2d, GroupNorm, LayerNorm, LocalResponseNorm, RMSNorm
from .normalisation.sync import SyncBatchNorm
from .padding import (
    CircularPad1d,
    CircularPad2d,
    CircularPad3d,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad1d,
    ZeroPad2d,
    ZeroPad3d,
)
from .parallel.data_parallel import DataParallel
from .parameter import Buffer, Parameter
from .parameter_container import ParameterDict, ParameterList
from .pooling.fractional_modules import FractionalMaxPool2d, FractionalMaxPool3d
from .pooling.modules import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    LPPool1d,
    LPPool2d,
    LPPool3d,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
)
from .pooling.unpooling_modules import MaxUnpool1d, MaxUnpool2d, MaxUnpool3d
from .recurrent.cells import GRUCell, LSTMCell, RNNCell, RNNCellBase
from .recurrent.modules import GRU, LSTM, RNN, RNNBase
from .transformer.decoder import Transformer, TransformerDecoder, TransformerDecoderLayer
from .transformer.encoder import TransformerEncoder, TransformerEncoderLayer
from .uninitialized import UninitializedBuffer, UninitializedParameter

__all__ = [
    "Module",
    "Parameter",
    "Buffer",
    "functional",
    "init",
    "utils",
    # containers
    "Sequential",
    "ModuleList",
    "ModuleDict",
    "ParameterList",
    "ParameterDict",
    # layers
    "Identity",
    "Linear",
    "Bilinear",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "MaxPool1d",
    "MaxPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "LPPool2d",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool2d",
    "Upsample",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "SyncBatchNorm",
    "InstanceNorm2d",
    "LayerNorm",
    "GroupNorm",
    "RMSNorm",
    "CrossMapLRN2d",
    "LocalResponseNorm",
    "Dropout",
    "Embedding",
    "Flatten",
    "Unflatten",
    "PixelShuffle",
    "RNN",
    "LSTM",
    "GRU",
    "RNNBase",
    "RNNCell",
    "RNNCellBase",
    "LSTMCell",
    "GRUCell",
    "MultiheadAttention",
    "TransformerEncoderLayer",
    "TransformerEncoder",
    # layers that wrap others
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "Fold",
    "Unfold",
    "ChannelShuffle",
    "PixelUnshuffle",
    "MaxPool3d",
    "AvgPool3d",
    "LPPool1d",
    "LPPool3d",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "UpsamplingNearest2d",
    "UpsamplingBilinear2d",
    "ConvTranspose3d",
    "InstanceNorm1d",
    "InstanceNorm3d",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "AlphaDropout",
    "FeatureAlphaDropout",
    "EmbeddingBag",
    "CosineSimilarity",
    "PairwiseDistance",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    # lazy layers
    "UninitializedParameter",
    "UninitializedBuffer",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "LazyLinear",
    # activations
    "CELU",
    "Hardsigmoid",
    "RReLU",
    "Threshold",
    "Hardshrink",
    "Softshrink",
    "Softsign",
    "Softmax2d",
    "ReLU",
    "ReLU6",
    "LeakyReLU",
    "PReLU",
    "ELU",
    "SELU",
    "GELU",
    "SiLU",
    "Mish",
    "Softplus",
    "Tanh",
    "Tanhshrink",
    "Hardtanh",
    "Hardswish",
    "Sigmoid",
    "LogSigmoid",
    "Softmax",
    "LogSoftmax",
    "Softmin",
    "GLU",
    # losses
    "MultiMarginLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "SoftMarginLoss",
    "PoissonNLLLoss",
    "GaussianNLLLoss",
    "TripletMarginWithDistanceLoss",
    "MSELoss",
    "L1Loss",
    "SmoothL1Loss",
    "HuberLoss",
    "CrossEntropyLoss",
    "LinearCrossEntropyLoss",
    "NLLLoss",
    "BCELoss",
    "BCEWithLogitsLoss",
    "KLDivLoss",
    "CosineEmbeddingLoss",
    "HingeEmbeddingLoss",
    "MarginRankingLoss",
    "TripletMarginLoss",
    "CTCLoss",
    "AdaptiveLogSoftmaxWithLoss",
]


if not TYPE_CHECKING:  # or a type checker would accept every name

    def __getattr__(name: str) -> Any:
        """Import an old module path at first use, or raise an error that suggests the right name."""
        import difflib
        import importlib

        if name in ("common_types", "grad", "modules", "parallel"):
            return importlib.import_module("." + name, __name__)
        meant = difflib.get_close_matches(name, globals(), 1)
        hint = f" Did you mean {meant[0]!r}?" if meant else ""
        raise UnknownNameError(f"module 'minigrad.nn' has no attribute {name!r}.{hint}")
