"""The names that programs import and set at their beginning exist, and say what they do here."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import minigrad as mg


@pytest.fixture(params=["minigrad", pytest.param("torch", marks=pytest.mark.parity)])
def lib(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param)


PATHS = """
nn.modules.loss MSELoss
nn.modules.conv Conv2d
nn.modules.module Module register_module_forward_hook
nn.modules.utils _pair _single _triple
nn.modules.batchnorm BatchNorm2d
nn.modules.activation MultiheadAttention
nn.modules.container Sequential
nn.modules Linear
nn.parallel DataParallel DistributedDataParallel
nn.common_types _size_2_t
nn.parameter Parameter
cuda.amp autocast GradScaler
amp autocast GradScaler
backends.cudnn benchmark
multiprocessing Process Queue spawn
jit script trace
onnx export
types Number Device
accelerator is_available
compiler is_compiling
distributed is_available
masked sum softmax
distributions.normal Normal
utils.data.dataloader DataLoader
""".strip().splitlines()


@pytest.mark.parametrize("path", PATHS)
def test_a_path_can_be_imported(lib: Any, path: str) -> None:
    module, *names = path.split()
    opened = importlib.import_module(f"{lib.__name__}.{module}")
    assert all(hasattr(opened, name) for name in names)


def test_settings_are_kept(lib: Any) -> None:
    before = lib.get_num_threads()
    lib.set_num_threads(1)
    assert lib.get_num_threads() == 1
    lib.set_num_threads(before)
    lib.use_deterministic_algorithms(True, warn_only=True)
    assert lib.are_deterministic_algorithms_enabled() and lib.get_deterministic_debug_mode() == 1
    lib.use_deterministic_algorithms(False)
    assert not lib.are_deterministic_algorithms_enabled() and lib.get_deterministic_debug_mode() == 0
    lib.set_float32_matmul_precision("high")
    assert lib.get_float32_matmul_precision() == "high"
    lib.set_float32_matmul_precision("highest")
    lib.backends.cudnn.benchmark = True
    assert lib.backends.cudnn.benchmark
    lib.backends.cudnn.benchmark = False
    assert lib.backends.mps.is_available() is False
    with pytest.raises(RuntimeError, match="positive"):
        lib.set_num_threads(0)


def test_a_parallel_module_calls_its_module(lib: Any) -> None:
    net = lib.nn.DataParallel(lib.nn.Linear(3, 2))
    assert tuple(net(lib.ones(4, 3)).shape) == (4, 2)
    assert list(net.state_dict()) == ["module.weight", "module.bias"]


def test_without_a_gpu_streams_and_seeds_do_nothing(lib: Any) -> None:
    if lib.cuda.is_available():
        pytest.skip("there is a GPU")
    lib.cuda.manual_seed_all(0)
    lib.cuda.empty_cache()
    assert lib.cuda.device_count() == 0 and lib.cuda.max_memory_allocated() == 0 and not lib.cuda.is_initialized()
    assert lib.accelerator.current_accelerator() is None and not lib.accelerator.is_available()


def test_an_event_measures_time() -> None:
    first, last = mg.cuda.Event(enable_timing=True), mg.cuda.Event(enable_timing=True)
    with pytest.raises(RuntimeError, match="must be recorded"):
        first.elapsed_time(last)
    first.record()
    last.record()
    assert first.elapsed_time(last) >= 0
    with mg.cuda.stream(mg.cuda.Stream()):
        mg.ones(1).record_stream(mg.cuda.current_stream())


def test_what_is_compiled_or_scripted_runs_as_it_is() -> None:
    net = mg.nn.Linear(2, 2)
    assert mg.compile(net) is net and mg.jit.script(net) is net and mg.jit.trace(net, mg.ones(1, 2)) is net

    @mg.compile(mode="max-autotune")
    def double(x: Any) -> Any:
        return 2 * x

    @mg.jit.script
    def triple(x: Any) -> Any:
        return 3 * x

    assert double(2) == 4 and triple(2) == 6 and not mg.jit.is_scripting()


def test_what_cannot_be_done_says_what_to_do() -> None:
    for call, words in (
        (lambda: mg.onnx.export(mg.nn.Linear(2, 2), mg.ones(2)), "exports no ONNX files"),
        (lambda: mg.jit.save(None, "a"), "no compiled programs"),
        (lambda: mg.jit.load("a"), "no compiled programs"),
    ):
        with pytest.raises(NotImplementedError, match=words):
            call()
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        mg.distributed.nothing  # type: ignore[attr-defined]
    assert mg.distributed.is_available() is True
    with pytest.raises(AttributeError, match="Did you mean 'Linear'"):
        mg.nn.Liner  # type: ignore[attr-defined]


MASKED = """
m.sum(x, 1, mask=k)
m.sum(x, mask=k)
m.mean(x, 1, mask=k)
m.prod(x, 1, keepdim=True, mask=k)
m.amax(x, 1, mask=k)
m.amin(x, 0, mask=k)
m.argmax(x, 1, mask=k)
m.argmin(x, 1, mask=k)
m.softmax(x, 1, mask=k)
m.log_softmax(x, 1, mask=k)
m.softmin(x, 1, mask=k)
m.normalize(x, 2.0, 1, mask=k)
m.norm(x, 2.0, 1, mask=k)
m.var(x, 1, unbiased=False, mask=k)
m.std(x, 1, unbiased=True, mask=k)
m.median(x, 1, mask=k)
m.logsumexp(x, 1, mask=k)
m.cumsum(x, 1, mask=k)
m.cumprod(x, 1, mask=k)
m.mean(x, 1)
""".strip().splitlines()


def masked(lib: Any, line: str) -> list[Any]:
    x = lib.tensor([[1.0, 5.0, -2.0], [4.0, 0.5, 3.0], [2.0, 2.5, 7.0]], requires_grad=True)
    k = lib.tensor([[True, False, True], [True, True, True], [False, True, True]])
    made = eval(line, {"m": lib.masked, "x": x, "k": k})
    if made.requires_grad:
        lib.where(made.isfinite(), made, 0.0).sum().backward()
    return [made.tolist(), None if x.grad is None else x.grad.tolist()]


@pytest.mark.parity
@pytest.mark.parametrize("line", MASKED)
def test_a_masked_reduction_is_pytorchs(line: str) -> None:
    torch = pytest.importorskip("torch")
    mine, theirs = masked(mg, line), masked(torch, line)
    for a, b in zip(mine, theirs, strict=True):
        assert a == b or mg.allclose(mg.tensor(a), mg.tensor(b), atol=1e-6, equal_nan=True), line


def test_masked_elements_do_not_count() -> None:
    x, k = mg.tensor([1.0, 2.0, 9.0]), mg.tensor([True, True, False])
    assert mg.masked.mean(x, mask=k).item() == 1.5 and mg.masked.amax(x, mask=k).item() == 2.0
    assert mg.masked.softmax(x, 0, mask=k)[2].item() == 0.0


def test_old_names_go_on_working_with_a_warning(lib: Any) -> None:
    assert issubclass(lib.optim.lr_scheduler._LRScheduler, lib.optim.lr_scheduler.LRScheduler)
    weight = lib.zeros(2, 2)
    with pytest.warns(FutureWarning, match="deprecated in favor of"):
        lib.nn.init.constant(weight, 3.0)
    assert weight.tolist() == [[3.0, 3.0]] * 2
    x = lib.ones(2, requires_grad=True)
    (3 * x).sum().backward()
    with pytest.warns(FutureWarning, match="deprecated in favor of"):
        lib.nn.utils.clip_grad_norm([x], 1.0)
    assert round(x.grad.norm().item(), 4) == 1.0
    block = lib.set_grad_enabled(True)
    assert block.mode is True


def test_a_buffer_becomes_one_of_the_module(lib: Any) -> None:
    module = lib.nn.Module()
    module.kept, module.passing = lib.nn.Buffer(lib.ones(2)), lib.nn.Buffer(lib.zeros(1), persistent=False)
    assert list(module.state_dict()) == ["kept"] and [name for name, _ in module.named_buffers()] == ["kept", "passing"]
    module.kept = lib.zeros(2)
    assert module.state_dict()["kept"].tolist() == [0.0, 0.0]
    assert (module.double().kept + 1).dtype is lib.float64
