"""Random programs: short lists of instructions that any library with PyTorch's names can run.

A program works on a pool of tensors. An instruction names an op and the places in the pool it works on; what it makes
joins the pool. At the end everything in the pool is reduced to one number, and the gradients of the leaves are taken.
The outcome is plain data: values, gradients, flags, and at which instruction which kind of exception was raised.

Left out, because the two differ there on purpose: ``x.mul_(x)``, whose gradient is an error in PyTorch and exact here;
writing by index or by zero_ to an expanded tensor, which is an error here; copying to a tensor a part of itself, which
PyTorch refuses; changing what a product keeps for the sake of a view that was made under no_grad, which PyTorch does
not look at; changing a view whose base was given a history before anybody asked for the view's own, which PyTorch
refuses as a leaf (or forgets that it should retain its gradient); turning a base in place under no_grad, after which PyTorch's gradients have the wrong shape.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

UNARY = ("sin", "cos", "tanh", "sigmoid", "exp", "neg", "square", "clone", "relu", "abs", "detach", "contiguous")
BINARY = ("add", "sub", "mul", "maximum")
INPLACE_UNARY = ("sin_", "tanh_", "sigmoid_", "neg_", "zero_", "square_", "relu_")
INPLACE_BINARY = ("add_", "sub_", "mul_", "copy_")
VIEWS = ("first", "tail", "column", "t", "flat", "narrow", "unsqueeze", "expand", "diagonal", "chunk", "split_last")


@dataclass(frozen=True)
class Instruction:
    """One step: `kind` of op, its `name`, and up to two places in the pool."""

    kind: str
    name: str
    a: int
    b: int


def instructions() -> st.SearchStrategy[Instruction]:
    """Any instruction; places count modulo the size of the pool."""
    place = st.integers(0, 11)
    kinds = {
        "unary": UNARY,
        "binary": BINARY,
        "inplace": INPLACE_UNARY,
        "inplace2": INPLACE_BINARY,
        "view": VIEWS,
        "setitem": ("row", "tail", "mask", "index"),
        "getitem": ("mask", "index", "pairs"),
        "hook": ("double", "watch", "once"),
        "mode": ("no_grad_mul", "no_grad_view", "no_grad_write", "retain_grad", "detached_write"),
        "turn": ("t_", "unsqueeze_", "squeeze_", "transpose_"),
        "function": ("through", "twice"),
    }
    weights = ["unary", "unary", "binary", "binary", "inplace", "inplace2", "view", "view", *kinds]
    return st.sampled_from(weights).flatmap(
        lambda kind: st.builds(Instruction, st.just(kind), st.sampled_from(kinds[kind]), place, place)
    )


def view(lib: Any, name: str, x: Any) -> Any:
    if name == "first":
        return x[0]
    if name == "tail":
        return x[1:]
    if name == "column":
        return x[..., 0]
    if name == "t":
        return x.transpose(0, -1)
    if name == "flat":
        return x.reshape(-1)
    if name == "narrow":
        return x.narrow(0, 0, 1)
    if name == "unsqueeze":
        return x.unsqueeze(0)
    if name == "expand":
        return x.expand(2, *x.shape)
    if name == "diagonal":
        return x.diagonal(0, 0, -1)
    return (x.chunk(2) if name == "chunk" else x.split(1, -1))[0]


def setitem(lib: Any, name: str, x: Any, y: Any) -> None:
    value = y.sum().tanh()
    if name == "row":
        x[0] = value
    elif name == "tail":
        x[1:] = value
    elif name == "mask":
        x[x > 0.3] = value
    else:
        x[lib.tensor([0, 0])] = value


def getitem(lib: Any, name: str, x: Any) -> Any:
    if name == "mask":
        return x[x > 0]
    return x[lib.tensor([0, 0])] if name == "index" else x[lib.tensor([0, 1]), lib.tensor([0, 0])]


def root(x: Any) -> Any:
    """The tensor whose memory it shares."""
    return x if x._base is None else x._base


def turn(name: str, x: Any) -> None:
    """A view that is then changed in place."""
    if name == "t_":
        x.t_()
    elif name == "transpose_":
        x.transpose_(0, -1)
    else:
        getattr(x, name)(0)


def functions(lib: Any) -> dict[str, Any]:
    """Users' Functions: one returns a view of its input, one also saves its output."""

    class Through(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.view_as(x)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 3

    class Twice(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x.tanh()
            ctx.save_for_backward(x, y)
            return y, y * x

        @staticmethod
        def backward(ctx: Any, first: Any, second: Any) -> Any:
            x, y = ctx.saved_tensors
            slope = 1 - y * y
            return first * slope + second * (y + x * slope)

    return {"through": Through.apply, "twice": lambda x: Twice.apply(x)[1]}


class Run:
    """One program on one library."""

    def __init__(self, lib: Any, values: list[list[list[float]]]) -> None:
        self.lib = lib
        self.leaves = [lib.tensor(each, dtype=lib.float64, requires_grad=True) for each in values]
        self.pool = [*self.leaves, lib.ones(2, 3, dtype=lib.float64)]
        self.hooks: list[float] = []
        self.outcome: list[Any] = []

    def step(self, ins: Instruction) -> None:
        """Run one instruction. An exception of the library becomes part of the outcome."""
        x, y = self.pool[ins.a % len(self.pool)], self.pool[ins.b % len(self.pool)]
        made: Any = None
        if ins.kind.startswith(("inplace", "setitem", "turn", "mode")):
            x.grad_fn
        if ins.kind == "unary":
            made = getattr(x, ins.name)()
        elif ins.kind == "binary":
            made = getattr(self.lib, ins.name)(x, y)
        elif ins.kind == "inplace":
            if x.is_contiguous() or ins.name != "zero_":
                getattr(x, ins.name)()
        elif ins.kind == "inplace2":
            same = x.data_ptr() == y.data_ptr() or (ins.name == "copy_" and root(x) is root(y))
            getattr(x, ins.name)(y.clone() if same else y)
        elif ins.kind == "view":
            made = view(self.lib, ins.name, x)
        elif ins.kind == "setitem":
            if x.is_contiguous():
                setitem(self.lib, ins.name, x, y)
        elif ins.kind == "getitem":
            made = getitem(self.lib, ins.name, x)
        elif ins.kind == "hook":
            if not (x.is_leaf and x._is_view()):  # PyTorch 2.13 crashes on a view whose base came to require grad
                self.hook(ins.name, x)
        elif ins.kind == "turn":
            turn(ins.name, x)
        elif ins.kind == "function":
            made = functions(self.lib)[ins.name](x)
        elif ins.name == "retain_grad":
            x.retain_grad()
        elif ins.name == "detached_write":
            x.detach().mul_(2)
        elif ins.name == "no_grad_write":
            with self.lib.no_grad():
                x.mul_(2)
        elif ins.name == "no_grad_view":
            with self.lib.no_grad():
                made = x[0]
        else:
            with self.lib.no_grad():
                made = x * 2
        if made is not None:
            self.pool.append(made)

    def hook(self, name: str, x: Any) -> None:
        """Register a hook on a tensor; the one called once removes itself."""
        if name != "once":
            x.register_hook(self.doubled if name == "double" else self.watch)
            return
        handle = x.register_hook(lambda grad: (handle.remove(), self.watch(grad))[1])  # type: ignore[has-type]

    def doubled(self, grad: Any) -> Any:
        return grad * 2

    def watch(self, grad: Any) -> None:
        self.hooks.append(round(float(grad.sum().item()), 6))

    def run(self, program: list[Instruction], order: int) -> list[Any]:
        """The whole program, then gradients up to `order`; the outcome as plain data."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for number, ins in enumerate(program):
                self.attempt(number, lambda ins=ins: self.step(ins))  # type: ignore[misc]
            for each in self.pool:
                self.attempt("tensor", lambda each=each: self.outcome.append(describe(each)))  # type: ignore[misc]
            self.attempt("gradients", lambda: self.differentiate(order))
            for each in self.pool:
                self.attempt("grad", lambda each=each: self.outcome.append(numbers(each.grad)))  # type: ignore[misc]
        self.outcome.append(sorted(self.hooks))
        return self.outcome

    def attempt(self, where: Any, action: Any) -> None:
        try:
            action()
        except Exception as error:
            kinds = (NotImplementedError, RuntimeError, TypeError, ValueError, IndexError)
            self.outcome.append((where, next((k.__name__ for k in kinds if isinstance(error, k)), repr(error))))

    def differentiate(self, order: int) -> None:
        loss = sum(each.tanh().sum() for each in self.pool if each.numel())
        if order == 1:
            loss.backward()
            return
        grads = self.lib.autograd.grad(loss, self.leaves, create_graph=True, allow_unused=True)
        again = sum((g * g).sum() for g in grads if g is not None)
        again.backward()


def numbers(tensor: Any) -> Any:
    """Shape and rounded values."""
    if tensor is None:
        return None
    return (tuple(tensor.shape), [round(float(v), 5) + 0.0 for v in tensor.detach().reshape(-1).tolist()])


def describe(tensor: Any) -> Any:
    """Flags, version, shape and values."""
    return (tensor.requires_grad, tensor.is_leaf, tensor._version, *numbers(tensor))
