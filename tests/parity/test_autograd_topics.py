"""What PyTorch's documentation says of autograd, sentence by sentence."""

from __future__ import annotations

from typing import Any

import pytest

from .same import same

pytestmark = pytest.mark.parity


def hooks_of_saved_tensors_nest(lib: Any) -> Any:
    log = []
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    g = lib.autograd.graph

    def mk(n):
        return (lambda t: (log.append("p" + n), t * 1)[1], lambda t: (log.append("u" + n), t)[1])

    with g.saved_tensors_hooks(*mk("a")):
        y = x * x
        with g.saved_tensors_hooks(*mk("b")):
            z = y * y
        w = z.exp()
    w.sum().backward()
    out = [log, x.grad]
    return out


def hooks_of_saved_tensors_are_disabled_and_allowed_again(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    g = lib.autograd.graph
    out = []
    try:
        with g.saved_tensors_hooks(lambda t: t, lambda t: t):
            with g.disable_saved_tensors_hooks("msg1"):
                y = x * x
        out.append("ok")
    except RuntimeError as e:
        out.append(str(e))
    with g.disable_saved_tensors_hooks("msg1"):
        with g.disable_saved_tensors_hooks("msg2"):
            pass
        try:
            with g.saved_tensors_hooks(lambda t: t, lambda t: t):
                pass
        except RuntimeError as e:
            out.append(str(e))
    with g.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = x * x
    out.append(y)
    return out


def saved_tensors_move_to_the_cpu(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    with lib.autograd.graph.save_on_cpu():
        y = (x * x).exp()
    y.sum().backward()
    out = [x.grad]
    return out


def saved_tensors_may_be_changed_where_that_is_allowed(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    with lib.autograd.graph.allow_mutation_on_saved_tensors() as ctx:
        a = x.clone()
        b = a.sin()
        a.mul_(2)
        c = a.cos()
        a.add_(1)
        (b + c).sum().backward()
    return [x.grad]


def views_may_be_changed_where_that_is_allowed(lib: Any) -> Any:
    x = lib.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    with lib.autograd.graph.allow_mutation_on_saved_tensors() as ctx:
        a = x.clone()
        v = a[0]
        b = v.exp()
        a.mul_(3)
        c = (v * v).sum()
        v.zero_()
        (b.sum() + c).backward()
    return [x.grad]


def anomaly_mode_need_not_look_for_nan(lib: Any) -> Any:
    x = lib.tensor([0.0, 1.0], requires_grad=True)
    with lib.autograd.detect_anomaly(check_nan=False):
        y = (x * 0) / x
        y.sum().backward()
    return [x.grad]


def anomaly_mode_can_be_asked_for(lib: Any) -> Any:
    out = [lib.is_anomaly_enabled(), lib.is_anomaly_check_nan_enabled()]
    with lib.autograd.set_detect_anomaly(True, check_nan=False):
        out += [lib.is_anomaly_enabled(), lib.is_anomaly_check_nan_enabled()]
    out += [lib.is_anomaly_enabled()]
    return out


def a_node_shows_what_it_saved(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    n = y.grad_fn
    out = [
        n._saved_self,
        n._saved_other,
        x.exp().grad_fn._saved_result,
        x.sum(0, keepdim=True).grad_fn._saved_dim,
        x.sum(0).grad_fn._saved_keepdim,
    ]
    y.sum().backward()
    try:
        n._saved_self
    except RuntimeError as e:
        out.append(str(e)[:60])
    return out


def a_saved_tensor_takes_hooks_of_its_own(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    n = y.grad_fn
    r = n._raw_saved_self
    r.register_hooks(lambda t: t * 2, lambda t: t)
    y.sum().backward()
    out = [x.grad]
    return out


def a_node_takes_hooks_before_and_after(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    out = []
    h = y.grad_fn.register_hook(lambda gi, go: out.append((len(gi), len(go))))
    h2 = y.grad_fn.register_prehook(lambda go: (go[0] * 10,))
    y.sum().backward()
    out.append(x.grad)
    h.remove()
    return out


def real_and_imaginary_parts_are_changed_in_place(lib: Any) -> Any:
    z = lib.tensor([1 + 2j, 3 - 1j], dtype=lib.complex128, requires_grad=True)
    y = z.clone()
    y.real.mul_(2)
    y.imag.add_(1)
    (y.abs() ** 2).sum().backward()
    out = [y, z.grad]
    return out


def a_complex_tensor_is_changed_as_real(lib: Any) -> Any:
    z = lib.tensor([1 + 2j, 3 - 1j], dtype=lib.complex128, requires_grad=True)
    y = z * 1
    v = lib.view_as_real(y)
    v[0, 1] = 5.0
    v[1].mul_(3)
    (y * y.conj()).real.sum().backward()
    out = [y, v, z.grad]
    return out


def a_real_tensor_is_changed_as_complex(lib: Any) -> Any:
    r = lib.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=lib.float64, requires_grad=True)
    b = r * 1
    z = lib.view_as_complex(b)
    z.mul_(1j)
    (b * lib.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=lib.float64)).sum().backward()
    out = [b, z, r.grad]
    return out


def a_reentrant_checkpoint_runs_under_hooks(lib: Any) -> Any:
    log = []
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    with lib.autograd.graph.saved_tensors_hooks(lambda t: (log.append("p"), t)[1], lambda t: (log.append("u"), t)[1]):
        y = lib.utils.checkpoint.checkpoint(lambda x: (x * x).exp(), x, use_reentrant=True)
    y.sum().backward()
    out = [x.grad, len(log) > 0]
    return out


def a_checkpoint_runs_under_hooks(lib: Any) -> Any:
    log = []
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    with lib.autograd.graph.saved_tensors_hooks(lambda t: (log.append("p"), t)[1], lambda t: (log.append("u"), t)[1]):
        y = lib.utils.checkpoint.checkpoint(lambda x: (x * x).exp(), x, use_reentrant=False)
    y.sum().backward()
    out = [x.grad, log]
    return out


def checkpoints_nest(lib: Any) -> Any:
    c = lib.utils.checkpoint.checkpoint
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    f = lambda x: c(lambda y: c(lambda z: (z * z).exp(), y, use_reentrant=False).sin(), x, use_reentrant=False)
    f(x).sum().backward()
    out = [x.grad]
    return out


def reentrant_checkpoints_nest(lib: Any) -> Any:
    c = lib.utils.checkpoint.checkpoint
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    f = lambda x: c(lambda y: c(lambda z: (z * z).exp(), y, use_reentrant=True).sin(), x, use_reentrant=True)
    f(x).sum().backward()
    out = [x.grad]
    return out


def a_hook_waits_for_several_gradients(lib: Any) -> Any:
    a, b = (lib.tensor(v, requires_grad=True) for v in (1.0, 2.0))
    log = []
    h = lib.autograd.graph.register_multi_grad_hook((a, b), lambda gs: log.append([g is not None for g in gs]))
    (a * b).backward()
    (a * 2).backward()
    out = [log]
    h2 = lib.autograd.graph.register_multi_grad_hook((a, b), lambda g: log.append(float(g)), mode="any")  # type: ignore[arg-type]
    (a * b).backward()
    out.append(log)
    return out


def a_gradient_is_taken_at_an_edge(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    e = lib.autograd.graph.get_gradient_edge(y)
    g = lib.autograd.grad(y.exp().sum(), e)
    out = [g, e.output_nr]
    return out


def a_version_is_raised_by_hand(lib: Any) -> Any:
    x = lib.ones(2)
    lib.autograd.graph.increment_version(x)
    out = [x._version]
    lib.autograd.graph.increment_version([x, x])
    out.append(x._version)
    return out


def gradients_of_zeros_that_require_grad(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    y = lib.sign(x) * x
    (g,) = lib.autograd.grad(y.sum(), x, create_graph=True)
    out = [g.requires_grad]
    y = lib.round(x)
    (g,) = lib.autograd.grad(y.sum(), x, create_graph=True)
    out += [g, g.requires_grad]
    y = x.floor() * x.abs()
    (g,) = lib.autograd.grad(y.sum(), x, create_graph=True)
    out += [g, g.requires_grad]
    return out


def vmap_takes_nested_in_dims(lib: Any) -> Any:
    f = lambda d, t: d["a"] * t[0] + t[1]["b"]
    return lib.vmap(f, in_dims=({"a": 0}, (None, {"b": 1})))(
        {"a": lib.ones(3, 2)}, (lib.ones(2), {"b": lib.ones(2, 3)})
    )


def vmap_out_tuple(lib: Any) -> Any:
    return lib.vmap(lambda x: (x, x.sum(), {"k": x * 2}), out_dims=(1, 0, {"k": 0}))(lib.ones(3, 2))


def vmap_out_none(lib: Any) -> Any:
    return lib.vmap(lambda x: lib.ones(2), out_dims=None)(lib.ones(3, 2))


def vmap_scalar_in(lib: Any) -> Any:
    return lib.vmap(lambda x, y: x * y, in_dims=(0, None))(lib.ones(3), 2.0)


def vmap_kw(lib: Any) -> Any:
    return lib.vmap(lambda x, k=None: x + k)(lib.ones(3, 2), k=lib.ones(3, 2))


def vmap_negative(lib: Any) -> Any:
    return lib.vmap(lambda x: x.sum(), in_dims=-1)(lib.arange(6.0).reshape(2, 3))


def vmap_inplace_ok(lib: Any) -> Any:
    def f(x, y):
        x.add_(y)
        return x

    return lib.vmap(f)(lib.ones(3, 2), lib.ones(3, 2))


def vmap_where(lib: Any) -> Any:
    return lib.vmap(lambda x: lib.where(x > 0, x, -x))(lib.tensor([[1.0, -2.0], [3.0, -4.0]]))


def grad_aux(lib: Any) -> Any:
    return [
        lib.func.grad(lambda x: ((x**2).sum(), x * 3), has_aux=True)(lib.ones(2)),
        lib.func.grad_and_value(lambda x: ((x**2).sum(), x * 3), has_aux=True)(lib.ones(2)),
    ]


def grad_argnums(lib: Any) -> Any:
    return [
        lib.func.grad(lambda x, y: (x * y).sum(), argnums=1)(lib.ones(2), lib.ones(2) * 2),
        lib.func.grad(lambda x, y: (x * y).sum(), argnums=(1, 0))(lib.ones(2), lib.ones(2) * 2),
        lib.func.grad(lambda x, y: (x * y).sum(), argnums=-1)(lib.ones(2), lib.ones(2) * 2),
    ]


def grad_dict(lib: Any) -> Any:
    return lib.func.grad(lambda p: (p["w"] * p["b"]).sum())({"w": lib.ones(2), "b": lib.ones(2) * 3})


def grad_no_grad(lib: Any) -> Any:
    def f(x):
        with lib.no_grad():
            c = x**2
        return (x - c).sum()

    return lib.func.grad(f)(lib.ones(2) * 3)


def no_grad_grad(lib: Any) -> Any:
    with lib.no_grad():
        out = lib.func.grad(lambda x: (x - x**2).sum())(lib.ones(2) * 3)
    return out


def vjp_aux(lib: Any) -> Any:
    o, p, a = lib.func.vjp(lambda x: (x * 2, x + 1), lib.ones(2), has_aux=True)
    out = [o, a, p(lib.ones(2))]
    return out


def vjp_tree(lib: Any) -> Any:
    o, p = lib.func.vjp(lambda x, y: {"a": x * y, "b": (x,)}, lib.ones(2), lib.ones(2) * 2)
    out = [o, p({"a": lib.ones(2), "b": (lib.ones(2),)})]
    return out


def jvp_aux(lib: Any) -> Any:
    return lib.func.jvp(lambda x: (x * 2, x + 1), (lib.ones(2),), (lib.ones(2),), has_aux=True)


def jvp_tree(lib: Any) -> Any:
    return lib.func.jvp(lambda d: d["a"] * 2, ({"a": lib.ones(2)},), ({"a": lib.ones(2)},))


def jac_argnums(lib: Any) -> Any:
    f = lambda x, y: x * y.sum()
    return [
        lib.func.jacrev(f, argnums=(0, 1))(lib.ones(2), lib.ones(3)),
        lib.func.jacfwd(f, argnums=(0, 1))(lib.ones(2), lib.ones(3)),
        lib.func.jacrev(f, argnums=1)(lib.ones(2), lib.ones(3)),
    ]


def jac_aux(lib: Any) -> Any:
    return [
        lib.func.jacrev(lambda x: (x * x, x + 1), has_aux=True)(lib.ones(2)),
        lib.func.jacfwd(lambda x: (x * x, x + 1), has_aux=True)(lib.ones(2)),
    ]


def jac_chunk(lib: Any) -> Any:
    return [
        lib.func.jacrev(lambda x: x**2, chunk_size=2)(lib.ones(5)),
        lib.func.jacrev(lambda x: x**2, chunk_size=1)(lib.ones(5)),
    ]


def jac_tree(lib: Any) -> Any:
    return lib.func.jacrev(lambda p: {"o": p["a"] * p["b"]})({"a": lib.ones(2), "b": lib.ones(2)})


def hessian_args(lib: Any) -> Any:
    return [
        lib.func.hessian(lambda x, y: (x * y * y).sum(), argnums=1)(lib.ones(2), lib.ones(2)),
        lib.func.hessian(lambda x, y: (x * y * y).sum(), argnums=(0, 1))(lib.ones(2), lib.ones(2)),
    ]


def functional_call(lib: Any) -> Any:
    m = lib.nn.Linear(2, 1)
    p = {"weight": lib.ones(1, 2), "bias": lib.zeros(1)}
    return [
        lib.func.functional_call(m, p, (lib.ones(3, 2),)),
        lib.func.functional_call(m, p, lib.ones(3, 2)),
        lib.func.functional_call(m, ({"weight": lib.ones(1, 2) * 2}, {"bias": lib.ones(1)}), lib.ones(1, 2)),
        lib.func.grad(lambda p: lib.func.functional_call(m, p, (lib.ones(3, 2),)).sum())(p),
    ]


def functional_call_tie(lib: Any) -> Any:
    class M(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = lib.nn.Linear(2, 2, bias=False)
            self.b = self.a

        def forward(self, x):
            return self.b(self.a(x))

    m = M()
    out = [
        lib.func.functional_call(m, {"a.weight": lib.ones(2, 2)}, (lib.ones(1, 2),)),
        lib.func.functional_call(m, {"a.weight": lib.ones(2, 2)}, (lib.ones(1, 2),), tie_weights=True),
    ]
    return out


def stack_state(lib: Any) -> Any:
    ms = [lib.nn.Linear(2, 1) for _ in range(3)]
    for i, m in enumerate(ms):
        lib.nn.init.constant_(m.weight, float(i))
        lib.nn.init.constant_(m.bias, 1.0)
    p, b = lib.func.stack_module_state(ms)
    f = lambda p, b, x: lib.func.functional_call(ms[0], (p, b), (x,))
    return [p, b, lib.vmap(f, in_dims=(0, 0, None))(p, b, lib.ones(4, 2))]


def linearize_multi(lib: Any) -> Any:
    o, j = lib.func.linearize(lambda x, y: (x * y, x.sin()), lib.ones(2), lib.ones(2) * 2)
    out = [o, j(lib.ones(2), lib.zeros(2)), j(lib.zeros(2), lib.ones(2))]
    return out


def functionalize(lib: Any) -> Any:
    return lib.func.functionalize(lambda x: x.clone().add_(1))(lib.ones(2))


def batch_norm_running(lib: Any) -> Any:
    bn = lib.nn.BatchNorm1d(2, track_running_stats=False)
    p = dict(bn.named_parameters())
    return lib.vmap(lib.func.grad(lambda x: lib.func.functional_call(bn, p, (x,)).pow(3).sum()))(
        lib.arange(12.0).reshape(2, 3, 2)
    )


def replace_bn(lib: Any) -> Any:
    m = lib.nn.Sequential(lib.nn.BatchNorm1d(2))
    r = lib.func.replace_all_batch_norm_modules_(m)
    out = [m[0].running_mean is None, m[0].track_running_stats]
    return out


def per_sample(lib: Any) -> Any:
    m = lib.nn.Linear(2, 1)
    lib.nn.init.constant_(m.weight, 0.5)
    lib.nn.init.constant_(m.bias, 0.1)
    p = {k: v.detach() for k, v in m.named_parameters()}
    l = lambda p, x, y: lib.nn.functional.mse_loss(lib.func.functional_call(m, p, (x[None],)), y[None])
    out = lib.vmap(lib.func.grad(l), in_dims=(None, 0, 0))(p, lib.arange(6.0).reshape(3, 2), lib.ones(3, 1))
    return out


def escaped_grad(lib: Any) -> Any:
    e = []
    lib.func.grad(lambda x: (e.append(x), x.sum())[1])(lib.ones(2))
    out = [e[0].shape]
    return out


def grad_autograd_inside(lib: Any) -> Any:
    def f(x):
        y = (x**3).sum()
        (g,) = lib.autograd.grad(y, x, create_graph=True)
        return (g * g).sum()

    return lib.func.grad(f)(lib.ones(2))


def ckpt_kinds(lib: Any) -> Any:
    c = lib.utils.checkpoint
    x = lib.ones(2, requires_grad=True)
    out = []
    for f in (
        lambda: c.checkpoint(lambda x: x * 2, x, use_reentrant=False, determinism_check="none"),
        lambda: c.checkpoint(lambda x, k=1: x * k, x, k=3, use_reentrant=False),
        lambda: c.checkpoint(lambda x, k=1: x * k, x, k=3, use_reentrant=True),
        lambda: c.checkpoint(lambda x: (x, None, 3), x, use_reentrant=False)[1:],
        lambda: c.checkpoint_sequential([lib.sin, lib.cos, lib.exp], 2, x, use_reentrant=False),
        lambda: c.checkpoint(lambda x: x * 2, lib.ones(2), use_reentrant=True).requires_grad,
        lambda: c.checkpoint(lambda d: d["a"] * 2, {"a": x}, use_reentrant=False),
    ):
        try:
            out.append(f())
        except Exception as e:
            out.append(type(e).__name__ in ("ValueError", "ArgumentError"))
    return out


def ckpt_early(lib: Any) -> Any:
    c = lib.utils.checkpoint
    x = lib.ones(2, requires_grad=True)
    n = []

    def f(x):
        y = x * x
        y = y.exp()
        n.append(1)
        return y + 1

    with c.set_checkpoint_early_stop(False):
        y = c.checkpoint(f, x, use_reentrant=False)
    y.sum().backward()
    out = [len(n)]
    n.clear()
    y = c.checkpoint(f, x, use_reentrant=False)
    y.sum().backward()
    out.append(len(n))
    return out


def ckpt_grad_twice(lib: Any) -> Any:
    c = lib.utils.checkpoint
    x = lib.ones(2, requires_grad=True)
    y = c.checkpoint(lambda x: (x**3).sin(), x, use_reentrant=False)
    (g,) = lib.autograd.grad(y.sum(), x, create_graph=True)
    out = [g, *lib.autograd.grad(g.sum(), x)]
    return out


PROGRAMS = [
    hooks_of_saved_tensors_nest,
    hooks_of_saved_tensors_are_disabled_and_allowed_again,
    saved_tensors_move_to_the_cpu,
    saved_tensors_may_be_changed_where_that_is_allowed,
    views_may_be_changed_where_that_is_allowed,
    anomaly_mode_need_not_look_for_nan,
    anomaly_mode_can_be_asked_for,
    a_node_shows_what_it_saved,
    a_saved_tensor_takes_hooks_of_its_own,
    a_node_takes_hooks_before_and_after,
    real_and_imaginary_parts_are_changed_in_place,
    a_complex_tensor_is_changed_as_real,
    a_real_tensor_is_changed_as_complex,
    a_reentrant_checkpoint_runs_under_hooks,
    a_checkpoint_runs_under_hooks,
    checkpoints_nest,
    reentrant_checkpoints_nest,
    a_hook_waits_for_several_gradients,
    a_gradient_is_taken_at_an_edge,
    a_version_is_raised_by_hand,
    gradients_of_zeros_that_require_grad,
    vmap_takes_nested_in_dims,
    vmap_out_tuple,
    vmap_out_none,
    vmap_scalar_in,
    vmap_kw,
    vmap_negative,
    vmap_inplace_ok,
    vmap_where,
    grad_aux,
    grad_argnums,
    grad_dict,
    grad_no_grad,
    no_grad_grad,
    vjp_aux,
    vjp_tree,
    jvp_aux,
    jvp_tree,
    jac_argnums,
    jac_aux,
    jac_chunk,
    jac_tree,
    hessian_args,
    functional_call,
    functional_call_tie,
    stack_state,
    linearize_multi,
    functionalize,
    batch_norm_running,
    replace_bn,
    per_sample,
    escaped_grad,
    grad_autograd_inside,
    ckpt_kinds,
    ckpt_early,
    ckpt_grad_twice,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_gives_the_same_on_both(program: Any) -> None:
    same(program)
