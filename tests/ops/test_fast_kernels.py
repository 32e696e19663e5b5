"""What is computed a faster way is as exact as it says, and as exact as the slow way."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.ops.reduce.row_kernels import largest

NEAR = np.linspace(-30, 30, 60_001, dtype=np.float32)
FAR_OUT = np.array([-1e30, -1000.0, -1e-40, 0.0, 1e-40, 1000.0, 1e30, math.inf], dtype=np.float32)


def chance(x: Any) -> Any:
    return np.array([0.5 * math.erfc(-float(each) / math.sqrt(2)) for each in x])


@pytest.mark.parametrize("x", [NEAR, FAR_OUT], ids=["near", "far"])
def test_gelu_in_float32_is_as_exact_as_it_says(x: Any) -> None:
    found = mg.nn.functional.gelu(mg.tensor(x)).cpu().numpy().astype(np.float64)
    finite = np.isfinite(x)
    wanted = x[finite].astype(np.float64) * chance(x[finite])
    assert np.max(np.abs(found[finite] - wanted) / np.maximum(np.abs(x[finite]), 1e-3)) < 2e-7
    assert np.array_equal(found[~finite], x[~finite])


def test_the_slope_of_gelu_in_float32_is_as_exact_as_it_says() -> None:
    x = mg.tensor(NEAR, requires_grad=True)
    mg.nn.functional.gelu(x).sum().backward()
    double = NEAR.astype(np.float64)
    wanted = chance(double) + double * np.exp(-double * double / 2) / math.sqrt(2 * math.pi)
    assert x.grad is not None
    assert np.max(np.abs(x.grad.cpu().numpy() - wanted)) < 3e-7


@pytest.mark.parametrize("shape", [(1, 1), (5, 10), (3, 4, 63), (7, 64), (2, 65), (100, 10), (5, 20, 63), (65, 64)])
def test_the_largest_of_each_row_is_found_for_every_length(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    assert np.array_equal(largest(np, x, -1), x.max(-1, keepdims=True))
    x[..., 0] = np.nan
    assert np.isnan(largest(np, x, -1)).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "float16"])
@pytest.mark.parametrize("dims", [(0,), (0, 1), (1,), (0, 1, 2)])
def test_sums_over_leading_dimensions_are_sums(dims: tuple[int, ...], dtype: str) -> None:
    x = np.random.default_rng(0).integers(-9, 9, (50, 3, 4)).astype(dtype)
    assert np.array_equal(mg.tensor(x).sum(dims).cpu().numpy(), x.sum(dims))
    assert np.array_equal(mg.tensor(x).transpose(0, 1).sum(dims).cpu().numpy(), x.swapaxes(0, 1).sum(dims))


def test_a_sum_over_many_rows_keeps_its_digits() -> None:
    x = np.random.default_rng(0).random((100_000, 3)).astype(np.float32)
    wanted = x.astype(np.float64).sum(0)
    assert np.max(np.abs(mg.tensor(x).sum(0).cpu().numpy() - wanted) / wanted) < 2e-5


SPECIAL = np.array([0.0, -0.0, math.inf, -math.inf, math.nan, 1e-45, -1e-45, 3.0], dtype=np.float32)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("other", ["array", 0.0, -0.0, 2.5, -math.inf])
def test_a_choice_among_many_elements_keeps_every_bit(dtype: str, other: Any) -> None:
    random = np.random.default_rng(0)
    x = random.choice(SPECIAL, (40, 50)).astype(dtype)
    y = random.choice(SPECIAL, (40, 50)).astype(dtype) if other == "array" else other
    mask = random.random((40, 50)) < 0.5
    bits = f"i{x.itemsize}"
    for turned in (False, True):
        a, b = (y, x) if turned else (x, y)
        wanted = np.where(mask, a, b).astype(dtype)
        given = [mg.tensor(each) if isinstance(each, np.ndarray) else each for each in (a, b)]
        found = mg.where(mg.tensor(mask), given[0], given[1]).cpu().numpy()
        assert np.array_equal(found.view(bits), wanted.view(bits))


@pytest.mark.parametrize("kind", ["float32", "int32", "float16", "float64"])
@pytest.mark.parametrize("descending", [False, True])
def test_an_order_is_stable_whatever_is_sorted_and_nan_is_the_largest(kind: str, descending: bool) -> None:
    random = np.random.default_rng(0)
    values = SPECIAL[:4] if kind == "float16" else SPECIAL
    for among in (values, values[~np.isnan(values)], np.arange(-3, 3)):
        x = random.choice(among if kind != "int32" else np.arange(-3, 3), (6, 30)).astype(kind)
        ranks = np.nan_to_num(x.astype(np.float64), nan=math.inf, posinf=1e300, neginf=-1e300)
        wanted = np.argsort(-ranks if descending else ranks, axis=1, kind="stable")
        if descending:
            assert np.array_equal(mg.tensor(x).topk(7, 1).indices.cpu().numpy(), wanted[:, :7])
        assert np.array_equal(mg.tensor(x).sort(1, descending).indices.cpu().numpy(), wanted)
        turned = mg.tensor(x.T.copy()).sort(0, descending).indices
        assert np.array_equal(turned.cpu().numpy(), wanted.T)


@pytest.mark.parametrize("kind", ["int64", "int32", "uint8"])
def test_gather_and_scatter_reach_the_same_elements_in_any_layout(kind: str) -> None:
    random = np.random.default_rng(0)
    x = random.standard_normal((5, 300, 4)).astype(np.float32)
    index = random.integers(0, 250, (3, 20, 4)).astype(kind)
    source = random.standard_normal((3, 20, 4)).astype(np.float32)
    for layout in (lambda t: t, lambda t: t.transpose(0, 2).contiguous().transpose(0, 2)):
        given, where = layout(mg.tensor(x)), mg.tensor(index)
        assert np.array_equal(given.gather(1, where).cpu().numpy(), np.take_along_axis(x[:3], index.astype(int), 1))
        wanted = x.copy()
        first, _, last = np.ogrid[:3, :20, :4]
        np.add.at(wanted, (first, index, last), source)
        assert np.allclose(given.scatter_add(1, where, mg.tensor(source)).cpu().numpy(), wanted, atol=1e-6)
    assert mg.zeros(3, 0).gather(1, mg.zeros(3, 0, dtype=mg.int64)).shape == (3, 0)


@pytest.mark.parametrize("name", ["softplus", "logsigmoid", "mish"])
def test_softplus_and_its_kin_are_exact_from_end_to_end(name: str) -> None:
    torch = pytest.importorskip("torch")
    x = np.concatenate([NEAR, FAR_OUT, -FAR_OUT, [math.nan]]).astype(np.float32)
    wanted = getattr(torch.nn.functional, name)(torch.tensor(x.astype(np.float64))).cpu().numpy()
    found = getattr(mg.nn.functional, name)(mg.tensor(x)).cpu().numpy()
    assert np.allclose(found, wanted, rtol=5e-7, atol=1e-38, equal_nan=True)


@pytest.mark.parametrize("mode", ["huber", "smooth_l1"])
def test_bent_losses_and_their_two_derivatives_are_pytorch_s_also_at_the_bend_and_at_infinity(mode: str) -> None:
    torch = pytest.importorskip("torch")
    far = [-math.inf, -3.0, -0.5, -0.1, 0.0, 0.2, 0.5, 7.0, math.inf]
    found: list[list[Any]] = []
    for m in (mg, torch):
        x = m.tensor(far, dtype=m.float64, requires_grad=True)
        bend: dict[str, Any] = {"delta": 0.5} if mode == "huber" else {"beta": 0.5}
        zeros = m.zeros(9, dtype=m.float64)
        losses = getattr(m.nn.functional, f"{mode}_loss")(x, zeros, reduction="none", **bend)
        (first,) = m.autograd.grad(losses.sum(), x, create_graph=True)
        (second,) = m.autograd.grad(first.sum(), x)
        found.append([losses.tolist(), first.tolist(), second.tolist()])
    assert np.allclose(found[0], found[1])


def test_a_nearest_picture_of_whole_multiples_is_blocks_with_their_sums_as_gradient() -> None:
    torch = pytest.importorskip("torch")
    for shape, size in (((2, 3, 4), (8,)), ((2, 3, 4, 5), (8, 15)), ((1, 2, 2, 3, 2), (4, 3, 6))):
        x = np.random.default_rng(0).standard_normal(shape)
        found: list[Any] = []
        for m in (mg, torch):
            given = m.tensor(x, requires_grad=True)
            out = m.nn.functional.interpolate(given, size)
            (out * m.arange(out.numel(), dtype=m.float64).reshape(out.shape)).sum().backward()
            found.append((out.grad_fn.name(), out.detach().cpu().numpy(), given.grad.cpu().numpy()))
        assert found[0][0].split(".")[-1] == found[1][0]
        assert np.array_equal(found[0][1], found[1][1])
        assert np.allclose(found[0][2], found[1][2])


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_a_depthwise_convolution_and_its_two_derivatives_are_pytorch_s(dims: int) -> None:
    torch = pytest.importorskip("torch")
    random = np.random.default_rng(0)
    x, w = random.standard_normal((2, 3, *(7, 6, 5)[:dims])), random.standard_normal((3, 1, *(3, 2, 2)[:dims]))
    geometry: dict[str, Any] = {"stride": (2, 1, 1)[:dims], "padding": (1, 0, 1)[:dims], "dilation": (1, 2, 1)[:dims]}
    found: list[list[Any]] = []
    for m in (mg, torch):
        leaves = [m.tensor(each, requires_grad=True) for each in (x, w)]
        out = getattr(m.nn.functional, f"conv{dims}d")(*leaves, groups=3, **geometry)
        first = m.autograd.grad((out**3).sum(), leaves, create_graph=True)
        second = m.autograd.grad(sum((each**2).sum() for each in first), leaves)
        found.append([each.detach().cpu().numpy() for each in (out, *first, *second)])
    assert all(np.allclose(ours, theirs) for ours, theirs in zip(*found, strict=True))


def test_batch_norm_s_memory_moves_as_pytorch_s_and_says_that_it_changed() -> None:
    torch = pytest.importorskip("torch")
    for shape in ((6, 4), (3, 4, 5), (2, 4, 3, 2)):
        x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
        nets = [m.nn.BatchNorm1d(4) if len(shape) < 4 else m.nn.BatchNorm2d(4) for m in (mg, torch)]
        before = nets[0].running_mean._version
        for _ in range(3):
            for m, net in zip((mg, torch), nets, strict=True):
                net(m.tensor(x) * 2 + 1)
        assert nets[0].running_mean._version > before
        for name in ("running_mean", "running_var"):
            assert np.allclose(getattr(nets[0], name).cpu().numpy(), getattr(nets[1], name).cpu().numpy(), rtol=1e-6)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_large_slices_are_added_as_often_as_they_are_named(dim: int) -> None:
    random = np.random.default_rng(0)
    x, index = random.standard_normal((20, 30, 40)), np.array([3, -1, 3, 0, 3])
    source = random.standard_normal((*(20, 30, 40)[:dim], 5, *(20, 30, 40)[dim + 1 :]))
    wanted = x.copy()
    key: Any = (slice(None),) * dim + (index,)
    np.add.at(wanted, key, source)
    index %= x.shape[dim]
    assert np.allclose(mg.tensor(x).index_add(dim, mg.tensor(index), mg.tensor(source)).cpu().numpy(), wanted)
    leaf = mg.tensor(x, requires_grad=True)
    (leaf.index_select(dim, mg.tensor(index)) * mg.tensor(source)).sum().backward()
    assert np.allclose(leaf.grad.cpu().numpy(), wanted - x)


def test_a_mask_or_a_pair_of_lists_adds_as_before() -> None:
    x = mg.zeros(300, 300)
    mask = mg.arange(300) % 2 == 0
    x.index_put_((mask,), mg.ones(150, 300), accumulate=True)
    x.index_put_((mg.tensor([0, 0]), mg.tensor([1, 1])), mg.ones(2), accumulate=True)
    assert x.sum() == 150 * 300 + 2
    assert x[0, 1] == 3


@pytest.mark.parametrize(("kernel", "stride", "padding"), [(2, 2, 0), (3, 2, 1), (2, 3, 0), (3, 1, 1)])
def test_a_max_pool_and_its_gradient_are_pytorch_s_with_ties_nans_and_infinities(
    kernel: int, stride: int, padding: int
) -> None:
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(0).integers(-3, 4, (3, 4, 13, 12)).astype("float32")
    x[0, 0, 3, 3:6], x[1, 1, 5, 5], x[2, :, :, 2] = np.nan, np.inf, -np.inf
    found: list[list[Any]] = []
    for lib in (mg, torch):
        given = lib.tensor(x, requires_grad=True)
        out, where = lib.nn.functional.max_pool2d(given, kernel, stride, padding, return_indices=True)
        slope = np.random.default_rng(1).standard_normal(tuple(out.shape)).astype("float32")
        slope[0, 1, 1, 1] = np.inf
        (grad,) = lib.autograd.grad(out, given, lib.tensor(slope))
        found.append([each.detach().cpu().numpy() for each in (out, where, grad)])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


LONG: list[dict[str, Any]] = [
    {"padding": 1},
    {"padding": 0, "groups": 2},
    {"padding": 2, "dilation": 2},
    {"padding": 3},
]


@pytest.mark.parametrize("portion", [1, 5000, 1 << 21])
@pytest.mark.parametrize("geometry", LONG, ids=str)
@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("transposed", [False, True], ids=["plain", "transposed"])
def test_a_convolution_of_long_rows_and_its_derivatives_are_pytorch_s(
    monkeypatch: pytest.MonkeyPatch, portion: int, geometry: dict[str, Any], dims: int, transposed: bool
) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr("minigrad.ops.nn.convolution.PORTION", portion)
    geometry = dict(geometry)
    random, groups = np.random.default_rng(0), geometry.get("groups", 1)
    x = random.standard_normal((3, 4, *(6, 6, 20)[-dims:]))
    w = random.standard_normal((4, 6 // groups, *(2, 3, 3)[-dims:]))
    if not transposed:
        w = random.standard_normal((6, 4 // groups, *(2, 3, 3)[-dims:]))
    if dims == 3 and geometry.get("padding") == 0:
        geometry["stride"] = (2, 2, 1)
    found: list[list[Any]] = []
    for lib in (mg, torch):
        leaves = [lib.tensor(each, requires_grad=True) for each in (x, w)]
        out = getattr(lib.nn.functional, f"conv{'_transpose' * transposed}{dims}d")(*leaves, **geometry)
        first = lib.autograd.grad((out**3).sum(), leaves, create_graph=True)
        second = lib.autograd.grad(sum((each**2).sum() for each in first), leaves)
        found.append([each.detach().cpu().numpy() for each in (out, *first, *second)])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * (1 + abs(theirs).max(initial=0)))


def test_a_convolution_of_a_large_batch_needs_little_memory() -> None:
    x, weight = mg.ones(64, 8, 32, 32), mg.ones(8, 8, 3, 3)
    tracemalloc.start()
    try:
        mg.nn.functional.conv2d(x, weight, padding=1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 6 * x.nbytes  # all windows at once would be nine times the input, beside the result


def test_batch_norm_counts_its_batches_and_an_ensemble_s_each_for_itself() -> None:
    nets = [mg.nn.BatchNorm1d(3) for _ in range(2)]
    nets[1](mg.randn(4, 3))
    parameters, buffers = mg.func.stack_module_state(nets)
    mg.vmap(lambda p, b, x: mg.func.functional_call(nets[0], (p, b), (x,)))(parameters, buffers, mg.randn(2, 4, 3))
    assert buffers["num_batches_tracked"].tolist() == [1, 2]
    assert [net.num_batches_tracked.item() for net in nets] == [0, 1]
    assert nets[1].num_batches_tracked._version > nets[0].num_batches_tracked._version


@pytest.mark.parametrize("norm", ["layer_norm", "batch_norm"])
def test_moments_kept_for_backward_are_those_of_each_example(norm: str) -> None:
    """Under vmap, `forward` sees an example whose numbers mean nothing; and one input may be of an outer level."""
    mg.manual_seed(0)
    functional = mg.nn.functional
    x, g = mg.randn(3, 4, 5, dtype=mg.float64), mg.randn(3, 4, 5, dtype=mg.float64)
    weight = mg.randn(3, 5, dtype=mg.float64)

    def normed(x: Any, weight: Any) -> Any:
        if norm == "layer_norm":
            return functional.layer_norm(x, (5,), weight)
        return functional.batch_norm(x, None, None, weight, training=True)

    def slope(x: Any, weight: Any, g: Any) -> Any:
        return mg.func.grad(lambda x: (normed(x, weight) * g).sum())(x)

    def slope_by_hand(x: Any, weight: Any, g: Any) -> Any:
        dim = 1 if norm == "layer_norm" else 0
        centred = x - x.mean(dim, keepdim=True)
        scale = ((centred * centred).mean(dim, keepdim=True) + 1e-5).rsqrt()
        return mg.autograd.grad((centred * scale * weight * g).sum(), x)[0]

    mg.testing.assert_close(
        mg.vmap(slope)(x, weight, g),
        mg.stack([slope_by_hand(a.detach().requires_grad_(), w, b) for a, w, b in zip(x, weight, g, strict=True)]),
    )
    alone = x[0].clone().requires_grad_()
    wanted = mg.stack([slope_by_hand(alone.detach().requires_grad_(), weight[0], each) for each in g])
    out = normed(alone, weight[0])  # forward ran outside of vmap, backward runs inside
    mg.testing.assert_close(mg.autograd.grad(out, alone, g, is_grads_batched=True)[0], wanted)
    mg.testing.assert_close(mg.vmap(slope, in_dims=(None, None, 0))(alone.detach(), weight[0], g), wanted)
    _, tangents = mg.vmap(lambda x, t: mg.func.jvp(lambda x: normed(x, weight[0]), (x,), (t,)))(x, g)
    for a, t, found in zip(x, g, tangents, strict=True):
        moved = (normed(a + 1e-6 * t, weight[0]) - normed(a - 1e-6 * t, weight[0])) / 2e-6
        mg.testing.assert_close(found, moved, rtol=1e-6, atol=1e-7)


def test_sums_of_rows_kept_for_cross_entropy_s_backward_are_those_of_each_example() -> None:
    mg.manual_seed(0)
    x, g = mg.randn(3, 4, 5, dtype=mg.float64), mg.randn(3, dtype=mg.float64)
    target = mg.tensor([[0, 4, 2, 1], [3, 3, 0, -100], [1, 1, 1, 1]])

    def slope(x: Any, target: Any, g: Any) -> Any:
        return mg.func.grad(lambda x: mg.nn.functional.cross_entropy(x, target) * g)(x)

    def by_hand(x: Any, target: Any, g: Any) -> Any:
        kept = target != -100
        hot = mg.nn.functional.one_hot(target.where(kept, 0), 5) * kept.unsqueeze(1)
        return (x.softmax(1) * kept.unsqueeze(1) - hot) * (g / kept.sum())

    wanted = mg.stack([by_hand(*each) for each in zip(x, target, g, strict=True)])
    mg.testing.assert_close(mg.vmap(slope)(x, target, g), wanted)
    alone = x[0].clone().requires_grad_()
    loss = mg.nn.functional.cross_entropy(alone, target[0])  # forward runs outside of vmap, backward inside
    found = mg.autograd.grad(loss, alone, g, is_grads_batched=True)[0]
    mg.testing.assert_close(found, mg.stack([by_hand(alone.detach(), target[0], each) for each in g]))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize(("rows", "named"), [(3, 100), (40, 100), (500, 100), (5, 0)])
@pytest.mark.parametrize("transposed", [False, True])
def test_rows_are_added_as_often_as_they_are_named(rows: int, named: int, transposed: bool, dtype: str) -> None:
    random = np.random.default_rng(0)
    index = random.integers(-rows, rows, named)
    source = random.integers(-3, 4, (named, 2, 3)).astype(dtype)
    target = np.zeros((rows, 2, 3), dtype)
    wanted = target.copy()
    np.add.at(wanted, index, source)
    found = mg.tensor(target)
    if transposed:  # a target with gaps
        found = mg.tensor(target.transpose(2, 1, 0).copy()).permute(2, 1, 0)
    found.index_put_((mg.tensor(index),), mg.tensor(source), accumulate=True)
    assert np.array_equal(found.cpu().numpy(), wanted)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("weighted", [False, True])
def test_cross_entropy_under_vmap_reduces_each_example_to_second_order(
    reduction: str, smoothing: float, weighted: bool
) -> None:
    mg.manual_seed(0)
    x = mg.randn(3, 4, 5, dtype=mg.float64, requires_grad=True)
    target = mg.tensor([[0, 4, 2, 1], [3, -100, 0, -100], [1, 1, 1, 1]])
    weight = mg.rand(5, dtype=mg.float64) if weighted else None

    def loss(x: Any, target: Any) -> Any:
        return mg.nn.functional.cross_entropy(x, target, weight, reduction=reduction, label_smoothing=smoothing)

    def derivatives(y: Any) -> list[Any]:
        (first,) = mg.autograd.grad((y * y).sum(), x, create_graph=True)
        return [y, first, *mg.autograd.grad((first * first).sum(), x)]

    found = derivatives(mg.vmap(loss)(x, target))
    wanted = derivatives(mg.stack([loss(*each) for each in zip(x.unbind(0), target.unbind(0), strict=True)]))
    for one, other in zip(found, wanted, strict=True):
        mg.testing.assert_close(one, other)


@pytest.mark.parametrize("shape", [(500, 2), (3, 100, 33), (70, 128), (70, 129), (65, 1), (1, 5000)])
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_sums_of_short_rows_round_as_well_as_numpy_s_and_keep_infinities(shape: tuple[int, ...], kind: str) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(kind)
    unit = float(np.finfo(kind).eps)
    for keep in (True, False):
        found = mg.tensor(x).sum(-1, keepdim=keep).cpu().numpy()
        exact = x.astype(np.longdouble).sum(-1, keepdims=keep)
        assert np.all(np.abs(found - exact) <= 4 * unit * np.abs(x).sum(-1, keepdims=keep))
    x[0] = np.inf
    assert mg.tensor(x).sum(-1).isinf().sum().item() == x[..., 0].size // len(x)
