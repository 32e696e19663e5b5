"""Random functions of a vector or matrix, under every transform and any nesting of two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .compare import Case
from .draw import Draw, Recipe

SMOOTH: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sin": lambda lib, a, b: a.sin(), "exp": lambda lib, a, b: (a * 0.5).exp(), "tanh": lambda lib, a, b: a.tanh(),
    "square": lambda lib, a, b: a * a, "mul": lambda lib, a, b: a * b, "add": lambda lib, a, b: a + b,
    "div": lambda lib, a, b: a / (b * b + 1), "softmax": lambda lib, a, b: a.softmax(-1),
    "log_softmax": lambda lib, a, b: a.log_softmax(-1), "cumsum": lambda lib, a, b: a.cumsum(-1),
    "cumprod": lambda lib, a, b: a.cumprod(-1), "logsumexp": lambda lib, a, b: a + a.logsumexp(-1, keepdim=True),
    "relu": lambda lib, a, b: a.relu(), "abs": lambda lib, a, b: a.abs(), "gelu": lambda lib, a, b: lib.nn.functional.gelu(a),
    "silu": lambda lib, a, b: lib.nn.functional.silu(a), "softplus": lambda lib, a, b: lib.nn.functional.softplus(a),
    "where": lambda lib, a, b: lib.where(b > 0, a, b), "clamp": lambda lib, a, b: a.clamp(-1, 1), "max": lambda lib, a, b: lib.maximum(a, b),
    "norm": lambda lib, a, b: a / (a.norm() + 1), "var": lambda lib, a, b: a + a.var(-1, keepdim=True, correction=0),
    "flip": lambda lib, a, b: a.flip(-1), "roll": lambda lib, a, b: a.roll(1, -1), "sort": lambda lib, a, b: a.sort(-1)[0],
    "index": lambda lib, a, b: a[..., [1, 0, 2]], "cat": lambda lib, a, b: lib.cat([a[..., 1:], b[..., :1]], -1),
    "stack": lambda lib, a, b: lib.stack([a, b]).sum(0), "prod": lambda lib, a, b: a * b.prod(-1, keepdim=True),
    "outer": lambda lib, a, b: (a.unsqueeze(-1) * b.unsqueeze(-2)).sum(-1), "pow": lambda lib, a, b: a**3,
    "einsum": lambda lib, a, b: lib.einsum("...i,...j->...i", a, b), "matmul": lambda lib, a, b: a @ (b.unsqueeze(-1) * b.unsqueeze(-2)) if b.ndim == 1 else a @ b.mT @ a,
    "layer_norm": lambda lib, a, b: lib.nn.functional.layer_norm(a, (3,)), "expand": lambda lib, a, b: a[..., :1].expand(a.shape) * b,
    "logcumsumexp": lambda lib, a, b: a.logcumsumexp(-1), "atan2": lambda lib, a, b: lib.atan2(a, b + 4),
    "gather": lambda lib, a, b: a.gather(-1, lib.tensor([2, 0, 1]).expand(a.shape)), "detach": lambda lib, a, b: a * b.detach(),
    "fresh": lambda lib, a, b: filled(lib, lib.zeros_like(a), a, b), "new": lambda lib, a, b: filled(lib, a.new_zeros(a.shape), a, b),
    "written": lambda lib, a, b: filled(lib, a.clone(), a, b), "added": lambda lib, a, b: (a * 1).add_(b).mul_(a),
    "masked": lambda lib, a, b: a.masked_fill(b > 0, 0.5), "sinh": lambda lib, a, b: (a * 0.3).sinh(), "lerp": lambda lib, a, b: lib.lerp(a, b, 0.3),
    "scatter": lambda lib, a, b: a.scatter(-1, lib.tensor([1]).expand((*a.shape[:-1], 1)), b[..., :1]), "diag": lambda lib, a, b: lib.diag_embed(a).sum(-1) * b,
    "triu": lambda lib, a, b: lib.outer(a, b).triu().sum(0) if a.ndim == 1 else a.triu() * b, "split": lambda lib, a, b: a.split([1, 2], -1)[1].sum(-1, keepdim=True) + b,
    "unbind": lambda lib, a, b: a.unbind(-1)[0].unsqueeze(-1) * b, "sdpa": lambda lib, a, b: lib.nn.functional.scaled_dot_product_attention(a.reshape(-1, 1), b.reshape(-1, 1), a.reshape(-1, 1)).reshape(a.shape),
    "conv": lambda lib, a, b: lib.nn.functional.conv1d(a.reshape(1, 1, -1), b.reshape(-1)[:3].reshape(1, 1, 3), padding=1).reshape(a.shape),
    "addcmul": lambda lib, a, b: lib.addcmul(a, a, b, value=0.3), "huber": lambda lib, a, b: a + lib.nn.functional.huber_loss(a, b), "xlogy": lambda lib, a, b: lib.xlogy(a, b * b + 1),
}  # fmt: skip


def filled(lib: Any, buffer: Any, a: Any, b: Any) -> Any:
    """A buffer of the function's own, written to place by place and through views."""
    buffer[..., 0] = a[..., 1] * b[..., 0]
    buffer[..., 1:] += a[..., 1:] ** 2
    buffer.narrow(-1, 2, 1).mul_(b[..., 2:])
    return buffer


