"""The names that programs import and set at their beginning exist, and say what they do here."""

from __future__ import annotations

import importlib
from collections import OrderedDict, defaultdict, deque
from pathlib import Path
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
nn.modules.batchnorm _BatchNorm
nn.modules.conv _ConvNd _ConvTransposeNd
nn.modules.dropout _DropoutNd
nn.modules.instancenorm _InstanceNorm
nn.modules.lazy LazyModuleMixin
nn.modules.linear NonDynamicallyQuantizableLinear
nn.modules.loss _Loss _WeightedLoss
nn.modules.pooling _MaxPoolNd _AvgPoolNd
nn.modules.rnn RNNBase RNNCellBase
nn.utils.clip_grad clip_grad_norm_
nn.utils.convert_parameters parameters_to_vector
functional norm einsum
hub load_state_dict_from_url
utils.model_zoo load_url
utils._pytree tree_map tree_flatten
utils.checkpoint get_device_states set_device_states
compiler allow_in_graph is_dynamo_compiling list_backends
_jit_internal Optional List boolean_dispatch
jit _unwrap_optional
_dynamo allow_in_graph disable config
distributions.utils _standard_normal _sum_rightmost
fx GraphModule symbolic_trace wrap
optim.optimizer register_optimizer_step_pre_hook register_optimizer_step_post_hook
cuda FloatTensor OutOfMemoryError device get_device_properties get_rng_state_all max_memory_reserved memory_stats
jit Error annotate freeze script_if_tracing trace_module TracerWarning
library custom_op register_autograd register_fake
multiprocessing get_sharing_strategy set_sharing_strategy
nn.utils.fusion fuse_conv_bn_eval fuse_linear_bn_eval
nn.utils.prune l1_unstructured remove
nn.utils.stateless functional_call
overrides handle_torch_function has_torch_function is_tensor_like
profiler ProfilerActivity profile record_function schedule tensorboard_trace_handler
serialization load save MAP_LOCATION
version cuda hip debug
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
    assert isinstance(lib.set_flush_denormal(False), bool)
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
        (lambda: mg.fx.symbolic_trace(mg.nn.Linear(2, 2)), "no tracer of programs"),
        (lambda: mg.fx.GraphModule(mg.nn.Linear(2, 2), None), "no tracer of programs"),
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


def test_trees_are_taken_apart_and_mapped_as_in_pytorch() -> None:
    trees = pytest.importorskip("torch.utils._pytree")
    from minigrad.utils import _pytree as ours

    class Pair:
        def __init__(self, a: Any, b: Any) -> None:
            self.a, self.b = a, b

    for module in (ours, trees):
        module.register_pytree_node(Pair, lambda pair: ([pair.a, pair.b], None), lambda parts, _: Pair(*parts))
    examples: list[Any] = [
        {"a": [1, 2], "b": (3, None)}, (), 5, None, deque([1, [2]]), defaultdict(list, x=[1, 2]), [Pair(1, (2, 3)), 4],
        OrderedDict(z=1, a=(2,)),
    ]  # fmt: skip
    for tree in examples:
        leaves, spec = ours.tree_flatten(tree)
        assert leaves == trees.tree_leaves(tree)
        assert spec.num_leaves == trees.tree_structure(tree).num_leaves
        again = ours.tree_unflatten(leaves, spec)
        assert type(again) is type(tree)
        assert ours.tree_leaves(again) == leaves
        shown = [module.tree_map(lambda leaf: [leaf], tree) for module in (ours, trees)]
        assert ours.tree_leaves(shown[0]) == trees.tree_leaves(shown[1])
    pairs = [{"x": 1, "y": [2]}, {"x": 10, "y": [20]}]
    assert ours.tree_map(lambda a, b: a + b, *pairs) == trees.tree_map(lambda a, b: a + b, *pairs)
    assert ours.tree_map_only(int, str, [1, 2.5]) == trees.tree_map_only(int, str, [1, 2.5]) == ["1", 2.5]
    assert ours.tree_any(lambda x: x > 2, [1, 3])
    assert not ours.tree_all(lambda x: x > 2, [1, 3])
    assert len(ours.tree_leaves([(1, 2), 3], is_leaf=lambda node: isinstance(node, tuple))) == 2
    with pytest.raises(ValueError, match="has length 1 but the spec refers to a pytree that holds 2"):
        ours.tree_unflatten([1], ours.tree_structure([1, 2]))
    with pytest.raises(ValueError, match="already registered"):
        ours.register_pytree_node(Pair, lambda pair: ([], None), lambda parts, _: None)

    def total(pair: Any) -> Any:
        return (pair.a * pair.b).sum()

    grads = mg.func.grad(total)(Pair(mg.tensor([2.0]), mg.tensor([3.0])))
    assert (grads.a.item(), grads.b.item()) == (3.0, 2.0)


