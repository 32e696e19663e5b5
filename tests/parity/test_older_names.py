"""functorch's older names, and PyTorch's names of ops, as programs use them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

from .same import refused, same

pytestmark = pytest.mark.parity


def module(lib: Any, name: str) -> Any:
    return importlib.import_module(f"{lib.__name__}.{name}")


def net(lib: Any) -> Any:
    return lib.nn.Sequential(lib.nn.Linear(3, 4), lib.nn.Tanh(), lib.nn.Linear(4, 2))


def gradients_of_a_functional_module(lib: Any) -> Any:
    older = module(lib, "_functorch.make_functional")
    function, parameters = older.make_functional(net(lib))
    x = lib.arange(6.0).reshape(2, 3)
    slopes = lib.func.grad(lambda parameters: function(parameters, x).sum())(parameters)
    per_example = lib.vmap(lib.func.grad(lambda p, x: function(p, x).sum()), (None, 0))(parameters, x)
    frozen = older.make_functional(net(lib), disable_autograd_tracking=True)[1]
    return [slopes, per_example, [each.requires_grad for each in frozen]]


def buffers_beside_parameters(lib: Any) -> Any:
    older = module(lib, "_functorch.make_functional")
    norm = lib.nn.BatchNorm1d(3).eval()
    function, parameters, buffers = older.make_functional_with_buffers(norm)
    return [function(parameters, buffers, lib.arange(6.0).reshape(2, 3)), len(parameters), len(buffers)]


def an_ensemble(lib: Any) -> Any:
    older = module(lib, "_functorch.make_functional")
    models = [net(lib) for _ in range(3)]
    function, parameters, buffers = older.combine_state_for_ensemble(models)
    x = lib.arange(6.0).reshape(2, 3)
    return [lib.vmap(function, (0, 0, None))(parameters, buffers, x), [each.shape for each in parameters]]


def a_vmap_in_chunks(lib: Any) -> Any:
    chunk_vmap = module(lib, "_functorch.apis").chunk_vmap
    x = lib.arange(15.0).reshape(5, 3)
    return [chunk_vmap(lambda x: x * 2, chunks=n)(x) for n in (1, 2, 5, 9)] + [
        chunk_vmap(lambda a, b: (a + b).sum(), in_dims=(1, None), chunks=2)(x, x[:, 0])
    ]


def ops_by_their_names(lib: Any) -> Any:
    x = lib.arange(4.0).reshape(2, 2)
    aten = lib.ops.aten
    return [aten.sin(x), aten.mm.default(x, x), aten.relu(-x), aten.sum.default(x), hash(aten.mm.default) is not None]


def a_policy_by_names(lib: Any) -> Any:
    tools = module(lib, "utils.checkpoint")
    aten, asked = lib.ops.aten, []

    def policy(context: Any, op: Any, *args: Any, **kwargs: Any) -> Any:
        keep = op in {aten.mm.default, aten.sin.default}
        if keep:
            asked.append((context.is_recompute, op == aten.mm.default))
        return tools.CheckpointPolicy.MUST_SAVE if keep else tools.CheckpointPolicy.PREFER_RECOMPUTE

    x = lib.arange(4.0).reshape(2, 2).requires_grad_()
    for chosen in (policy, [aten.mm.default]):
        out = tools.checkpoint(
            lambda x: (x @ x).sin().exp(),
            x,
            use_reentrant=False,
            context_fn=lambda chosen=chosen: tools.create_selective_checkpoint_contexts(chosen),
        )
        out.sum().backward()
    return [x.grad, asked]


SAME = [
    gradients_of_a_functional_module,
    buffers_beside_parameters,
    an_ensemble,
    a_vmap_in_chunks,
    ops_by_their_names,
    a_policy_by_names,
]


@pytest.mark.parametrize("program", SAME, ids=lambda program: program.__name__)
def test_it_is_the_same(program: Callable[[Any], Any]) -> None:
    same(program)


def test_buffers_need_the_other_function() -> None:
    refused(lambda lib: module(lib, "_functorch.make_functional").make_functional(lib.nn.BatchNorm1d(3)))


def test_an_ensemble_is_of_one_class() -> None:
    def mixed(lib: Any) -> Any:
        return module(lib, "_functorch.make_functional").combine_state_for_ensemble([net(lib), lib.nn.Linear(3, 2)])

    refused(mixed)


def test_older_names_warn() -> None:
    def warned(lib: Any) -> Any:
        older = module(lib, "_functorch.deprecated")
        for name in ("vmap", "grad", "vjp", "jacrev", "jacfwd", "hessian", "make_functional"):
            with pytest.warns(FutureWarning, match="Please use `torch"):
                getattr(older, name)(
                    *((lib.sin,) if name != "make_functional" else (lib.nn.Linear(1, 1),)),
                    *((lib.ones(1),) if name == "vjp" else ()),
                )
        return True

    same(warned)


def test_programs_cannot_be_traced() -> None:
    import minigrad as mg
    from minigrad._functorch.python_key import make_fx

    with pytest.raises(NotImplementedError, match="no compiler"):
        make_fx(mg.sin)
