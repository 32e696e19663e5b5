"""Mixed precision on the CPU: which ops run in bfloat16, and how a scaler follows overflows; here and in PyTorch."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import minigrad as mg


@pytest.fixture(params=["minigrad", pytest.param("torch", marks=pytest.mark.parity)])
def lib(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param)


PRODUCTS = """
w(x)
x @ x.T
lib.bmm(x[None], x.T[None])
lib.addmm(x[:, :3], x, lib.ones(3, 3))
lib.einsum("ij,kj->ik", x, x)
lib.nn.Conv1d(3, 2, 1)(x.T[None])
lib.nn.functional.scaled_dot_product_attention(x[None], x[None], x[None])
""".strip().splitlines()

OTHERS = """
x.exp()
x + w(x)[:, :1]
lib.nn.functional.mse_loss(w(x), w(x))
lib.nn.functional.huber_loss(w(x), w(x))
lib.nn.functional.smooth_l1_loss(w(x), w(x))
lib.nn.functional.soft_margin_loss(w(x), w(x).detach())
lib.nn.functional.cross_entropy(w(x), lib.zeros(4).long())
lib.nn.functional.nll_loss(w(x), lib.zeros(4).long())
lib.prod(w(x))
x.double() @ x.double().T
lib.mv(x, x[0])
lib.cat([w(x), x[:, :2]])
""".strip().splitlines()


@pytest.mark.parametrize("line", PRODUCTS + OTHERS)
def test_products_are_lowered_and_nothing_else(lib: Any, line: str) -> None:
    names = {"lib": lib, "x": lib.ones(4, 3), "w": lib.nn.Linear(3, 2)}
    with lib.autocast("cpu"):
        made = eval(line, names)
    wanted = "bfloat16" if line in PRODUCTS else "float64" if "double" in line else "float32"
    assert str(made.dtype).endswith(wanted) and (wanted == "bfloat16" or not str(made.dtype).endswith("bfloat16"))


def test_gradients_come_back_in_the_type_of_the_parameters(lib: Any) -> None:
    layer = lib.nn.Linear(3, 2)
    with lib.autocast("cpu"):
        loss = layer(lib.ones(4, 3)).float().sum()
    loss.backward()
    assert layer.weight.grad.dtype is lib.float32 and layer.weight.grad.tolist() == [[4.0] * 3] * 2


def test_blocks_nest_and_decorate(lib: Any) -> None:
    x = lib.ones(2, 2)
    with lib.autocast("cpu", dtype=lib.float16):
        assert (x @ x).dtype is lib.float16
        with lib.autocast("cpu", enabled=False):
            assert (x @ x).dtype is lib.float32
        with lib.autocast("cpu", dtype=lib.bfloat16):
            assert (x @ x).dtype is lib.bfloat16 and lib.get_autocast_dtype("cpu") is lib.bfloat16
        assert (x @ x).dtype is lib.float16 and lib.is_autocast_enabled("cpu")
    assert (x @ x).dtype is lib.float32 and not lib.is_autocast_enabled("cpu")

    @lib.autocast("cpu")
    def product() -> Any:
        return x @ x

    assert product().dtype is lib.bfloat16


def test_an_error_inside_leaves_nothing_behind(lib: Any) -> None:
    with pytest.raises(RuntimeError), lib.autocast("cpu"):
        lib.ones(2, 3) @ lib.ones(2, 3)
    assert not lib.is_autocast_enabled("cpu")


def test_a_function_says_how_it_runs_under_autocast(lib: Any) -> None:
    seen = []

    class Product(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        @lib.amp.custom_fwd(device_type="cpu", cast_inputs=lib.float32)
        def forward(ctx: Any, x: Any) -> Any:
            seen.append((x @ x).dtype)
            return x * 2

        @staticmethod
        @lib.amp.custom_bwd(device_type="cpu")
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    x = lib.ones(2, 2, requires_grad=True)
    with lib.autocast("cpu"):
        y = Product.apply(x.bfloat16())
    y.sum().backward()
    assert seen == [lib.float32] and x.grad.tolist() == [[2.0, 2.0]] * 2


def test_a_gpu_that_is_not_there_switches_it_off_with_a_warning(lib: Any) -> None:
    if lib.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.warns(UserWarning, match="CUDA is not available"), lib.autocast("cuda"):
        assert (lib.ones(2, 2) @ lib.ones(2, 2)).dtype is lib.float32
    with pytest.warns(UserWarning, match="CUDA is not available"):
        scaler = lib.amp.GradScaler()
    assert not scaler.is_enabled() and scaler.scale(lib.ones(1)).item() == 1.0 and scaler.get_scale() == 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not lib.cuda.amp.GradScaler().is_enabled()
        with lib.cuda.amp.autocast():
            pass


def trained(lib: Any, gradients: list[float]) -> list[Any]:
    x = lib.zeros(1, requires_grad=True)
    optimizer = lib.optim.SGD([x], lr=1.0)
    scaler = lib.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    seen = []
    for gradient in gradients:
        optimizer.zero_grad()
        scaler.scale(x * gradient).sum().backward()
        scaler.step(optimizer)
        scaler.update()
        seen.append((x.item(), scaler.get_scale(), scaler.state_dict()["_growth_tracker"]))
    return seen


def test_a_scaler_skips_overflows_and_grows_again(lib: Any) -> None:
    inf = float("inf")
    assert trained(lib, [1.0, 1.0, inf, 2.0, 2.0]) == [
        (-1.0, 8.0, 1), (-2.0, 16.0, 0), (-2.0, 8.0, 0), (-4.0, 8.0, 1), (-6.0, 16.0, 0),
    ]  # fmt: skip


def test_a_scaler_says_what_was_called_in_the_wrong_order(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    optimizer, scaler = lib.optim.SGD([x], lr=1.0), lib.amp.GradScaler("cpu", init_scale=4.0)
    with pytest.raises((RuntimeError, AssertionError), match="No inf checks were recorded|not initialized|None"):
        scaler.update()
    scaler.scale(x.sum()).backward()
    scaler.unscale_(optimizer)
    assert x.grad.item() == 1.0
    with pytest.raises(RuntimeError, match="unscale_\\(\\) has already been called"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="step\\(\\) has already been called"):
        scaler.step(optimizer)
    scaler.update()
    assert x.item() == 0.0


def test_a_scalers_state_can_be_kept(lib: Any) -> None:
    one, other = lib.amp.GradScaler("cpu", init_scale=4.0), lib.amp.GradScaler("cpu")
    other.load_state_dict(one.state_dict())
    assert other.get_scale() == 4.0
    assert lib.amp.GradScaler("cpu", enabled=False).state_dict() == {}


def test_a_small_net_learns_in_mixed_precision() -> None:
    mg.manual_seed(0)
    net = mg.nn.Sequential(mg.nn.Linear(2, 16), mg.nn.Tanh(), mg.nn.Linear(16, 1))
    optimizer, scaler = mg.optim.Adam(net.parameters(), lr=0.05), mg.amp.GradScaler("cpu")
    x = mg.rand(64, 2)
    y = (x[:, :1] > x[:, 1:]).float()
    for _ in range(80):
        with mg.autocast("cpu"):
            loss = mg.nn.functional.binary_cross_entropy_with_logits(net(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    assert loss.item() < 0.2