def test_the_bases_of_layers_can_be_asked_for_and_subclassed(lib: Any) -> None:
    modules = lib.nn.modules
    pairs = [
        (lib.nn.BatchNorm3d(2), modules.batchnorm._BatchNorm), (lib.nn.ConvTranspose1d(1, 1, 2), modules.conv._ConvNd),
        (lib.nn.AlphaDropout(), modules.dropout._DropoutNd), (lib.nn.LazyLinear(2), modules.lazy.LazyModuleMixin),
        (lib.nn.BCELoss(), modules.loss._WeightedLoss), (lib.nn.GRU(2, 2), modules.rnn.RNNBase),
    ]  # fmt: skip
    assert all(isinstance(layer, base) for layer, base in pairs)

    batch_norm: Any = modules.batchnorm._BatchNorm
    weighted_loss: Any = modules.loss._WeightedLoss

    class AnyShape(batch_norm):  # type: ignore[misc]
        def _check_input_dim(self, input: Any) -> None: ...

    assert AnyShape(3)(lib.ones(2, 3, 2, 2, 2, 2)).shape == (2, 3, 2, 2, 2, 2)

    class Weighted(weighted_loss):  # type: ignore[misc]
        def forward(self, input: Any, target: Any) -> Any:
            return lib.nn.functional.cross_entropy(input, target, self.weight, reduction=self.reduction)

    loss = Weighted(lib.tensor([1.0, 0.0]), reduction="sum")(lib.zeros(2, 2), lib.tensor([0, 1]))
    assert loss.item() == pytest.approx(0.6931472)


def test_nothing_is_downloaded_but_a_copy_in_place_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    folder = tmp_path / "hub" / "checkpoints"
    with pytest.raises(RuntimeError, match="put net.pth, as a safetensors file, at"):
        mg.hub.load_state_dict_from_url("https://example.org/a/net.pth?raw=1")
    folder.mkdir(parents=True)
    mg.save({"weight": mg.ones(2)}, folder / "net.safetensors")
    assert mg.hub.load_state_dict_from_url("https://example.org/a/net.pth")["weight"].tolist() == [1.0, 1.0]
    mg.hub.set_dir(tmp_path / "elsewhere")
    try:
        assert mg.hub.get_dir() == str(tmp_path / "elsewhere")
    finally:
        mg.hub._chosen.clear()
    for refused in (lambda: mg.hub.load("some/repo", "net"), lambda: mg.hub.download_url_to_file("https://x", "y")):
        with pytest.raises(RuntimeError, match="Nothing is downloaded"):
            refused()


def test_what_is_said_to_a_compiler_changes_nothing(lib: Any) -> None:
    assert not lib.compiler.is_dynamo_compiling() and not lib.compiler.is_exporting()
    assert lib.cuda._initialized in (False, lib.cuda.is_available())
    states = lib.utils.checkpoint.get_device_states(lib.ones(2), 3)
    assert states == ([], [])
    lib.utils.checkpoint.set_device_states(*states)


def test_no_compiler_is_listed() -> None:
    assert mg.compiler.list_backends() == []
    assert mg.compiler.allow_in_graph(len) is mg.compiler.assume_constant_result(len) is len
    mg.compiler.cudagraph_mark_step_begin()


