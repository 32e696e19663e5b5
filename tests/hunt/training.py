"""Modules, optimisers and schedules with random settings, on the same weights."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from .compare import Case
from .draw import Draw

Made = tuple[str, tuple[Any, ...], dict[str, Any], tuple[int, ...]]


def windows(draw: Draw, n: int, transposed: bool = False) -> Made:
    groups, kernel = draw.one(1, 1, 2), draw.randint(1, 3)
    settings: dict[str, Any] = {"stride": draw.randint(1, 2), "padding": draw.randint(0, 2), "groups": groups}
    settings |= {"dilation": draw.one(1, 1, 2), "bias": draw.chance(0.7)}
    if not transposed and draw.chance(0.3):
        settings["padding_mode"] = draw.one("reflect", "circular", "replicate", "zeros")
    name = f"Conv{'Transpose' if transposed else ''}{n}d"
    return name, (2 * groups, 2 * groups, kernel), settings, (2, 2 * groups, *(draw.randint(4, 6) for _ in range(n)))


def pool(draw: Draw) -> Made:
    n = draw.randint(1, 3)
    sizes = (2, 2, *(draw.randint(4, 7) for _ in range(n)))
    kind = draw.one("MaxPool", "AvgPool", "LPPool", "AdaptiveAvgPool", "AdaptiveMaxPool")
    if kind.startswith("Adaptive"):
        return f"{kind}{n}d", (draw.randint(1, 4),), {}, sizes
    kernel = draw.randint(1, 3)
    settings = {"stride": draw.randint(1, 3), "ceil_mode": draw.chance(0.5)}
    if kind == "LPPool":
        return f"LPPool{n}d", (draw.one(1, 2, 3), kernel), settings, sizes
    settings["padding"] = draw.randint(0, kernel // 2)
    if kind == "AvgPool":
        settings["count_include_pad"] = draw.chance(0.5)
    return f"{kind}{n}d", (kernel,), settings, sizes


def norm(draw: Draw) -> Made:
    affine = draw.chance(0.7)
    kind = draw.one("BatchNorm1d", "BatchNorm2d", "LayerNorm", "GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "RMSNorm",
                    "LocalResponseNorm")  # fmt: skip
    eps = draw.one(1e-5, 1e-3)
    if kind.startswith(("Batch", "Instance")):
        sizes = (3, 4, 5) if kind.endswith("1d") else (3, 4, 3, 2)
        settings = {
            "eps": eps,
            "affine": affine,
            "momentum": draw.one(0.1, 0.5),
            "track_running_stats": draw.chance(0.6),
        }
        return kind, (4,), settings, sizes
    if kind == "GroupNorm":
        return kind, (draw.one(1, 2, 4), 4), {"eps": eps, "affine": affine}, (2, 4, 3)
    if kind == "LocalResponseNorm":
        return kind, (draw.randint(1, 4),), {"alpha": 0.3, "k": draw.one(1.0, 2.0)}, (2, 4, 3)
    return kind, (draw.one((4,), (3, 4)),), {"eps": eps, "elementwise_affine": affine}, (2, 3, 4)


def recurrent(draw: Draw) -> Made:
    kind = draw.one("RNN", "LSTM", "GRU")
    settings: dict[str, Any] = {
        "num_layers": draw.randint(1, 2),
        "bias": draw.chance(0.7),
        "bidirectional": draw.chance(0.4),
    }
    settings["batch_first"] = draw.chance(0.5)
    if kind == "RNN":
        settings["nonlinearity"] = draw.one("tanh", "relu")
    if kind == "LSTM" and draw.chance(0.3):
        settings["proj_size"] = 2
    return kind, (3, 4), settings, (2, 3, 3) if draw.chance(0.8) else (4, 3)


def plain(draw: Draw) -> Made:
    return draw.one(  # type: ignore[no-any-return]
        ("Linear", (4, 3), {"bias": draw.chance(0.7)}, (2, 4)),
        ("PReLU", (draw.one(1, 4),), {"init": draw.one(0.1, 0.25)}, (2, 4, 3)),
        ("ELU", (draw.uniform(0.2, 2),), {}, (2, 4)), ("Softplus", (draw.uniform(0.5, 2), draw.uniform(1, 9)), {}, (2, 4)),
        ("Hardtanh", (-0.5, draw.uniform(0.1, 1)), {}, (2, 4)), ("LeakyReLU", (draw.uniform(0.0, 0.5),), {}, (2, 4)),
        ("GELU", (draw.one("none", "tanh"),), {}, (2, 4)), ("Softmax", (draw.randint(-2, 1),), {}, (2, 4)),
        ("LogSoftmax", (draw.randint(-2, 1),), {}, (2, 4)), ("GLU", (draw.randint(-2, 1),), {}, (2, 4)),
        ("Threshold", (0.1, draw.uniform(-1, 1)), {}, (2, 4)), ("Flatten", (draw.randint(0, 1),), {}, (2, 3, 2)),
        ("Unflatten", (1, (2, 3)), {}, (2, 6)), ("Fold", ((4, 5), (2, 2)), {"padding": draw.randint(0, 1)}, (1, 8, 12)),
        ("Unfold", (2,), {"stride": draw.randint(1, 2), "padding": draw.randint(0, 1)}, (1, 2, 4, 4)),
        ("PixelShuffle", (2,), {}, (1, 8, 2, 3)), ("PixelUnshuffle", (2,), {}, (1, 2, 4, 4)),
        ("Upsample", (), {"scale_factor": draw.one(1.5, 2, 0.6), "mode": draw.one("nearest", "bilinear", "bicubic")}, (1, 2, 4, 5)),
        ("ReflectionPad1d", (draw.randint(0, 2),), {}, (2, 2, 4)), ("ReplicationPad2d", (draw.randint(0, 2),), {}, (2, 2, 4, 3)),
        ("CircularPad1d", (draw.randint(0, 2),), {}, (2, 2, 4)), ("ConstantPad1d", (draw.randint(-1, 2), 0.5), {}, (2, 2, 4)),
        ("TransformerEncoderLayer", (4, 2, 5, 0.0), {"activation": draw.one("relu", "gelu"), "norm_first": draw.chance(0.5), "batch_first": draw.chance(0.5)}, (2, 3, 4)),
        ("ChannelShuffle", (2,), {}, (1, 4, 3)), ("CosineSimilarity", (), {"dim": 1}, (2, 4)),
    )  # fmt: skip


def module(draw: Draw) -> Case:
    make: Callable[[Draw], Made] = draw.one(
        plain,
        plain,
        norm,
        pool,
        recurrent,
        lambda d: windows(d, d.randint(1, 3)),
        lambda d: windows(d, d.randint(1, 2), True),
    )
    name, positional, settings, sizes = make(draw)
    training = draw.chance(0.7)
    x = draw.tensor(sizes, "float64", ties=0.05)

    def run(lib: Any, x: Any) -> Any:
        layer = getattr(lib.nn, name)(*positional, **settings).double()
        fill(lib, layer)
        layer.train(training)
        made = layer(x, x.detach() * 0.5 + 1) if name == "CosineSimilarity" else layer(x)
        made = layer(x * 2) if "BatchNorm" in name and training else made
        losses = [out for out in flat(made) if out.requires_grad]
        grads = lib.autograd.grad(
            sum((out * out).sum() for out in losses), list(layer.parameters()), create_graph=True, allow_unused=True
        ) if losses and list(layer.parameters()) else []  # fmt: skip
        return [made, list(layer.buffers()), [each for each in grads if each is not None], sorted(layer.state_dict())]

    return Case(f"{name} {positional} {settings} {list(sizes)} {'train' if training else 'eval'}", [x], run, 2)


def flat(value: Any) -> list[Any]:
    return [part for each in value for part in flat(each)] if isinstance(value, (tuple, list)) else [value]


def fill(lib: Any, layer: Any) -> None:
    """The same weights for both libraries."""
    with lib.no_grad():
        for number, (name, each) in enumerate(sorted(layer.state_dict(keep_vars=True).items())):
            if each.is_floating_point():
                wave = (lib.arange(each.numel(), dtype=lib.float64) * 0.9 + number).sin().reshape(each.shape)
                each.copy_(wave.abs() + 0.5 if "var" in name else wave * 0.5)


def loss(draw: Draw) -> Case:
    reduction = draw.one("mean", "sum", "none")
    x, y = (draw.tensor((4, 3), draw.one("float64", "float64", "float32"), ties=0.2) for _ in range(2))
    y = y._replace(dtype=x.dtype)
    sign = [draw.one(1.0, -1.0) for _ in range(4)]
    classes = [draw.randint(0, 2) for _ in range(4)]
    smooth, margin = draw.one(0.0, 0.1, 0.4), draw.uniform(0.1, 1.5)
    ignored = draw.one(-100, 1)
    weights = [draw.uniform(0.2, 1.5) for _ in range(3)]
    name = draw.one("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "cross_entropy", "nll_loss", "kl_div", "bce",
                    "bce_logits", "poisson", "gaussian", "hinge", "margin_ranking", "cosine", "triplet", "multi_margin",
                    "soft_margin", "multilabel_soft", "ctc", "cross_entropy soft", "multilabel")  # fmt: skip

    def run(lib: Any, a: Any, b: Any) -> Any:
        F, how = lib.nn.functional, {"reduction": reduction}
        c, s = lib.tensor(classes), lib.tensor(sign, dtype=a.dtype)
        w = lib.tensor(weights, dtype=a.dtype)
        if name in ("mse_loss", "l1_loss"):
            return getattr(F, name)(a, b, **how)
        if name in ("smooth_l1_loss", "huber_loss"):
            return getattr(F, name)(a, b, **{"beta" if name[0] == "s" else "delta": margin}, **how)
        table: dict[str, Callable[[], Any]] = {
            "cross_entropy": lambda: F.cross_entropy(a, c, w, ignore_index=ignored, label_smoothing=smooth, **how),
            "cross_entropy soft": lambda: F.cross_entropy(a, b.softmax(-1), w, label_smoothing=smooth, **how),
            "nll_loss": lambda: F.nll_loss(a.log_softmax(-1), c, w, ignore_index=ignored, **how),
            "kl_div": lambda: F.kl_div(a.log_softmax(-1), b.softmax(-1), **how),
            "bce": lambda: F.binary_cross_entropy(a.sigmoid(), b.sigmoid().detach(), w, **how),
            "bce_logits": lambda: F.binary_cross_entropy_with_logits(a, b.sigmoid(), w, pos_weight=w + 1, **how),
            "poisson": lambda: F.poisson_nll_loss(a, b.abs().detach(), full=smooth > 0, **how),
            "gaussian": lambda: F.gaussian_nll_loss(a, b, b.abs() + 0.1, full=smooth > 0, **how),
            "hinge": lambda: F.hinge_embedding_loss(a, s.unsqueeze(-1).expand(4, 3), margin, **how),
            "margin_ranking": lambda: F.margin_ranking_loss(a[:, 0], b[:, 0], s, margin, **how),
            "cosine": lambda: F.cosine_embedding_loss(a, b, s, margin - 0.5, **how),
            "triplet": lambda: F.triplet_margin_loss(a, b, a.flip(0), margin, swap=smooth > 0, **how),
            "multi_margin": lambda: F.multi_margin_loss(a, c, 1 + (ignored > 0), margin, w, **how),
            "soft_margin": lambda: F.soft_margin_loss(a, s.unsqueeze(-1).expand(4, 3), **how),
            "multilabel_soft": lambda: F.multilabel_soft_margin_loss(a, b.sigmoid().detach(), w, **how),
            "multilabel": lambda: F.multilabel_margin_loss(a, lib.tensor([[0, 2, -1], [1, -1, 0], [-1, 0, 0], [2, 1, 0]]), **how),
            "ctc": lambda: F.ctc_loss(a.reshape(4, 1, 3).log_softmax(-1), lib.tensor([[1, 2]]), lib.tensor([4]), lib.tensor([2]), **how),
        }  # fmt: skip
        return table[name]()

    return Case(f"{name} {reduction} {smooth} {ignored} {x.dtype}", [x, y], run, 2)


OPTIMISERS: dict[str, Callable[[Draw], dict[str, Any]]] = {
    "SGD": lambda d: {"momentum": d.one(0.0, 0.9), "nesterov": False, "weight_decay": d.one(0, 0.1), "maximize": d.chance(0.2)}
    | d.one({}, {"momentum": 0.5, "nesterov": True}, {"momentum": 0.5, "dampening": 0.3}),
    "Adam": lambda d: {"betas": (d.uniform(0, 0.95), d.uniform(0.5, 0.999)), "amsgrad": d.chance(0.3), "weight_decay": d.one(0, 0.1)},
    "AdamW": lambda d: {"betas": (d.uniform(0, 0.95), 0.99), "amsgrad": d.chance(0.3), "weight_decay": d.one(0, 0.1)},
    "Adamax": lambda d: {"betas": (d.uniform(0, 0.95), 0.99), "weight_decay": d.one(0, 0.1), "maximize": d.chance(0.2)},
    "NAdam": lambda d: {"momentum_decay": d.one(4e-3, 0.1), "weight_decay": d.one(0, 0.1), "decoupled_weight_decay": d.chance(0.5)},
    "RAdam": lambda d: {"betas": (0.8, d.one(0.5, 0.999)), "weight_decay": d.one(0, 0.1), "decoupled_weight_decay": d.chance(0.5)},
    "RMSprop": lambda d: {"alpha": d.uniform(0.5, 0.99), "centered": d.chance(0.5), "momentum": d.one(0, 0.9), "weight_decay": d.one(0, 0.1)},
    "Adagrad": lambda d: {"lr_decay": d.one(0, 0.1), "initial_accumulator_value": d.one(0, 0.5), "weight_decay": d.one(0, 0.1)},
    "Adadelta": lambda d: {"rho": d.uniform(0.5, 0.95), "weight_decay": d.one(0, 0.1), "maximize": d.chance(0.2)},
    "ASGD": lambda d: {"lambd": d.one(1e-4, 0.1), "alpha": d.one(0.75, 0.5), "t0": d.one(1, 1e6), "weight_decay": d.one(0, 0.1)},
    "Rprop": lambda d: {"etas": (d.uniform(0.3, 0.7), d.uniform(1.1, 1.5)), "maximize": d.chance(0.2)},
    "Adafactor": lambda d: {"weight_decay": d.one(0, 0.1), "beta2_decay": d.one(-0.8, -0.5)},
}  # fmt: skip
SCHEDULES: dict[str, Callable[[Draw], dict[str, Any]]] = {
    "StepLR": lambda d: {"step_size": d.randint(1, 4), "gamma": d.uniform(0.2, 0.9)},
    "MultiStepLR": lambda d: {"milestones": sorted(d.randint(1, 8) for _ in range(2)), "gamma": d.uniform(0.2, 0.9)},
    "ConstantLR": lambda d: {"factor": d.uniform(0.1, 0.9), "total_iters": d.randint(1, 6)},
    "LinearLR": lambda d: {"start_factor": d.uniform(0.1, 0.9), "end_factor": d.uniform(0.1, 1), "total_iters": d.randint(1, 6)},
    "ExponentialLR": lambda d: {"gamma": d.uniform(0.5, 1.1)},
    "PolynomialLR": lambda d: {"total_iters": d.randint(1, 6), "power": d.uniform(0.5, 3)},
    "CosineAnnealingLR": lambda d: {"T_max": d.randint(2, 6), "eta_min": d.one(0.0, 0.01)},
    "CosineAnnealingWarmRestarts": lambda d: {"T_0": d.randint(1, 4), "T_mult": d.randint(1, 3), "eta_min": d.one(0, 0.01)},
    "CyclicLR": lambda d: {"base_lr": 0.01, "max_lr": 0.2, "step_size_up": d.randint(1, 4), "mode": d.one("triangular", "triangular2", "exp_range"), "gamma": 0.9, "cycle_momentum": False},
    "OneCycleLR": lambda d: {"max_lr": 0.3, "total_steps": d.randint(14, 20), "pct_start": d.uniform(0.1, 0.6), "anneal_strategy": d.one("cos", "linear"), "three_phase": d.chance(0.5), "cycle_momentum": False},
    "ReduceLROnPlateau": lambda d: {"factor": d.uniform(0.2, 0.9), "patience": d.randint(0, 2), "mode": d.one("min", "max"), "threshold": d.one(1e-4, 0.1), "cooldown": d.randint(0, 1)},
}  # fmt: skip


def optimiser(draw: Draw) -> Case:
    """Twelve steps, with one or two schedules, the state saved and loaded half-way."""
    name = draw.one(*OPTIMISERS)
    settings = {"lr": draw.one(0.01, 0.1, 0.5), **OPTIMISERS[name](draw)}
    schedules = [(each, SCHEDULES[each](draw)) for each in draw.sample(sorted(SCHEDULES), draw.randint(0, 2))]
    a, b = draw.tensor((3, 2), "float64", plain=True, ties=0.0), draw.tensor((3,), "float64", plain=True, ties=0.0)
    groups, loads = draw.chance(0.4), draw.chance(0.5)

    def run(lib: Any, x: Any, y: Any) -> Any:
        seen: list[Any] = []
        p, q = (lib.nn.Parameter(each.detach().clone()) for each in (x, y))
        given: list[Any] = [{"params": [p]}, {"params": [q], "lr": 0.05}] if groups else [p, q]
        opt = getattr(lib.optim, name)(given, **copy.deepcopy(settings))
        plans = [getattr(lib.optim.lr_scheduler, each)(opt, **how) for each, how in schedules]
        for step in range(12):
            if step == 6 and loads:
                saved = copy.deepcopy((opt.state_dict(), [each.state_dict() for each in plans]))
                opt = getattr(lib.optim, name)(given if groups else [p, q], **copy.deepcopy(settings))
                plans = [getattr(lib.optim.lr_scheduler, each)(opt, **how) for each, how in schedules]
                opt.load_state_dict(saved[0])
                for each, state in zip(plans, saved[1], strict=True):
                    each.load_state_dict(state)
            opt.zero_grad()
            loss = ((p @ lib.tensor([1.0, -2.0], dtype=p.dtype) - q) ** 2).sum() + (p**4).sum() * 0.1 + q.cos().sum()
            loss.backward()
            opt.step()
            for each, (kind, _) in zip(plans, schedules, strict=True):
                each.step(*([float(loss)] if kind == "ReduceLROnPlateau" else []))
            seen += [p.detach().clone(), q.detach().clone(), [float(group["lr"]) for group in opt.param_groups]]
        return seen

    return Case(f"{name} {settings} {schedules} groups={groups} loads={loads}", [a, b], run, 0)


def case(draw: Draw) -> Case:
    return draw.one(module, module, loss, loss, optimiser)(draw)  # type: ignore[no-any-return]
