"""`GradScaler`: scales a loss so that small gradients do not underflow in half precision, and detects overflow."""

from __future__ import annotations

import warnings
from typing import Any

from ..backend import cupy
from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..errors import ArgumentTypeError, GradError

READY, UNSCALED, STEPPED = "ready", "unscaled", "stepped"


class GradScaler:
    """Scales losses. It skips steps with infinite or NaN gradients, and then lowers the scale.

    Args:
        device: "cpu", or "cuda", for which the scaler is disabled without a GPU.
        init_scale: the initial scale.
        growth_factor: multiplies the scale after `growth_interval` steps without overflow.
        backoff_factor: multiplies the scale after a skipped step.
        growth_interval: the number of consecutive steps without overflow after which the scale grows.
        enabled: if False, losses and steps are unchanged.

    >>> import minigrad as mg
    >>> x = mg.ones(1, requires_grad=True)
    >>> optimizer, scaler = mg.optim.SGD([x], lr=1.0), GradScaler("cpu")
    >>> scaler.scale(2 * x).backward()
    >>> _ = scaler.step(optimizer)
    >>> scaler.update()
    >>> x
    tensor([-1.], requires_grad=True)
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if enabled and device == "cuda" and not cupy.device_count():
            warnings.warn("GradScaler is enabled, but CUDA is not available.  Disabling.", UserWarning, stacklevel=2)
            enabled = False
        self._enabled = enabled
        self._scale = float(init_scale)
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._growth_tracker = 0
        self._stages: dict[int, str] = {}
        self._overflows: dict[int, bool] = {}

    def scale(self, outputs: Any) -> Any:
        """Return a loss, or several, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        if isinstance(outputs, (list, tuple)):
            return type(outputs)(self.scale(each) for each in outputs)
        raise ArgumentTypeError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients by the scale, so that they can be clipped. At most once before each step."""
        if not self._enabled:
            return
        stage = self._stages.get(id(optimizer), READY)
        if stage != READY:
            raise GradError(
                "unscale_() has already been called on this optimizer since the last update()."
                if stage == UNSCALED
                else "unscale_() is being called after step()."
            )
        overflow = False
        with no_grad():
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        parameter.grad.mul_(1 / self._scale)
                        overflow = overflow or not bool(parameter.grad.isfinite().all())
        self._overflows[id(optimizer)] = overflow
        self._stages[id(optimizer)] = UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Unscale the gradients if needed; run ``optimizer.step()`` unless one is infinite or NaN."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise GradError("Closure use is not currently supported if GradScaler is enabled.")
        if self._stages.get(id(optimizer)) == STEPPED:
            raise GradError("step() has already been called since the last update().")
        if self._stages.get(id(optimizer), READY) == READY:
            self.unscale_(optimizer)
        result = None if self._overflows[id(optimizer)] else optimizer.step(*args, **kwargs)
        self._stages[id(optimizer)] = STEPPED
        return result

    def update(self, new_scale: Any = None) -> None:
        """Lower the scale if a step was skipped; raise it after enough other steps; or set it to `new_scale`."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._overflows:
            raise GradError("No inf checks were recorded prior to update.")
        elif any(self._overflows.values()):
            self._scale *= self._backoff_factor
            self._growth_tracker = 0
        else:
            self._growth_tracker += 1
            if self._growth_tracker == self._growth_interval:
                self._scale *= self._growth_factor
                self._growth_tracker = 0
        self._stages.clear()
        self._overflows.clear()

    def get_scale(self) -> float:
        """Return the scale; 1 if the scaler is disabled."""
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """Return the factor by which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set the factor by which the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Return the factor by which the scale shrinks after a skipped step."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set the factor by which the scale shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Return the number of consecutive steps without overflow after which the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set the number of steps without an infinity after which the scale grows."""
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Whether the scaler is enabled."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """Return the scale and the settings, to be saved with the optimiser's state."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore a state from `state_dict`."""
        if not self._enabled:
            return
        if not state_dict:
            raise GradError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]
