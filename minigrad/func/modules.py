"""Modules as functions of their parameters: functional_call, and several models run as one.

>>> import minigrad as mg
>>> net = mg.nn.Linear(2, 1)
>>> weights = {"weight": mg.ones(1, 2), "bias": mg.zeros(1)}
>>> mg.func.functional_call(net, weights, (mg.ones(1, 2),))
tensor([[2.]])
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..core.tensor import Tensor
from ..errors import ArgumentError, GradError
from ..ops.shape.join import stack


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Mapping[str, Tensor] | Sequence[Mapping[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call `module` with other tensors in the place of its parameters and buffers, by name ("fc.weight").

    Parameters that are not named keep their values, and the module is unchanged afterwards. The result depends on the
    given tensors, so `grad`, `jvp` and `vmap` work on them. One name replaces all parameters tied to it, unless
    `tie_weights` is False. With `strict` the names must be exactly those of the module. ValueError if a name is given
    twice. A buffer that the module replaces (``self.steps = self.steps + 1``) is replaced in the given dictionary.
    """
    given = _merged(parameter_and_buffer_dicts)
    homes = _homes(module)
    _check_names(module, given, homes, strict)
    values = _with_ties(given, homes) if tie_weights else given
    arguments = args if isinstance(args, tuple) else () if args is None else (args,)
    with _swapped([(*homes[name], value) for name, value in values.items() if name in homes]):
        try:
            return module(*arguments, **(kwargs or {}))
        finally:
            if isinstance(parameter_and_buffer_dicts, dict):
                parameter_and_buffer_dicts.update(_now(given, homes))


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Remove the running statistics of every batch norm in `root`, so that it works under `vmap`. Return `root`."""
    for each in root.modules():
        if any(kind.__name__ == "_BatchNorm" for kind in type(each).__mro__):  # `nn` is a package above this one
            each.track_running_stats = False
            each.running_mean = each.running_var = each.num_batches_tracked = None
    return root


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Stack the parameters and the buffers of several models of one class along a new first dimension.

    With `functional_call` under `vmap`, all models run at once. The stacked parameters are new leaves.
    """
    if not models:
        raise GradError("stack_module_state: Expected at least one model, got 0.")
    if len({type(each) for each in models}) > 1:
        raise GradError("stack_module_state: Expected all models to be of the same class.")
    if len({each.training for each in models}) > 1:
        raise GradError("stack_module_state: Expected all models to have the same training/eval mode.")
    parameters = _stacked([dict(each.named_parameters()) for each in models])
    for name, tensor in parameters.items():
        parameters[name] = tensor.detach().requires_grad_(tensor.requires_grad)
    return parameters, _stacked([dict(each.named_buffers()) for each in models])


def _stacked(states: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
    for name in states[0]:
        if len({state[name].requires_grad for state in states}) > 1:
            raise GradError(
                f"Expected {name} from each model to have the same .requires_grad: call requires_grad_() on those that "
                "differ, or stack the models apart."
            )
    return {name: stack([state[name] for state in states]) for name in states[0]}


def _merged(given: Any) -> dict[str, Tensor]:
    """Return the given dictionary, or several merged into one. ValueError if a name occurs twice."""
    if isinstance(given, Mapping):
        return dict(given)
    if not isinstance(given, (tuple, list)) or not all(isinstance(each, Mapping) for each in given):
        raise ArgumentError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(given)}"
        )
    merged: dict[str, Tensor] = {}
    for each in given:
        twice = sorted(merged.keys() & each.keys())
        if twice:
            raise ArgumentError(f"{twice} appeared in multiple dictionaries; behavior of functional call is ambiguous")
        merged.update(each)
    return merged


Home = tuple[dict[str, Any], str]


def _homes(module: Any) -> dict[str, Home]:
    """Map the name of each parameter and buffer to the dictionary that holds it, and its key there."""
    return {
        f"{path}.{key}" if path else key: (registry, key)
        for path, owner in module.named_modules(remove_duplicate=False)
        for registry in (owner._parameters, owner._buffers)
        for key, value in registry.items()
        if value is not None
    }


def _check_names(module: Any, given: dict[str, Tensor], homes: dict[str, Home], strict: bool) -> None:
    if not strict:
        return
    unknown, missing = sorted(given.keys() - homes.keys()), sorted(homes.keys() - given.keys())
    if unknown or missing:
        lines = [f"Error(s) in reparametrizing for {type(module).__name__}:"]
        lines += [f"\tUnexpected key(s): {', '.join(map(repr, unknown))}."] if unknown else []
        lines += [f"\tMissing key(s): {', '.join(map(repr, missing))}."] if missing else []
        raise GradError("\n".join(lines))


def _with_ties(given: dict[str, Tensor], homes: dict[str, Home]) -> dict[str, Tensor]:
    """Return `given` with the other names of tied parameters added. ValueError if tied names get different tensors."""
    together: dict[int, list[str]] = {}
    for name, (registry, key) in homes.items():
        together.setdefault(id(registry[key]), []).append(name)
    values = dict(given)
    for names in together.values():
        named = [name for name in names if name in given]
        if len({id(given[name]) for name in named}) > 1:
            raise ArgumentError(
                f"functional_call got multiple values for keys {named}, which are tied. Consider using "
                "tie_weights=False"
            )
        if named:
            values.update(dict.fromkeys(names, given[named[0]]))
    return values


def _now(given: dict[str, Tensor], homes: dict[str, Home]) -> dict[str, Tensor]:
    """Return the module's present tensors under the names in `given`."""
    return {name: homes[name][0][homes[name][1]] for name in given if name in homes}


@contextmanager
def _swapped(places: list[tuple[dict[str, Any], str, Tensor]]) -> Iterator[None]:
    """Put other tensors in these places while the ``with`` block runs."""
    before = [registry[key] for registry, key, _ in places]
    try:
        for registry, key, value in places:
            registry[key] = value
        yield
    finally:
        for (registry, key, _), value in zip(places, before, strict=True):
            registry[key] = value
