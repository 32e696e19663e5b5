"""Names that programs import to write optimisers, layers and losses of their own, or to switch a compiler off."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import Any

import pytest

import minigrad as mg

from .same import refused, same

pytestmark = pytest.mark.parity


def module(lib: Any, name: str) -> Any:
    return importlib.import_module(f"{lib.__name__}.{name}")


def an_optimiser_with_a_required_setting(lib: Any) -> Any:
    optimizer = module(lib, "optim.optimizer")

    class Signs(optimizer.Optimizer):  # type: ignore[misc, name-defined]
        def __init__(self, params: Any, lr: Any = optimizer.required, differentiable: bool = False) -> None:
            super().__init__(params, {"lr": lr, "differentiable": differentiable})

        @optimizer._use_grad_for_differentiable
        def step(self, closure: Any = None) -> None:
            self.recorded = lib.is_grad_enabled()
            for group in self.param_groups:
                for p in group["params"]:
                    p.add_(p.grad.sign(), alpha=-optimizer._get_value(group["lr"]))

    w = lib.nn.Parameter(lib.tensor([1.0, -2.0]))
    w.grad = lib.tensor([3.0, -4.0])
    made = Signs([{"params": [w], "lr": lib.tensor(0.5)}])
    made.step()
    return [
        w,
        made.recorded,
        repr(optimizer.required),
        optimizer._to_scalar(lib.ones(1)),
        optimizer.ParamsT is not None,
    ]


def helpers_of_optimisers(lib: Any) -> Any:
    optimizer = module(lib, "optim.optimizer")
    parameters, memory = (
        [lib.ones(2, dtype=lib.complex64), lib.ones(3)],
        [lib.zeros(2, dtype=lib.complex64), lib.ones(3)],
    )
    optimizer._view_as_real(parameters, memory)
    return [parameters, memory, optimizer._get_scalar_dtype(), optimizer._stack_if_compiling([1])]


def starting_values_by_inner_names(lib: Any) -> Any:
    init = lib.nn.init
    x = lib.empty(4, 3)
    fans = [init._calculate_correct_fan(x, "fan_in"), init._calculate_correct_fan(x, "fan_out")]
    drawn = [init._no_grad_uniform_(x, -1, 1).clone(), init._no_grad_normal_(x, 0.0, 2.0).clone()]
    return [fans, drawn, init._no_grad_fill_(x, 3.0).clone(), init._no_grad_zero_(x)]


def losses_by_their_numbers(lib: Any) -> Any:
    return [lib.nn.functional._Reduction.get_enum(name) for name in ("none", "mean", "sum")]


def parts_of_modules(lib: Any) -> Any:
    keys = module(lib, "nn.modules.module")._IncompatibleKeys([], ["a"])
    transformer = module(lib, "nn.modules.transformer")
    return [
        repr(keys), transformer._get_activation_fn("relu")(lib.tensor([-1.0, 2.0])),
        len(transformer._get_clones(lib.nn.Linear(2, 2), 3)),
    ]  # fmt: skip


def pair(x: int) -> tuple[int, int]:  # type: ignore[empty-body]
    ...


def switches_of_a_compiler(lib: Any) -> Any:
    lib._C._jit_set_profiling_mode(False)
    lib._C._jit_set_profiling_executor(False)
    lib._C._jit_override_can_fuse_on_cpu(True)
    return [lib._C._get_tracing_state(), lib.jit._overload(pair) is pair, issubclass(lib._C._LinAlgError, RuntimeError)]


def older_questions_about_mixed_precision(lib: Any) -> Any:
    def asked() -> list[Any]:
        return [lib.get_autocast_cpu_dtype(), lib.get_autocast_gpu_dtype(), lib.is_autocast_cpu_enabled()]

    with lib.autocast("cpu"):
        inside = asked()
    return [asked(), inside]


def kernels_of_attention(lib: Any) -> Any:
    cuda = lib.backends.cuda
    cuda.enable_flash_sdp(False)
    off = cuda.flash_sdp_enabled(), cuda.math_sdp_enabled()
    cuda.enable_flash_sdp(True)
    with cuda.sdp_kernel(enable_flash=False, enable_math=True, enable_mem_efficient=False):
        q = lib.arange(4.0).reshape(1, 2, 2)
        return [off, lib.nn.functional.scaled_dot_product_attention(q, q, q)]


def memory_by_its_older_names(lib: Any) -> Any:
    return [lib.cuda.memory_cached(), lib.cuda.max_memory_cached()]


def factors_of_normals(lib: Any) -> Any:
    d = lib.distributions
    full = d.MultivariateNormal(lib.zeros(3, 2), scale_tril=lib.eye(2))
    low = d.LowRankMultivariateNormal(lib.zeros(3, 2), lib.ones(2, 1), lib.ones(2))
    wide = d.Wishart(lib.tensor(3.0), scale_tril=lib.eye(2))
    return [
        full._unbroadcasted_scale_tril, low._unbroadcasted_cov_factor, low._unbroadcasted_cov_diag,
        wide._unbroadcasted_scale_tril,
    ]  # fmt: skip


def entries_of_a_sparse_matrix(lib: Any) -> Any:
    made = lib.sparse_coo_tensor([[0, 1, 1], [2, 0, 0]], [3.0, 4.0, 5.0], (2, 3)).coalesce()
    return [made.indices(), made.values(), made._indices(), made._values(), made._nnz()]


PROGRAMS = [
    an_optimiser_with_a_required_setting, helpers_of_optimisers, starting_values_by_inner_names,
    losses_by_their_numbers, parts_of_modules, switches_of_a_compiler, older_questions_about_mixed_precision,
    kernels_of_attention, memory_by_its_older_names, factors_of_normals, entries_of_a_sparse_matrix,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_names_mean_what_they_mean_in_pytorch(program: Any) -> None:
    same(program)


def test_a_required_setting_has_to_be_given() -> None:
    def program(lib: Any) -> Any:
        optimizer = module(lib, "optim.optimizer")
        optimizer.Optimizer([lib.nn.Parameter(lib.ones(1))], {"lr": optimizer.required})

    refused(program)


def test_a_batch_for_one_device_stays_whole() -> None:
    x = mg.arange(4.0)
    parallel = importlib.import_module("minigrad.nn.parallel")
    assert parallel.scatter(x, [0])[0] is x and parallel.scatter((x, x), [0]) == [(x, x)]
    assert parallel.replicate(mg.nn.Linear(2, 2), [0])[0].weight.shape == (2, 2)
    assert parallel.parallel_apply([mg.abs, mg.add], [-x, (x, x)])[1].tolist() == [0, 2, 4, 6]
    assert parallel.gather([{"a": x, "b": (x.sum(),)}] * 2, "cpu")["b"][0].tolist() == [6, 6]
    with pytest.raises(RuntimeError, match="one device"):
        parallel.scatter(x, [0, 1])


@pytest.mark.parametrize("name", ["solve", "symeig", "eig", "quasirandom"])
def test_what_is_not_there_is_said_with_what_to_use(name: str) -> None:
    with pytest.raises(AttributeError, match=r"use linalg\.|qmc"):
        getattr(mg, name)


def test_the_version_is_pytorchs_where_minigrad_is_torch() -> None:
    program = (
        "import sys, minigrad\n"
        "assert minigrad.__version__ == minigrad.version.__version__\n"
        "sys.modules['torch'] = minigrad\n"
        "import torch\n"
        "assert int(torch.__version__.split('.')[0]) == 2 and torch.__version__ >= '1.13' and '1.9' < torch.__version__\n"
        "assert torch.__version__ > (2, 9) and not torch.__version__ < '2.0' and minigrad.version.__version__ in torch.__version__\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


@pytest.mark.parametrize("a", ["2.13.0+cpu", "1.9", "2.0.1"])
@pytest.mark.parametrize("b", ["2.13.0", "2.9", "1.13.1", (2, 0), (2, 0, 1), "odd"])
def test_versions_compare_as_in_pytorch(a: str, b: Any) -> None:
    def program(lib: Any) -> Any:
        version = module(lib, "torch_version").TorchVersion(a)
        return [version == b, version < b, version <= b, version > b, version >= b]

    same(program)


def test_extensions_in_cpp_are_refused_when_they_are_built() -> None:
    from minigrad.utils import cpp_extension

    assert cpp_extension.CUDA_HOME is None and cpp_extension.include_paths() == []
    for build in (cpp_extension.load, cpp_extension.load_inline, cpp_extension.CUDAExtension):
        with pytest.raises(NotImplementedError, match=r"no C\+\+ or CUDA extensions"):
            build("fused", ["fused.cpp"])
