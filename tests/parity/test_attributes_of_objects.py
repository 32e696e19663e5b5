"""Every public attribute of PyTorch's layers, optimisers, schedules, distributions and data sets is there, or is listed.

Programs read `lstm.all_weights`, call `lstm.flatten_parameters()` and give a layer another `_sa_block`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg

from .same import same, torch

pytestmark = pytest.mark.parity

LAYERS: dict[str, tuple[Any, ...]] = {
    "Linear": (2, 3), "Bilinear": (2, 2, 2), "Identity": (), "LazyLinear": (3,),
    "Conv1d": (2, 3, 3), "Conv2d": (2, 3, 3), "Conv3d": (2, 3, 3), "ConvTranspose2d": (2, 3, 3),
    "LSTM": (2, 3), "GRU": (2, 3), "RNN": (2, 3), "LSTMCell": (2, 3), "GRUCell": (2, 3), "RNNCell": (2, 3),
    "BatchNorm2d": (3,), "SyncBatchNorm": (3,), "LayerNorm": (3,), "GroupNorm": (1, 3), "InstanceNorm2d": (3,),
    "RMSNorm": (3,), "LocalResponseNorm": (2,), "Embedding": (3, 4), "EmbeddingBag": (3, 4),
    "MultiheadAttention": (4, 2), "TransformerEncoderLayer": (4, 2), "TransformerDecoderLayer": (4, 2),
    "Transformer": (4, 2), "Dropout": (), "AlphaDropout": (), "MaxPool2d": (2,), "AvgPool2d": (2,), "LPPool2d": (2, 2),
    "AdaptiveAvgPool2d": (2,), "FractionalMaxPool2d": (2, 2), "MaxUnpool2d": (2,), "Upsample": (2,), "Flatten": (),
    "Unflatten": (1, (1, 2)), "Fold": (2, 2), "Unfold": (2,), "PixelShuffle": (2,), "ChannelShuffle": (2,),
    "ZeroPad2d": (2,), "ConstantPad1d": (1, 2.0), "ReflectionPad2d": (1,), "Sequential": (), "ModuleList": (),
    "ModuleDict": (), "ParameterList": (), "ParameterDict": (), "PReLU": (), "ReLU": (), "ELU": (), "LeakyReLU": (),
    "Softmax": (1,), "Threshold": (1, 2), "Hardtanh": (), "GLU": (), "GELU": (), "RReLU": (), "Softplus": (),
    "CrossEntropyLoss": (), "BCEWithLogitsLoss": (), "KLDivLoss": (), "HuberLoss": (), "CTCLoss": (), "NLLLoss": (),
    "TripletMarginLoss": (), "GaussianNLLLoss": (), "PoissonNLLLoss": (), "MultiMarginLoss": (),
    "AdaptiveLogSoftmaxWithLoss": (4, 10, [2]), "CosineSimilarity": (), "PairwiseDistance": (),
}  # fmt: skip

SCHEDULES: dict[str, tuple[Any, ...]] = {
    "StepLR": (2,), "MultiStepLR": ([2],), "ConstantLR": (), "LinearLR": (), "ExponentialLR": (0.9,),
    "CosineAnnealingLR": (5,), "PolynomialLR": (), "ReduceLROnPlateau": (), "CyclicLR": (0.1, 0.2),
    "OneCycleLR": (0.1, 10), "CosineAnnealingWarmRestarts": (5,), "LambdaLR": (lambda epoch: 1.0,),
    "MultiplicativeLR": (lambda epoch: 1.0,),
}  # fmt: skip

OPTIMISERS = (
    "SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "ASGD", "NAdam", "RAdam", "Rprop", "LBFGS",
    "SparseAdam", "Adafactor",
)  # fmt: skip

OTHERS: dict[str, Callable[[Any], Any]] = {
    "DataLoader": lambda lib: lib.utils.data.DataLoader([1, 2, 3]),
    "TensorDataset": lambda lib: lib.utils.data.TensorDataset(lib.ones(3)),
    "ConcatDataset": lambda lib: lib.utils.data.ConcatDataset([[1], [2]]),
    "Subset": lambda lib: lib.utils.data.Subset([1, 2], [0]),
    "RandomSampler": lambda lib: lib.utils.data.RandomSampler([1, 2]),
    "WeightedRandomSampler": lambda lib: lib.utils.data.WeightedRandomSampler([0.1, 0.2], 2),
    "PackedSequence": lambda lib: lib.nn.utils.rnn.pack_sequence([lib.ones(2)]),
    "AveragedModel": lambda lib: lib.optim.swa_utils.AveragedModel(lib.nn.Identity()),
    "GradScaler": lambda lib: lib.amp.GradScaler("cpu", enabled=False),
    "Size": lambda lib: lib.Size([1]),
    "device": lambda lib: lib.device("cpu"),
    "finfo": lambda lib: lib.finfo(lib.float32),
    "iinfo": lambda lib: lib.iinfo(lib.int32),
}

LEFT_OUT = {
    "ipu", "mtia", "xpu",  # to devices that are not there
    "T_destination", "OptimizerPreHook", "OptimizerPostHook",  # for type checkers
    "profile_hook_step", "share_memory", "check_worker_number_rationality", "cumsum", "cummulative_sizes",  # PyTorch's own workings
    "check_input", "check_forward_args", "check_hidden_size", "get_expected_hidden_size", "get_expected_cell_size",
    "permute_hidden", "merge_masks", "activation_relu_or_gelu", "use_nested_tensor",
}  # fmt: skip


def layers(lib: Any) -> dict[str, Any]:
    return {name: getattr(lib.nn, name)(*given) for name, given in LAYERS.items()}


def optimisers(lib: Any) -> dict[str, Any]:
    return {name: getattr(lib.optim, name)([lib.nn.Parameter(lib.ones(3))]) for name in OPTIMISERS}


def schedules(lib: Any) -> dict[str, Any]:
    made = {}
    for name, given in SCHEDULES.items():
        optimiser = lib.optim.SGD([lib.nn.Parameter(lib.ones(3))], lr=0.1, momentum=0.9)
        made[name] = getattr(lib.optim.lr_scheduler, name)(optimiser, *given)
    return made


def others(lib: Any) -> dict[str, Any]:
    return {name: make(lib) for name, make in OTHERS.items()}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("made", [layers, optimisers, schedules, others], ids=lambda made: str(made.__name__))
def test_no_public_attribute_is_missing(made: Callable[[Any], dict[str, Any]]) -> None:
    ours, theirs = made(mg), made(torch)
    missing = {}
    for name, their in theirs.items():
        public = {each for each in dir(their) if not each.startswith("_")} - LEFT_OUT
        if lacking := sorted(each for each in public if not hasattr(ours[name], each)):
            missing[name] = lacking
    assert not missing


def weights_of_recurrent_layers(lib: Any) -> Any:
    net = lib.nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2)
    net.flatten_parameters()
    plain = lib.nn.GRU(2, 3, bias=False)
    return [[each.shape for each in part] for part in net.all_weights], [w.sum() for w in plain._flat_weights]


def cells_say_how_they_were_made(lib: Any) -> Any:
    cell = lib.nn.RNNCell(2, 3, bias=False, nonlinearity="relu")
    return cell.bias, cell.nonlinearity, lib.nn.GRUCell(2, 3).bias, repr(cell)


def a_convolution_with_standardised_weights(lib: Any) -> Any:
    class Standardised(lib.nn.Conv2d):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            w = self.weight
            w = (w - w.mean((1, 2, 3), keepdim=True)) / (w.std((1, 2, 3), keepdim=True) + 1e-5)
            return self._conv_forward(x, w, self.bias)

    conv = Standardised(2, 3, 3, padding=(1, 2), padding_mode="reflect")
    return conv(lib.randn(1, 2, 5, 6)), conv._reversed_padding_repeated_twice


def blocks_of_a_transformer_that_are_replaced(lib: Any) -> Any:
    class Encoder(lib.nn.TransformerEncoderLayer):  # type: ignore[misc, name-defined]
        def _sa_block(self, x: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
            return x.flip(0) * 2

    class Decoder(lib.nn.TransformerDecoderLayer):  # type: ignore[misc, name-defined]
        def _ff_block(self, x: Any) -> Any:
            return -x

        def _mha_block(self, x: Any, mem: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
            return x + mem.mean()

    x = lib.randn(3, 2, 4)
    return Encoder(4, 2, dropout=0.0).train()(x), Decoder(4, 2, dropout=0.0)(x, x * 2)


def weights_of_attention(lib: Any) -> Any:
    same_width, other = lib.nn.MultiheadAttention(4, 2), lib.nn.MultiheadAttention(4, 2, kdim=3, vdim=5)
    names = ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight")
    shapes = [[None if (w := getattr(net, n)) is None else w.shape for n in names] for net in (same_width, other)]
    return shapes, same_width._qkv_same_embed_dim, other._qkv_same_embed_dim, sorted(other.state_dict())


def gradients_of_convolutions(lib: Any) -> Any:
    grad = importlib.import_module(f"{lib.__name__}.nn.grad")
    assert lib.nn.functional.grad is grad
    found = []
    for dims, how in ((1, (2, 1, 1, 2)), (2, ((1, 2), (0, 1), (2, 1), 1)), (3, (1, 1, 1, 1))):
        x, groups = lib.randn(2, 4, *(7, 6, 5)[:dims], dtype=lib.float64), how[3]
        w = lib.randn(6, 4 // groups, *(3, 2, 2)[:dims], dtype=lib.float64)
        y = getattr(lib.nn.functional, f"conv{dims}d")(x, w, None, *how)
        g = lib.randn(*y.shape, dtype=lib.float64)
        found += [
            getattr(grad, f"conv{dims}d_input")(x.shape, w, g, *how),
            getattr(grad, f"conv{dims}d_weight")(x, w.shape, g, *how),
        ]
    return found


def windows_of_signals(lib: Any) -> Any:
    windows = importlib.import_module(f"{lib.__name__}.signal.windows")
    plain = ["bartlett", "blackman", "cosine", "exponential", "gaussian", "hamming", "hann", "kaiser", "nuttall"]
    made = [getattr(windows, name)(M, sym=sym) for name in plain for M in (0, 1, 2, 7) for sym in (True, False)]
    return [
        made,
        windows.exponential(5, center=1.0, tau=2.0, sym=False),
        windows.gaussian(6, std=0.7, dtype=lib.float64),
        windows.general_cosine(5, a=[0.4, 0.3, 0.2], requires_grad=True).requires_grad,
        windows.general_hamming(5, alpha=0.6),
    ]


def packed_sequences_of_other_types(lib: Any) -> Any:
    packed = lib.nn.utils.rnn.pack_sequence([lib.ones(3), lib.ones(2)])
    names = ("half", "double", "long", "int", "short", "char", "byte")
    return [getattr(packed, name)().data for name in names], packed.is_pinned()


def draws_by_an_older_name(lib: Any) -> Any:
    return lib.distributions.Normal(0.0, 1.0).sample_n(3), lib.distributions.transforms.CatTransform.__name__


def devices_that_are_asked_for(lib: Any) -> Any:
    lib.set_warn_always(True)
    asked = [lib.is_warn_always_enabled(), lib.mps.is_available(), lib.xpu.is_available(), lib.cpu.is_available()]
    lib.set_warn_always(False)
    lib.xpu.empty_cache()
    return asked, lib.xpu.device_count(), lib.cpu.device_count()


def modules_and_tensors_are_moved_with_all_arguments(lib: Any) -> Any:
    net = lib.nn.Conv2d(2, 3, 3).to(memory_format=lib.channels_last)
    x = lib.randn(1, 2, 4, 4).to(dtype=lib.float32, memory_format=lib.channels_last)
    copied, kept = x.to("cpu", lib.float32, False, True), x.to("cpu", lib.float32, True)
    return net(x), copied is x, kept is x, x.to(lib.float32, False, True) is x, x.to(copied, False, True) is copied


def padding_with_a_value_of_nothing(lib: Any) -> Any:
    x = lib.arange(4.0).reshape(1, 1, 4)
    modes = ("reflect", "replicate", "circular", "constant")
    return [lib.nn.functional.pad(x, (1, 2), mode, value) for mode in modes for value in (None, 0, 0.0)]


def a_batch_norm_for_several_gpus_on_one(lib: Any) -> Any:
    functions = importlib.import_module(f"{lib.__name__}.nn.parallel._functions")
    return sorted(each for each in ("Broadcast", "ReduceAddCoalesced", "Gather", "Scatter") if hasattr(functions, each))


def hooks_that_are_counted_cleared_and_replaced(lib: Any) -> Any:
    called: list[str] = []
    net = lib.nn.Sequential(lib.nn.Linear(2, 2), lib.nn.ReLU())
    for module in net:
        module.register_forward_hook(lambda module, given, out: called.append(type(module).__name__))
        module.register_forward_pre_hook(lambda module, given: called.append("before"))
        module.register_full_backward_hook(lambda module, given, got: called.append("backward"))
    kinds = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    counts = [[len(getattr(module, kind)) for kind in kinds] for module in (net, *net)]
    net[0]._forward_hooks.clear()
    net[1]._forward_pre_hooks = type(net[1]._forward_pre_hooks)()
    net[1]._backward_hooks.clear()
    net(lib.ones(1, 2, requires_grad=True)).sum().backward()
    net[1]._forward_hooks = type(net[1]._forward_hooks)({7: lambda module, given, out: called.append("new")})
    net(lib.ones(1, 2))
    return counts, called


@pytest.mark.parametrize(
    "program",
    [
        hooks_that_are_counted_cleared_and_replaced,
        padding_with_a_value_of_nothing,
        a_batch_norm_for_several_gpus_on_one,
        modules_and_tensors_are_moved_with_all_arguments,
        weights_of_recurrent_layers,
        cells_say_how_they_were_made,
        a_convolution_with_standardised_weights,
        blocks_of_a_transformer_that_are_replaced,
        weights_of_attention,
        gradients_of_convolutions,
        windows_of_signals,
        packed_sequences_of_other_types,
        draws_by_an_older_name,
        devices_that_are_asked_for,
    ],
    ids=lambda program: str(program.__name__),
)
def test_what_programs_do_with_them(program: Callable[[Any], Any]) -> None:
    same(program)


def test_what_gpus_do_together_is_done_by_one() -> None:
    functions = importlib.import_module("minigrad.nn.parallel._functions")
    a, b = mg.ones(2), mg.full((2,), 3.0)
    assert functions.Broadcast.apply([0], a, b) == (a, b)
    assert [each.tolist() for each in functions.ReduceAddCoalesced.apply(0, 2, a, b, a, b)] == [[2.0, 2.0], [6.0, 6.0]]
    assert functions.Gather.apply(0, 0, a, b).shape == (4,)
    assert functions.Scatter.apply([0], None, 0, a) == (a,)
    with pytest.raises(RuntimeError, match="there is one device"):
        functions.Broadcast.apply([0, 1], a)