def function(draw: Draw) -> tuple[str, Callable[[Any, Any, Any], Any]]:
    """A chain of two to five steps; each may use the first input again."""
    names = [draw.one(*SMOOTH) for _ in range(draw.randint(2, 5))]
    turns = [draw.chance(0.3) for _ in names]

    def run(lib: Any, x: Any, w: Any) -> Any:
        a, b = x, w
        for name, turn in zip(names, turns, strict=True):
            a, b = SMOOTH[name](lib, a, b), (a if turn else b)
        return a

    return " ".join(names), run


def whole(f: Any) -> Any:
    return lambda lib, x, w: (f(lib, x, w) * (lib.arange(x.numel(), dtype=x.dtype).reshape(x.shape) * 0.3 + 1)).sum()


TRANSFORMS: dict[str, Callable[..., Any]] = {
    "grad": lambda lib, f, x, w: lib.func.grad(lambda x: whole(f)(lib, x, w))(x),
    "grad both": lambda lib, f, x, w: lib.func.grad(lambda x, w: whole(f)(lib, x, w), argnums=(0, 1))(x, w),
    "vjp": lambda lib, f, x, w: lib.func.vjp(lambda x: f(lib, x, w), x)[1](w),
    "jvp": lambda lib, f, x, w: lib.func.jvp(lambda x: f(lib, x, w), (x,), (w,)),
    "jvp both": lambda lib, f, x, w: lib.func.jvp(lambda x, w: f(lib, x, w), (x, w), (w, x)),
    "jacrev": lambda lib, f, x, w: lib.func.jacrev(lambda x: f(lib, x, w))(x),
    "jacfwd": lambda lib, f, x, w: lib.func.jacfwd(lambda x: f(lib, x, w))(x),
    "hessian": lambda lib, f, x, w: lib.func.hessian(lambda x: whole(f)(lib, x, w))(x),
    "jacrev grad": lambda lib, f, x, w: lib.func.jacrev(lib.func.grad(lambda x: whole(f)(lib, x, w)))(x),
    "jacfwd grad": lambda lib, f, x, w: lib.func.jacfwd(lib.func.grad(lambda x: whole(f)(lib, x, w)))(x),
    "jacfwd jacfwd": lambda lib, f, x, w: lib.func.jacfwd(lib.func.jacfwd(lambda x: whole(f)(lib, x, w)))(x),
    "jacrev jacfwd": lambda lib, f, x, w: lib.func.jacrev(lib.func.jacfwd(lambda x: whole(f)(lib, x, w)))(x),
    "jvp grad": lambda lib, f, x, w: lib.func.jvp(lib.func.grad(lambda x: whole(f)(lib, x, w)), (x,), (w,)),
    "grad jvp": lambda lib, f, x, w: lib.func.grad(
        lambda x: lib.func.jvp(lambda x: whole(f)(lib, x, w), (x,), (w,))[1]
    )(x),
    "jvp jvp": lambda lib, f, x, w: lib.func.jvp(
        lambda x: lib.func.jvp(lambda x: f(lib, x, w), (x,), (w,))[1], (x,), (w,)
    ),
    "vmap": lambda lib, f, x, w: lib.vmap(lambda x, w: f(lib, x, w))(rows(lib, x), rows(lib, w)),
    "vmap one": lambda lib, f, x, w: lib.vmap(lambda x: f(lib, x, w))(rows(lib, x)),
    "vmap out": lambda lib, f, x, w: lib.vmap(lambda x, w: f(lib, x, w), in_dims=(-1, None), out_dims=-1)(
        rows(lib, x).movedim(0, -1), w
    ),
    "vmap vmap": lambda lib, f, x, w: lib.vmap(lambda x: lib.vmap(lambda w: f(lib, x, w))(rows(lib, w)))(rows(lib, x)),
    "vmap grad": lambda lib, f, x, w: lib.vmap(lib.func.grad(lambda x, w: whole(f)(lib, x, w)))(rows(lib, x), rows(lib, w)),
    "vmap jvp": lambda lib, f, x, w: lib.vmap(lambda x, w: lib.func.jvp(lambda x: f(lib, x, w), (x,), (w,)))(rows(lib, x), rows(lib, w)),
    "vmap hessian": lambda lib, f, x, w: lib.vmap(lib.func.hessian(lambda x, w: whole(f)(lib, x, w)))(rows(lib, x), rows(lib, w)),
    "grad vmap": lambda lib, f, x, w: lib.func.grad(lambda x: (lib.vmap(lambda w: f(lib, x, w))(rows(lib, w)) ** 2).sum())(x),
    "jvp vmap": lambda lib, f, x, w: lib.func.jvp(lambda x: lib.vmap(lambda w: f(lib, x, w))(rows(lib, w)), (x,), (w,)),
    "jacrev chunks": lambda lib, f, x, w: lib.func.jacrev(lambda x: f(lib, x, w), chunk_size=2)(x),
    "linearize": lambda lib, f, x, w: lib.func.linearize(lambda x: f(lib, x, w), x)[1](w),
    "jacobian": lambda lib, f, x, w: lib.autograd.functional.jacobian(lambda x: f(lib, x, w), x),
    "functional hessian": lambda lib, f, x, w: lib.autograd.functional.hessian(lambda x: whole(f)(lib, x, w), x),
    "hvp": lambda lib, f, x, w: lib.autograd.functional.hvp(lambda x: whole(f)(lib, x, w), x, w),
    "vhp": lambda lib, f, x, w: lib.autograd.functional.vhp(lambda x: whole(f)(lib, x, w), x, w),
    "functional jvp": lambda lib, f, x, w: lib.autograd.functional.jvp(lambda x: f(lib, x, w), x, w),
    "functional vjp": lambda lib, f, x, w: lib.autograd.functional.vjp(lambda x: f(lib, x, w), x, w),
    "checkpoint": lambda lib, f, x, w: lib.utils.checkpoint.checkpoint(lambda x: f(lib, x, w), x, use_reentrant=False),
    "dual": lambda lib, f, x, w: dual(lib, f, x, w),
    "functional call": lambda lib, f, x, w: lib.vmap(lib.func.grad(lambda x, w: whole(f)(lib, x, w), argnums=1), in_dims=(0, None))(rows(lib, x), w),
}  # fmt: skip