def test_names_of_the_gpu_can_be_asked_for_without_one(lib: Any) -> None:
    if lib.cuda.is_available():
        pytest.skip("there is a GPU")
    assert not isinstance(lib.ones(2), lib.cuda.FloatTensor)
    assert lib.cuda.get_rng_state_all() == [] and not lib.cuda.memory_stats() and lib.cuda.max_memory_reserved() == 0
    lib.cuda.seed_all()
    with pytest.raises(TypeError, match=r"FloatTensor not available"):
        lib.cuda.FloatTensor(2)
    with lib.cuda.device(-1):
        assert lib.get_device(lib.ones(1)) == -1 and lib.is_signed(lib.ones(1))
    assert lib.typename(lib.ones(2)) == f"{lib.__name__}.FloatTensor" and lib.typename("a") == "str"


def test_a_function_runs_on_lists_of_tensors(lib: Any) -> None:
    weights, grads = [lib.ones(2), lib.zeros(3)], [lib.full((2,), 2.0), lib.ones(3)]
    lib._foreach_mul_(weights, 0.5)
    lib._foreach_add_(weights, grads, alpha=-1.0)
    lib._foreach_lerp_(weights, grads, 0.5)
    assert [each.tolist() for each in weights] == [[0.25, 0.25], [0.0, 0.0, 0.0]]
    assert [each.tolist() for each in lib._foreach_sign(weights)] == [[1.0, 1.0], [0.0, 0.0, 0.0]]
    with pytest.raises((TypeError, RuntimeError), match="same number of tensors"):
        lib._foreach_add_(weights, grads[:1])


def test_an_op_of_ones_own_has_a_derivative(lib: Any) -> None:
    name = f"names_of_programs::cube_{lib.__name__}"

    def cube(x: Any) -> Any:
        return x**3

    cube.__annotations__ = {"x": lib.Tensor, "return": lib.Tensor}
    made = importlib.import_module(".".join([lib.__name__, "library"]))
    op = made.custom_op(name, cube, mutates_args=())
    op.register_fake(lambda x: lib.empty_like(x))
    op.register_autograd(
        lambda ctx, grad: grad * 3 * ctx.saved_tensors[0] ** 2,
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]),
    )
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    op(x).sum().backward()
    assert x.grad.tolist() == [3.0, 12.0] and op(x.detach()).tolist() == [1.0, 8.0]


def _own_ops(lib: Any) -> Any:
    """The module in which one makes ops of one's own."""
    return importlib.import_module(".".join([lib.__name__, "library"]))


def _scaled_op(lib: Any, name: str) -> Any:
    """An op with a keyword-only argument, computed by NumPy."""

    def scaled(x: Any, *, by: float) -> Any:
        return lib.from_numpy(x.detach().numpy() * by)

    scaled.__annotations__ = {"x": lib.Tensor, "by": float, "return": lib.Tensor}
    return _own_ops(lib).custom_op(f"names_of_programs::{name}_{lib.__name__}", scaled, mutates_args=())


def test_an_op_of_ones_own_may_have_named_arguments(lib: Any) -> None:
    op = _scaled_op(lib, "scaled")

    def setup_context(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
        ctx.by, ctx.count = keyword_only_inputs["by"], len(inputs)

    x = lib.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"no autograd formula was registered. Please use register_autograd"):
        op(x, by=3.0).sum().backward()
    op.register_autograd(lambda ctx, grad: grad * ctx.by * ctx.count, setup_context=setup_context)
    y = op(x, by=3.0)
    y.sum().backward()
    assert y.tolist() == [3.0, 3.0] and x.grad.tolist() == [3.0, 3.0]
    expected = f"GeneratedBackwardFor_names_of_programs_scaled_{lib.__name__}_defaultBackward"
    assert y.grad_fn.name().removeprefix("torch::autograd::") == expected
    found = getattr(lib.ops.names_of_programs, f"scaled_{lib.__name__}")
    assert found(x, by=2.0).tolist() == found.default(x, by=2.0).tolist() == [2.0, 2.0]


