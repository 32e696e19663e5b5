"""Random programs with views and changes in place: every transformation agrees with plain gradients, one by one."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import minigrad as mg
from minigrad.errors import GradError

UNARY = ("sin", "tanh", "neg", "square", "sigmoid", "clone", "relu")
BINARY = ("add", "mul", "sub", "maximum")
VIEWS = ("t", "first", "column", "flat", "unsqueeze", "tail", "diagonal")
INPLACE = ("sin_", "tanh_", "neg_", "mul_", "add_", "copy_", "square_")
WRITES = ("row", "last", "picked")

Step = tuple[str, str, int, int]

steps = st.lists(
    st.sampled_from(
        [("unary", UNARY), ("binary", BINARY), ("view", VIEWS), ("inplace", INPLACE), ("write", WRITES)]
    ).flatmap(lambda kind: st.tuples(st.just(kind[0]), st.sampled_from(kind[1]), st.integers(0, 9), st.integers(0, 9))),
    min_size=1,
    max_size=8,
)


def view(name: str, x: Any) -> Any:
    if not x.ndim:
        return x.unsqueeze(0)
    if name == "t":
        return x.transpose(0, -1)
    if name == "first":
        return x[0]
    if name == "column":
        return x[..., -1]
    if name == "tail":
        return x[1:] if x.shape[0] > 1 else x[:]
    if name == "diagonal":
        return x.diagonal() if x.ndim > 1 else x
    return x.reshape(-1) if name == "flat" else x.unsqueeze(-1)


def fitted(value: Any, shape: tuple[int, ...]) -> Any:
    """`value` if it broadcasts to `shape`, else one number made of it."""
    padded = (1,) * (len(shape) - value.ndim) + tuple(value.shape)
    fits = len(padded) == len(shape) and all(have in (1, want) for have, want in zip(padded, shape, strict=True))
    return value if fits else value.mean()


def run(program: list[Step], x: Any) -> Any:
    """One number, made of `x` by the program."""
    pool = [x * 1.0]
    for kind, name, a, b in program:
        left, right = pool[a % len(pool)], pool[b % len(pool)]
        if kind == "unary":
            pool.append(getattr(left, name)())
        elif kind == "binary":
            pool.append(getattr(left, name)(fitted(right, tuple(left.shape))))
        elif kind == "view":
            pool.append(view(name, left))
        elif kind == "inplace":
            getattr(left, name)(*[fitted(right, tuple(left.shape))] * (name in ("mul_", "add_", "copy_")))
        elif left.ndim:
            picked = mg.tensor([0, -1] if left.shape[0] > 1 else [0])  # of two writes to one place, which wins is open
            key = {"row": 0, "last": (..., -1), "picked": picked}[name]
            left[key] = fitted(right, tuple(left[key].shape))
    return sum((each.sin() * (i + 1)).sum() for i, each in enumerate(pool))


def close(a: Any, b: Any) -> bool:
    return mg.allclose(a, b, rtol=1e-7, atol=1e-9, equal_nan=True)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), print_blob=False)
@given(program=steps, seed=st.integers(0, 1000))
def test_transformations_agree(program: list[Step], seed: int) -> None:
    grad, jvp, vmap = mg.func.grad, mg.func.jvp, mg.func.vmap
    generator = mg.Generator(mg.get_default_device()).manual_seed(seed)
    x, v = (mg.randn(3, 2, 3, dtype=mg.float64, generator=generator) for _ in range(2))

    def f(x: Any) -> Any:
        return run(program, x)

    def second(x: Any, v: Any) -> Any:
        return grad(lambda x: (grad(f)(x) * v).sum())(x)

    try:
        slopes = mg.stack([grad(f)(each) for each in x])
        bends = mg.stack([second(*each) for each in zip(x, v, strict=True)])
    except GradError:
        assume(False)
    assert close(vmap(f)(x), mg.stack([f(each) for each in x]))
    assert close(vmap(grad(f))(x), slopes)
    assert close(grad(lambda x: vmap(f)(x).sum())(x), slopes)
    along = (slopes * v).sum((1, 2))
    assert close(mg.stack([jvp(f, (a,), (b,))[1] for a, b in zip(x, v, strict=True)]), along)
    assert close(vmap(lambda a, b: jvp(f, (a,), (b,))[1])(x, v), along)
    assert close(jvp(vmap(f), (x,), (v,))[1], along)
    assert close(mg.stack([jvp(grad(f), (a,), (b,))[1] for a, b in zip(x, v, strict=True)]), bends)
    assert close(mg.stack([grad(lambda a, b=b: jvp(f, (a,), (b,))[1])(a) for a, b in zip(x, v, strict=True)]), bends)
    assert close(vmap(second)(x, v), bends)
    assert close(vmap(lambda a, b: jvp(grad(f), (a,), (b,))[1])(x, v), bends)
