"""L-BFGS (Liu and Nocedal, 1989): approximate Newton steps from the last few gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..core.grad_mode import enable_grad
from ..core.tensor import Tensor, wrap
from ..errors import ArgumentError, ArgumentTypeError
from ..ops.common.dims import one_int
from .line_search import Point, strong_wolfe
from .optimizer import Group, Optimizer, changed


class LBFGS(Optimizer):
    """Do up to `max_iter` approximate Newton steps in each call of `step`, which needs a closure.

    All parameters must be in one group. `line_search_fn` is None, for steps of length `lr`, or "strong_wolfe".
    """

    at_least_zero = ("lr",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        if line_search_fn not in (None, "strong_wolfe"):
            raise ArgumentError(f"only 'strong_wolfe' is supported as line_search_fn, got {line_search_fn!r}")
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": one_int("history_size", history_size),
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ArgumentError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params: list[Tensor] = self.param_groups[0]["params"]

    @property
    def xp(self) -> Any:
        """The backend of the parameters."""
        return self._params[0]._backend

    def _numel(self) -> int:
        return sum(map(_count, self._params))

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Iterate, and return the loss before. `closure` clears the gradients, computes the loss and runs backward."""
        if closure is None:
            raise ArgumentTypeError(
                "LBFGS needs to evaluate the loss several times: pass step() a closure that returns it"
            )
        group = self.param_groups[0]
        state = self.state.setdefault(self._params[0], {"func_evals": 0, "n_iter": 0, "old_dirs": [], "old_stps": []})
        first = self._evaluate(closure)
        loss, grad = float(first), self._flat_grad()
        state["func_evals"] += 1
        asked = 1
        if float(self.xp.abs(grad).max()) > group["tolerance_grad"]:
            for iteration in range(1, group["max_iter"] + 1):
                left = 0 if iteration == group["max_iter"] else 1
                left = group["max_eval"] - asked if group["line_search_fn"] else left
                done, loss, grad, more = self._iterate(closure, group, state, loss, grad, left)
                asked += more
                state["func_evals"] += more
                if done or asked >= group["max_eval"]:
                    break
        return first

    def _iterate(
        self, closure: Any, group: Group, state: dict[str, Any], loss: float, grad: Any, left: int
    ) -> tuple[bool, float, Any, int]:
        """Do one step. Return whether to stop, the new loss, the new gradient, and how often the loss was computed.

        The loss may be computed at most `left` times.
        """
        state["n_iter"] += 1
        direction = self._direction(group, state, grad)
        slope = float(grad @ direction)
        if slope > -group["tolerance_change"]:
            return True, loss, grad, 0
        first = state["n_iter"] == 1
        rate = float(group["lr"])
        t = min(1.0, 1.0 / float(self.xp.abs(grad).sum())) * rate if first else rate
        state["prev_flat_grad"] = wrap(grad.copy(), self.xp)
        asked = 0
        before = loss
        if group["line_search_fn"] is None:
            self._walk(direction, t)
            if left:  # not needed after the last step
                loss, grad = float(self._evaluate(closure)), self._flat_grad()
                asked = 1
        else:
            found, asked = self._search(closure, direction, Point(0.0, loss, grad, slope), t, left)
            t, loss, grad, _ = found
            self._walk(direction, t)
        state["d"], state["t"] = wrap(direction, self.xp), t
        small = float(self.xp.abs(direction).max()) * t <= group["tolerance_change"]
        flat = float(self.xp.abs(grad).max()) <= group["tolerance_grad"]
        return flat or small or abs(loss - before) < group["tolerance_change"], loss, grad, asked

    def _direction(self, group: Group, state: dict[str, Any], grad: Any) -> Any:
        """Return minus an approximate inverse Hessian times the gradient, by two loops over the stored pairs (s, y)."""
        changes, steps = state["old_dirs"], state["old_stps"]  # y and s, oldest first, under PyTorch's names
        if state["n_iter"] > 1:
            y = grad - state["prev_flat_grad"]._array
            s = state["d"]._array * state["t"]
            curvature = float(y @ s)
            if curvature > 1e-10:
                if len(changes) == group["history_size"]:
                    del changes[0], steps[0]
                changes.append(wrap(y, self.xp))
                steps.append(wrap(s, self.xp))
                state["H_diag"] = curvature / float(y @ y)
        direction = -grad
        weights = []
        for y, s in zip(reversed(changes), reversed(steps), strict=True):
            weight = float(s._array @ direction) / float(y._array @ s._array)
            weights.append(weight)
            direction -= y._array * weight
        direction *= state.setdefault("H_diag", 1.0)
        for y, s, weight in zip(changes, steps, reversed(weights), strict=True):
            direction += s._array * (weight - float(y._array @ direction) / float(y._array @ s._array))
        return direction

    def _search(self, closure: Any, direction: Any, start: Point, t: float, most: int) -> tuple[Point, int]:
        origin = [parameter._array.copy() for parameter in self._params]

        def probe(t: float) -> Point:
            self._walk(direction, t)
            loss, grad = float(self._evaluate(closure)), self._flat_grad()
            for parameter, values in zip(self._params, origin, strict=True):
                parameter._array[...] = values
                changed(parameter)
            return Point(t, loss, grad, float(grad @ direction))

        return strong_wolfe(probe, start, t, float(self.xp.abs(direction).max()), most)

    @staticmethod
    def _evaluate(closure: Any) -> Any:
        with enable_grad():
            return closure()

    def _flat_grad(self) -> Any:
        parts = [
            self.xp.zeros(_count(each), each._array.real.dtype) if each._grad is None else _reals(each._grad._array)
            for each in self._params
        ]
        return self.xp.concatenate(parts)

    def _walk(self, direction: Any, t: float) -> None:
        """Move all parameters by `t` along `direction`."""
        start = 0
        for parameter in self._params:
            end = start + _count(parameter)
            array, move = parameter._array, direction[start:end] * t
            if parameter.is_complex():
                move = move[::2] + 1j * move[1::2]
            array[...] += move.reshape(array.shape)
            changed(parameter)
            start = end


def _count(parameter: Tensor) -> int:
    """The number of real numbers in a parameter: of a complex one, two for each element."""
    return parameter.numel() * (2 if parameter.is_complex() else 1)


def _reals(array: Any) -> Any:
    """The numbers of an array in a row; of a complex one, the real and the imaginary part of each element."""
    flat = array.reshape(-1)
    return flat.copy().view(flat.real.dtype) if flat.dtype.kind == "c" else flat