def test_an_op_of_ones_own_has_a_rule_for_vmap(lib: Any) -> None:
    op, seen = _scaled_op(lib, "many"), []
    x = lib.arange(6.0).reshape(2, 3)

    def many(info: Any, in_dims: Any, x: Any, *, by: float) -> Any:
        seen.append((info.batch_size, in_dims))
        return op(x, by=by), in_dims[0]

    assert _own_ops(lib).register_vmap(op, many) is None
    assert lib.func.vmap(lambda each: op(each, by=2.0), in_dims=1)(x).tolist() == (2 * x.mT).tolist()
    assert seen == [(3, (1,))]


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_an_op_of_ones_own_without_a_rule_is_called_for_each_example(lib: Any) -> None:
    importlib.import_module(".".join([lib.__name__, "library"]))
    op, x = _scaled_op(lib, "each"), lib.arange(6.0).reshape(2, 3)
    if lib.__name__ == "minigrad":  # PyTorch requires a rule
        assert lib.func.vmap(lambda each: op(each, by=2.0), in_dims=1)(x).tolist() == (2 * x.mT).tolist()


def test_an_op_is_declared_first_and_computed_by_a_later_function(lib: Any) -> None:
    library = importlib.import_module(".".join([lib.__name__, "library"]))
    name = f"names_of_programs_{lib.__name__}::doubled"
    library.define(name, "(Tensor x) -> Tensor")
    with pytest.raises(NotImplementedError):
        getattr(lib.ops, f"names_of_programs_{lib.__name__}").doubled(lib.ones(2))
    library.impl(name, "cpu")(lambda x: x * 2)
    own = library.Library(f"names_of_programs_{lib.__name__}", "FRAGMENT")
    own.define("tripled(Tensor x) -> Tensor")
    own.impl("tripled", lambda x: x * 3, "CPU")
    ops = getattr(lib.ops, f"names_of_programs_{lib.__name__}")
    assert ops.doubled(lib.ones(2)).tolist() == [2, 2] and ops.tripled(lib.ones(2)).tolist() == [3, 3]


def test_an_op_of_ones_own_may_change_its_argument(lib: Any) -> None:
    library = importlib.import_module(".".join([lib.__name__, "library"]))

    def zero_(x: Any) -> None:
        x.numpy()[...] = 0

    zero_.__annotations__ = {"x": lib.Tensor, "return": None}
    op = library.custom_op(f"names_of_programs::zero_{lib.__name__}", mutates_args={"x"}, tags=lib.Tag.core)(zero_)
    x = lib.ones(2)
    assert op(x) is None and x.tolist() == [0, 0]


def test_a_profiler_follows_its_schedule(lib: Any, tmp_path: Path) -> None:
    plan = lib.profiler.schedule(wait=1, warmup=1, active=2, repeat=1, skip_first=1)
    assert [plan(step).name for step in range(7)] == [
        "NONE", "NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE", "NONE", "NONE",
    ]  # fmt: skip
    ready: list[int] = []

    def told(profiler: Any) -> None:
        ready.append(profiler.step_num)
        lib.profiler.tensorboard_trace_handler(str(tmp_path))(profiler)

    activities = [lib.profiler.ProfilerActivity.CPU]
    with lib.profiler.profile(activities=activities, schedule=plan, on_trace_ready=told, record_shapes=True) as p:
        for _ in range(7):
            with lib.profiler.record_function("a step"):
                lib.ones(3).exp()
            p.step()
    counts = {row.key: row.count for row in p.key_averages()}
    assert ready == [5] and counts["a step"] == 2 and len(list(tmp_path.glob("*.json"))) == 1
    with lib.profiler.profile() as whole:
        lib.ones(2).exp()
    assert len(whole.events()) > 0


def test_a_search_for_linear_layers_leaves_out_that_of_attention(lib: Any) -> None:
    layer = lib.nn.TransformerEncoderLayer(4, 2, 8)
    assert [name for name, each in layer.named_modules() if type(each) is lib.nn.Linear] == ["linear1", "linear2"]
    assert isinstance(layer.self_attn.out_proj, lib.nn.Linear)
