"""Calls that no other test of the ops made: changes of their code went unnoticed (`make faults`)."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg

torch: Any = pytest.importorskip("torch")


@pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])
def test_block_diag_puts_each_block_after_those_before(lib: Any) -> None:
    made = lib.block_diag(lib.ones(1, 2), lib.tensor([5.0]), lib.ones(2, 1))
    assert made.tolist() == [[1, 1, 0, 0], [0, 0, 5, 0], [0, 0, 0, 1], [0, 0, 0, 1]]


@pytest.mark.parametrize("accumulate", [False, True])
def test_put_in_place_changes_and_returns_the_tensor(accumulate: bool) -> None:
    for lib in (mg, torch):
        x = lib.ones(2, 2)
        same = x.put_(lib.tensor([3, 0]), lib.tensor([7.0, 8.0]), accumulate)
        assert same is x
        assert x.tolist() == [[8.0 + accumulate, 1.0], [1.0, 7.0 + accumulate]]


@pytest.mark.parametrize("p", [None, 2, -2, 1, -1, "fro", "nuc", float("inf")])
def test_the_condition_number_is_that_of_any_norm(p: Any) -> None:
    rows = [[2.0, 1.0], [0.5, 3.0]]
    ours, theirs = (lib.linalg.cond(lib.tensor(rows), p).item() for lib in (mg, torch))
    assert ours == pytest.approx(theirs, rel=1e-5)


@pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])
def test_geqrf_refuses_a_vector(lib: Any) -> None:
    with pytest.raises((RuntimeError, ValueError), match="geqrf"):
        lib.geqrf(lib.ones(3))


@pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])
def test_logit_has_a_gradient_at_the_edge_and_none_beyond(lib: Any) -> None:
    x = lib.tensor([0.125, 0.25, 0.5, 0.75, 0.875], requires_grad=True)
    lib.special.logit(x, eps=0.25).sum().backward()
    assert x.grad.tolist() == pytest.approx([0.0, 16 / 3, 4.0, 16 / 3, 0.0], rel=1e-6)


@pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])
def test_t_of_a_vector_or_a_scalar_is_itself(lib: Any) -> None:
    assert lib.arange(3).t().tolist() == [0, 1, 2]
    assert lib.tensor(4).t().tolist() == 4
    made = lib.ones(2, 3, requires_grad=True).t()
    assert (made.shape, made.grad_fn.name()) == ((3, 2), "TBackward0")
    with pytest.raises(RuntimeError, match=r"t\(\) expects a tensor with <= 2 dimensions"):
        lib.ones(1, 2, 3).t()


@pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])
def test_the_step_of_a_window_is_at_least_one(lib: Any) -> None:
    x = lib.zeros(5)
    assert lib.slice_scatter(x, lib.ones(3), 0, 1, 4, 1).tolist() == [0, 1, 1, 1, 0]
    assert lib.slice_scatter(x, lib.ones(2), 0, 0, 4, 2).tolist() == [1, 0, 1, 0, 0]
    for step in (0, -1):
        with pytest.raises(RuntimeError, match="slice step must be positive"):
            lib.slice_scatter(x, lib.ones(2), 0, 0, 4, step)


@pytest.mark.cpu("what is printed names the device")
@pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])
@pytest.mark.parametrize(
    ("profile", "printed"),
    [("default", "[   0,    1,    2,  ..., 1997, 1998, 1999]"), ("short", "[   0,    1,  ..., 1998, 1999]")],
)
def test_a_profile_says_how_much_of_a_long_tensor_is_printed(lib: Any, profile: str, printed: str) -> None:
    lib.set_printoptions(profile=profile)
    try:
        assert str(lib.arange(2000)) == f"tensor({printed})"
    finally:
        lib.set_printoptions(profile="default")


@pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])
def test_a_tensor_stands_for_its_element_where_a_number_scales(lib: Any) -> None:
    x = lib.tensor([1.0, 2.0])
    assert lib.addcmul(x, x, x, value=lib.tensor(2.0)).tolist() == [3.0, 10.0]
    assert lib.add(x, x, alpha=lib.tensor(3)).tolist() == [4.0, 8.0]


@pytest.mark.parametrize("call", ["scatter_reduce", "index_reduce"])
@pytest.mark.parametrize(
    ("there", "sent", "place", "own"),
    [
        ([0.0, 2.0], [0.0, 3.0], [0, 0], True),
        ([0.0], [0.0], [0], True),
        ([2.0], [0.0, 3.0, 4.0], [0, 0, 0], True),
        ([1.0], [0.0, 0.0], [0, 0], True),
        ([0.0, 3.0], [0.0, 5.0, 0.0, 2.0], [0, 0, 1, 0], False),
        ([0.0], [0.0, 0.0, 2.0, 0.0], [0, 0, 0, 0], True),
    ],
)
def test_a_product_of_what_is_sent_has_second_derivatives_at_zero(
    call: str, there: list[float], sent: list[float], place: list[int], own: bool
) -> None:
    """PyTorch refuses the second derivative where two of the elements that are sent to one place are zero."""
    x = mg.tensor(there, dtype=mg.float64, requires_grad=True)
    source = mg.tensor(sent, dtype=mg.float64, requires_grad=True)

    def product(x: Any, source: Any) -> Any:
        return getattr(mg, call)(x, 0, mg.tensor(place), source, "prod", include_self=own)

    assert mg.autograd.gradcheck(product, (x, source)) and mg.autograd.gradgradcheck(product, (x, source))
    assert mg.allclose(
        mg.func.hessian(lambda x: product(x, source.detach()).prod())(x.detach()),
        mg.autograd.functional.hessian(lambda x: product(x, source.detach()).prod(), x),
    )


@pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])
def test_embedding_bag_takes_the_old_order_of_its_arguments_with_a_warning(lib: Any) -> None:
    table, index, offsets = lib.arange(8.0).view(4, 2), lib.tensor([0, 1, 3]), lib.tensor([0, 2])
    with pytest.warns(UserWarning, match="Argument order of nn.functional.embedding_bag was changed"):
        old = lib.nn.functional.embedding_bag(table, index, offsets)
    assert old.tolist() == lib.nn.functional.embedding_bag(index, table, offsets).tolist()


LIBRARIES = pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])


@LIBRARIES
def test_a_tensor_can_be_reversed(lib: Any) -> None:
    assert reversed(lib.tensor([[1, 2], [3, 4]])).tolist() == [[3, 4], [1, 2]]
    assert reversed(lib.tensor(5)).item() == 5


@LIBRARIES
def test_other_wrong_calls_are_named(lib: Any) -> None:
    x, needs_grad = lib.ones(2), lib.ones(2, requires_grad=True)
    calls = [
        (lambda: lib.device(-1), RuntimeError, "Device index must not be negative"),
        (lambda: lib.device("cpu", -1), RuntimeError, "Device index must not be negative"),
        (lambda: lib.device(""), RuntimeError, "Device string must not be empty"),
        (lambda: bool(lib.ones(0)), RuntimeError, "Boolean value of Tensor with no values is ambiguous"),
        (lambda: lib.diff(x, prepend=lib.ones(1, 1)), RuntimeError, "prepend or append to be the same dimension"),
        (lambda: lib.diff(lib.ones(2, 3), append=lib.ones(3, 1)), RuntimeError, r"input.size\(0\) = 2, but got .* = 3"),
        (lambda: lib.diff(lib.tensor(1)), RuntimeError, "diff expects input to be at least one-dimensional"),
        (lambda: lib.diff(x, dim=2), IndexError, "Dimension out of range"),
        (lambda: x.index_fill_(0, lib.tensor([0]), 1j), RuntimeError, "Converting complex Scalar to non-complex"),
        (lambda: needs_grad.apply_(float), RuntimeError, r"Can't call apply_\(\) on Variable that requires grad"),
        (lambda: x.map_(needs_grad, max), RuntimeError, r"Can't call map_\(\) on Variable that requires grad"),
        (lambda: x.map2_(x, needs_grad, max), RuntimeError, r"Can't call map2_\(\) on Variable that requires grad"),
        (lambda: lib.normal(lib.zeros(3), lib.ones(2)), RuntimeError, "(?i)size|shape"),
        (lambda: lib.isclose(2, x), TypeError, r"argument 'input' \(position 1\) must be Tensor, not int"),
        (
            lambda: lib.linalg.cross(lib.ones(2, 3), lib.ones(3)),
            RuntimeError,
            "must have the same number of dimensions",
        ),
        (
            lambda: lib.nn.functional.prelu(lib.ones(2, 4), lib.ones(2, 2)),
            RuntimeError,
            "Expected `weight` to be a scalar or 1D tensor, but got: ndim = 2",
        ),
    ]
    for call, error, words in calls:
        with pytest.raises(error, match=words):
            call()


@LIBRARIES
def test_an_advanced_assignment_wants_the_dtype_of_the_tensor(lib: Any) -> None:
    x = lib.zeros(3, 2)
    for key in (lib.tensor([0, 1]), (slice(None), [1])):
        with pytest.raises(
            RuntimeError, match="Index put requires the source and destination dtypes match, got Float for"
        ):
            x[key] = lib.tensor(3)
    with pytest.raises(RuntimeError, match="got Float for the destination and Double for the source"):
        x[x == 0] = lib.ones(6).double()
    x[x == 0] = lib.tensor(2)
    x[0] = lib.tensor([3, 4])
    x[1:2, 0] = lib.tensor(7)
    x[lib.tensor([2])] = 9
    assert x.tolist() == [[3, 4], [7, 2], [9, 9]]


@LIBRARIES
def test_programs_check_themselves(lib: Any) -> None:
    for name, error in (
        ("_check", RuntimeError),
        ("_check_index", IndexError),
        ("_check_value", ValueError),
        ("_check_type", TypeError),
        ("_check_not_implemented", NotImplementedError),
    ):
        getattr(lib, name)(True)
        with pytest.raises(error, match="3 is odd"):
            getattr(lib, name)(False, lambda: f"{3} is odd")
    with pytest.raises(RuntimeError, match="Expected cond to be True, but got False"):
        lib._check_tensor_all(lib.tensor([True, False]))
    with pytest.raises(TypeError, match="cond must be a bool"):
        lib._check(1)
    with pytest.raises(TypeError, match="message must be a callable"):
        lib._check(False, "text")
    lib._assert_async(lib.tensor(1))
    with pytest.raises(RuntimeError, match="Expected Tensor with single nonzero value, but got zero"):
        lib._assert_async(lib.tensor(0))
    with pytest.raises(AssertionError, match="no"):
        lib._assert(False, "no")


@LIBRARIES
@pytest.mark.cpu("the default generator is the CPU's")
def test_the_default_generator_is_a_generator(lib: Any) -> None:
    generator = lib.default_generator
    lib.manual_seed(3)
    before = generator.get_state()
    first = lib.rand(2)
    assert generator.initial_seed() == 3 and lib.rand(2).tolist() != first.tolist()
    generator.set_state(before)
    assert lib.rand(2).tolist() == first.tolist()


@LIBRARIES
def test_calls_that_were_missing(lib: Any) -> None:
    assert lib.ones(2).new(size=(3, 4)).shape == (3, 4)
    assert lib.multinomial(lib.ones(0, 3), 2, replacement=True).shape == (0, 2)
    assert f"{lib.empty((), device='meta')}".startswith("tensor(..., device='meta'")
    assert lib.cuda.is_tf32_supported() is False or lib.cuda.is_available()


@LIBRARIES
def test_a_bool_is_no_dimension(lib: Any) -> None:
    """``x.sort(True)`` was meant to be descending, and sorted along dimension 1."""
    x = lib.arange(6.0).view(2, 3)
    for call in (
        lambda: x.sort(True),
        lambda: x.topk(2, False),
        lambda: x.max(True),
        lambda: x.sum(True),
        lambda: x.softmax(True),
        lambda: lib.cat([x, x], True),
        lambda: x.argmax(True),
    ):
        with pytest.raises(TypeError, match="bool"):
            call()


@LIBRARIES
def test_distinct_slices_need_elements(lib: Any) -> None:
    assert lib.unique(lib.ones(0, 3), dim=0).shape == (0, 3)
    with pytest.raises(RuntimeError, match="0 sized dimensions, and they aren't selected"):
        lib.unique(lib.ones(3, 0), dim=0)
    with pytest.raises(RuntimeError, match="more than one, so unique cannot be applied"):
        lib.unique(lib.ones(0, 0), dim=0)


@LIBRARIES
def test_a_scalar_has_one_dimension_to_name(lib: Any) -> None:
    scalar = lib.tensor(1.0)
    assert scalar.squeeze(-1).item() == 1 and scalar.argmax(0).item() == 0
    for call in (lambda: scalar.squeeze(1), lambda: scalar.squeeze((0, 3)), lambda: scalar.argmax(1)):
        with pytest.raises(IndexError, match="Dimension out of range"):
            call()
    with pytest.raises((IndexError, RuntimeError), match="out of range"):
        lib.vmap(lambda x: x.squeeze(1))(lib.ones(3))


@LIBRARIES
@pytest.mark.cpu("its generator is the CPU's")
def test_binomial_numbers_come_from_a_generator_and_for_each_example(lib: Any) -> None:
    count, chance = lib.full((2,), 50.0), lib.full((2,), 0.5)
    drawn = [lib.binomial(count, chance, generator=lib.Generator().manual_seed(1)).tolist() for _ in range(2)]
    assert drawn[0] == drawn[1]
    both = lib.vmap(lambda n: lib.binomial(n, chance), randomness="different")(lib.full((3, 2), 50.0))
    assert both.shape == (3, 2) and 10 < both.mean() < 40


@LIBRARIES
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated:UserWarning")
def test_a_storage_has_one_type_of_elements(lib: Any) -> None:
    doubles = lib.tensor([1.0, 2.0]).double()
    for source, words in (
        (doubles.storage(), "(?i)Expected a Storage of type float or an UntypedStorage, but got type Double"),
        (doubles, "(?i)Could not set tensor of type double to a tensor of type float"),
    ):
        with pytest.raises(RuntimeError, match=words):
            lib.ones(2).set_(source)
    with pytest.raises(RuntimeError, match="Expected a Storage of type Float or an UntypedStorage, but got Double"):
        lib.tensor(doubles.storage(), dtype=lib.float32)
    assert lib.tensor(doubles.storage(), dtype=lib.float64).tolist() == [1, 2]
    assert lib.tensor(doubles.untyped_storage(), dtype=lib.float64).tolist() == [1, 2]
    assert lib.tensor(lib.tensor([-1, 2], dtype=lib.int8).untyped_storage(), dtype=lib.int8).tolist() == [-1, 2]
    assert isinstance(doubles.untyped_storage(), lib.UntypedStorage)
    assert isinstance(doubles.storage(), lib.TypedStorage)


@LIBRARIES
@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_a_frame_of_elements_goes_around_one_to_three_dimensions(lib: Any, mode: str) -> None:
    pad = lib.nn.functional.pad
    for ndim, frame in ((1, 2), (2, 4), (4, 2), (5, 4), (4, 8)):
        with pytest.raises(NotImplementedError, match=f"Padding size {frame} is not supported for {ndim}D input"):
            pad(lib.ones([4] * ndim), [1] * frame, mode=mode)
    assert pad(lib.ones(2, 4), (1, 1), mode=mode).shape == (2, 6)
    assert pad(lib.ones(1, 2, 4, 4), (1, 1, 0, 0), mode=mode).shape == (1, 2, 4, 6)
    empty: list[tuple[int, ...]] = [(1, 1, 0), (1, 0)]
    for shape in empty:
        with pytest.raises(RuntimeError, match="non-zero dim|wrapping"):
            pad(lib.ones(shape), (1, 1), mode=mode)


@LIBRARIES
def test_a_frame_that_does_not_fit_is_named(lib: Any) -> None:
    pad = lib.nn.functional.pad
    with pytest.raises(RuntimeError, match="Padding length must be divisible by 2"):
        pad(lib.ones(3), (1, 1, 1))
    with pytest.raises(RuntimeError, match="got padding length 4 and input of dimension 1"):
        pad(lib.ones(3), (1, 1, 1, 1))
    with pytest.raises(ValueError, match=r"expected 2D or 3D input \(got 1D input\)"):
        lib.nn.CircularPad1d(1)(lib.ones(4))


@LIBRARIES
def test_integers_are_refused_where_fractions_are_meant(lib: Any) -> None:
    whole = lib.tensor([4, 6])
    with pytest.raises(RuntimeError, match="Integer division with addcdiv is no longer supported"):
        whole.addcdiv_(whole, whole)
    with pytest.raises(ValueError, match="binomial only supports floating-point dtypes for count, got: Long"):
        lib.binomial(whole, lib.tensor([0.5, 0.5]))


@pytest.mark.parametrize("edge_order", [1, 2])
def test_the_gradient_of_real_values_at_complex_places_is_complex(edge_order: int) -> None:
    for lib in (mg, torch):
        values, places = lib.tensor([1.0, 4.0, 9.0, 2.0]), lib.tensor([0j, 1 + 1j, 2 + 2j, 3 + 3j])
        (slope,) = lib.gradient(values, spacing=[places], edge_order=edge_order)
        (along,) = lib.gradient(values, edge_order=edge_order)
        assert slope.dtype is lib.complex64
        assert lib.allclose(slope * (1 + 1j), along.to(lib.complex64), atol=1e-5)


def test_bernoulli_fills_an_out_of_any_type() -> None:
    for lib in (mg, torch):
        p = lib.tensor([1.0, 0.0])
        assert lib.bernoulli(p, out=lib.zeros(2, dtype=lib.bool)).tolist() == [True, False]
        assert lib.bernoulli(p, out=lib.zeros(2, dtype=lib.int32)).tolist() == [1, 0]


@pytest.mark.parametrize("sizes", [[(0,), (2, 3)], [(2, 3), (0,)], [(0,), (0,)]])
def test_an_empty_vector_that_is_joined_gets_an_empty_gradient(sizes: list[tuple[int, ...]]) -> None:
    for lib in (mg, torch):
        parts = [lib.ones(size, requires_grad=True) for size in sizes]
        lib.cat(parts, dim=0).sum().backward()
        assert [part.grad.tolist() for part in parts] == [lib.ones(size).tolist() for size in sizes]
    for lib in (mg, torch):
        nothing = lib.zeros(0, requires_grad=True)
        assert lib.cat([nothing, lib.ones(2, 3)], dim=1).requires_grad
