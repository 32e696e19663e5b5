"""Steps that are part of the graph: ``differentiable=True``, for gradients through training itself.

An optimiser's `update` changes arrays in place. Here it runs on cells instead. Each holds a tensor, and an in-place
change puts a new tensor into the cell, so that nothing that backward needs is overwritten.
"""

from __future__ import annotations

import operator
from typing import Any

from ..core.tensor import Tensor
from ..ops.create.factories import as_tensor
from ..ops.elementwise.where import where


class Cell:
    """Holds a tensor in place of an array; in-place operators replace the tensor."""

    __array_ufunc__ = None  # NumPy scalars on the left then use the cell's operators

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    @property
    def dtype(self) -> Any:
        return self.tensor.dtype

    @property
    def shape(self) -> Any:
        return self.tensor.shape

    def astype(self, dtype: Any) -> Cell:
        return Cell(self.tensor.to(dtype))

    def __neg__(self) -> Cell:
        return Cell(-self.tensor)

    def __setitem__(self, place: Any, value: Any) -> None:
        chosen = place.tensor if isinstance(place, Cell) else None
        found = content(value)
        if chosen is not None:
            self.tensor = self.tensor.masked_fill(chosen, found)
        else:
            self.tensor = found.clone() if isinstance(found, Tensor) else self.tensor.new_full(self.shape, found)


def content(value: Any) -> Any:
    """Return the tensor in a cell; return any other value as it is."""
    return value.tensor if isinstance(value, Cell) else value


def _give_operators() -> None:
    for name in ("add", "sub", "mul", "truediv", "pow", "gt", "lt"):
        function = getattr(operator, name)

        def forwards(self: Cell, other: Any, function: Any = function) -> Cell:
            return Cell(function(self.tensor, content(other)))

        def backwards(self: Cell, other: Any, function: Any = function) -> Cell:
            return Cell(function(other, self.tensor))

        def within(self: Cell, other: Any, function: Any = function) -> Cell:
            self.tensor = function(self.tensor, content(other))
            return self

        setattr(Cell, f"__{name}__", forwards)
        if name not in ("gt", "lt"):
            setattr(Cell, f"__r{name}__", backwards)
            setattr(Cell, f"__i{name}__", within)


_give_operators()


class Cells:
    """Replaces the array library while a step is recorded."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.state = state
        self.kept: dict[str, Cell] = {}

    def remembered(self, name: str, like: Cell, fill: float) -> Cell:
        """Return the cell of the state called `name`, created with the value `fill`."""
        if name not in self.kept:
            tensor = self.state.get(name)
            self.kept[name] = Cell(like.tensor.detach().new_full(like.shape, 0) + fill if tensor is None else tensor)
        return self.kept[name]

    def finish(self) -> None:
        """Store the tensors of the cells in the optimiser's state."""
        self.state.update({name: cell.tensor for name, cell in self.kept.items()})

    def compiled(self, name: str, *arrays: Any) -> None:
        """Return None: no compiled routine can record a step."""

    def empty_like(self, like: Cell) -> Cell:
        return Cell(like.tensor)

    copy = empty_like

    def asarray(self, value: Any) -> Cell:
        return value if isinstance(value, Cell) else Cell(as_tensor(value))

    @staticmethod
    def float32(value: Any) -> Any:
        return value

    def subtract(self, a: Any, b: Any, out: Cell) -> Cell:
        return _put(out, content(a) - content(b))

    def multiply(self, a: Any, b: Any, out: Cell) -> Cell:
        return _put(out, content(a) * content(b))

    def divide(self, a: Any, b: Any, out: Cell) -> Cell:
        return _put(out, content(a) / content(b))

    def sqrt(self, x: Cell, out: Cell | None = None) -> Cell:
        return _put(Cell(x.tensor) if out is None else out, x.tensor.sqrt())

    def maximum(self, a: Cell, b: Any, out: Cell | None = None) -> Cell:
        other = content(b)
        maximum = a.tensor.maximum(other) if isinstance(other, Tensor) else a.tensor.clamp(min=other)
        return _put(Cell(a.tensor) if out is None else out, maximum)

    def abs(self, x: Cell) -> Cell:
        return Cell(x.tensor.abs())

    def sign(self, x: Cell) -> Cell:
        return Cell(x.tensor.sign())

    def clip(self, x: Cell, low: float, high: float) -> Cell:
        return Cell(x.tensor.clamp(low, high))

    def where(self, condition: Cell, chosen: Any, other: Any) -> Cell:
        return Cell(where(condition.tensor, content(chosen), content(other)))


def _put(out: Cell, tensor: Tensor) -> Cell:
    out.tensor = tensor
    return out


def move(optimizer: Any, group: dict[str, Any]) -> None:
    """Update the parameters of one group in the graph: each is changed in place, and its history includes the step."""
    for parameter in group["params"]:
        if parameter._grad is None:
            continue
        state = optimizer.state[parameter]
        cells, param = Cells(state), Cell(parameter)
        optimizer.update(cells, param, Cell(parameter._grad), state, group)
        cells.finish()
        parameter.copy_(param.tensor)