def by_reverse(lib: Any, f: Any, x: Any, w: Any) -> Any:
    """The tangent of ``f`` by two gradients: the gradient is linear in what it is given, so its gradient is that."""
    x = x.clone().requires_grad_()
    y = f(lib, x, w)
    probe = lib.zeros_like(y).requires_grad_()
    slope = lib.autograd.grad(y, x, probe, create_graph=True)[0]
    return lib.autograd.grad(slope, probe, w, create_graph=True)[0]


def twice_by_reverse(lib: Any, f: Any, x: Any, w: Any) -> Any:
    return by_reverse(lib, lambda lib, x, w: by_reverse(lib, f, x, w), x, w)


REFERENCES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("jvp", "linearize", "functional jvp", "dual"), by_reverse),
    "jvp jvp": twice_by_reverse,
    **dict.fromkeys(
        ("jacfwd", "jacrev", "jacrev chunks", "jacobian"),
        lambda lib, f, x, w: lib.autograd.functional.jacobian(lambda x: f(lib, x, w), x),
    ),
    **dict.fromkeys(
        ("hessian", "jacrev grad", "jacfwd grad", "jacfwd jacfwd", "jacrev jacfwd", "functional hessian"),
        lambda lib, f, x, w: lib.autograd.functional.hessian(lambda x: whole(f)(lib, x, w), x),
    ),
    **dict.fromkeys(
        ("hvp", "vhp", "jvp grad", "grad jvp"),
        lambda lib, f, x, w: lib.autograd.functional.vhp(lambda x: whole(f)(lib, x, w), x, w)[1],
    ),
}
"""The same by reverse mode alone."""


def rows(lib: Any, x: Any) -> Any:
    return lib.stack([x, x * 0.5 - 0.3])


def dual(lib: Any, f: Any, x: Any, w: Any) -> Any:
    forward = lib.autograd.forward_ad
    with forward.dual_level():
        made = forward.unpack_dual(f(lib, forward.make_dual(x, w), w))
        return [made.primal] if made.tangent is None else [made.primal, made.tangent]


def case(draw: Draw) -> Case:
    shape = draw.one((3,), (3,), (2, 3), (3, 3))
    name, f = function(draw)
    transform = draw.one(*TRANSFORMS)
    if transform == "linearize" and "addcmul" in name:
        transform = "jvp"  # PyTorch 2.13 ends the process there
    x, w = (Recipe(draw.numbers(shape, -1.5, 1.5, 0.0), "float64", "plain") for _ in range(2))
    orders = 2 if draw.chance(0.15) else 0

    def run(lib: Any, x: Any, w: Any) -> Any:
        import importlib

        for module in ("func", "utils.checkpoint", "autograd.functional", "autograd.forward_ad"):
            importlib.import_module(f"{lib.__name__}.{module}")
        return TRANSFORMS[transform](lib, f, x, w)

    other = REFERENCES.get(transform)
    reference = None if other is None else lambda lib, x, w: other(lib, f, x, w)
    return Case(f"{transform}: {name} {list(shape)} order {orders}", [x, w], run, orders, reference)
