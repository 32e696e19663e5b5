"""Users' Functions with ``generate_vmap_rule`` under vmap: each of their methods is mapped.

`mapped` makes a Function whose inputs and outputs hold all examples, batch dimension first. Each of its methods starts
a new vmap, and inside runs the user's method on single examples, with a ctx that keeps single examples.

    forward(all of x) ──► vmap begins ──► the user's forward(one x) ──► one y ──► all of y

The outer ctx saves all tensors, so that versions are checked and hooks are called as usual.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ..autograd.function import Function
from ..autograd.function_node import FunctionCtx
from ..core.tensor import Tensor


class ExampleCtx(FunctionCtx):
    """The ctx of one example, which the user's methods get. It has no node; the outer ctx saves its tensors."""

    def __init__(self) -> None:
        self.kept: tuple[Any, ...] = ()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"ctx has no attribute {name!r}: forward did not set it")

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        return self.kept or self._for_forward


class Mapped(Function):
    """Runs the Function `one`, which takes single examples, on all examples of `level`.

    `batched` says for each input whether it has a batch dimension; one without is the same for every example.
    """

    generate_vmap_rule = True
    one: ClassVar[type[Function]]
    level: ClassVar[Any]
    batched: ClassVar[tuple[bool, ...]]

    @classmethod
    def forward(cls, *values: Any) -> Any:
        """Run the user's ``forward`` on each example."""
        with cls.level:
            result = cls.one.forward(*cls.examples(values, cls.batched))
        return cls.together(result)

    @classmethod
    def setup_context(cls, ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Run the user's ``setup_context`` on each example; what it saved is saved here, with all examples."""
        inner = ctx.inner = ExampleCtx()
        inner.needs_input_grad = ctx.needs_input_grad
        outputs = cls.examples(output if isinstance(output, tuple) else (output,))
        with cls.level:
            given = cls.examples(inputs, cls.batched)
            cls.one.setup_context(inner, given, outputs if isinstance(output, tuple) else outputs[0])
        saved, ctx.flags = cls.level.all_opened(inner._to_save)
        ctx.save_for_backward(*saved)
        for_forward, ctx.forward_flags = cls.level.all_opened(inner._for_forward)
        ctx.save_for_forward(*for_forward)
        ctx.mark_non_differentiable(*cls.level.all_opened(inner._non_differentiable)[0])
        inner._to_save = ()

    @classmethod
    def backward(cls, ctx: Any, *grads: Any) -> Any:
        """Run the user's ``backward`` on each example; sum the gradients of an input without a batch dimension."""
        ctx.inner.kept = cls.examples(ctx.saved_tensors, ctx.flags)
        with cls.level:
            found = cls.one.rule()(ctx.inner, *cls.examples(grads))
        found = found if isinstance(found, tuple) else (found,)
        several = (*cls.batched, *[False] * (len(found) - len(cls.batched)))
        return tuple(
            None if each is None else cls.together(each) if many else cls.together(each).sum(0)
            for each, many in zip(found, several, strict=True)
        )

    @classmethod
    def jvp(cls, ctx: Any, *tangents: Any) -> Any:
        """Run the user's ``jvp`` on each example."""
        ctx.inner.kept = cls.examples(ctx._for_forward, ctx.forward_flags)
        with cls.level:
            pushed = cls.one.jvp(ctx.inner, *cls.examples(tangents, cls.batched))
        return cls.together(pushed)

    @classmethod
    def examples(cls, values: Sequence[Any], batched: Sequence[bool] | None = None) -> tuple[Any, ...]:
        """Wrap each tensor as one example of a batch; `batched` says which have a batch dimension (default: all)."""
        flags = [True] * len(values) if batched is None else batched
        return tuple([
            cls.level.wrapped(x, many) if isinstance(x, Tensor) else x for x, many in zip(values, flags, strict=True)
        ])  # fmt: skip

    @classmethod
    def together(cls, result: Any) -> Any:
        """Unwrap every tensor, with the batch dimension first."""
        if isinstance(result, tuple):
            return tuple([cls.together(each) for each in result])
        return cls.level.left(result, 0) if isinstance(result, Tensor) else result


def mapped(function: type[Function], level: Any, batched: Sequence[bool]) -> type[Mapped]:
    """Return the Function that runs `function` on all examples of `level`, in a new vmap; see `Mapped`."""
    own = type(level)(level.size, level.randomness)
    body = {"one": function, "level": own, "batched": tuple(batched), "__module__": function.__module__}
    return type(f"Vmapped{function.__name__}", (Mapped,), body)
