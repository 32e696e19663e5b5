"""Breakpoints: the places where a program stops, as conditions that must all hold.

Their text is the same on the command line, in Python and in messages:

    op=MatMul               before an op of that kind, forward and backward; MatMul is every product with @
    name=hidden             before the call that makes the tensor of this name, and where its gradient arrives
    line=train.py:12        once each time the program comes to that line; line=12 in any file
    module=blocks.0         inside that module
    nan                     after the op, or the backward, that makes a NaN or an infinity of finite numbers
    norm>10                 where a gradient with a larger norm arrives
    forward, backward       only in forward, only in backward

Conditions with commas between them must all hold: ``op=MatMul,backward``, ``norm>10,module=head``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal

from ...core.declared import REGISTRY
from ...errors import ArgumentError
from ...ops import families
from ..framework.op_facts import op_name

if TYPE_CHECKING:
    from .pause_points import Moment

Phase = Literal["forward", "backward"]

HOW = (
    "Write op=MatMul, name=w1, line=train.py:12, module=blocks.0, nan, norm>10, forward or backward; commas join them."
)


@dataclass(frozen=True)
class Breakpoint:
    """Conditions that must all hold; None means any. With `once`, the breakpoint is removed when the program stops.

    >>> Breakpoint.parse("op=MatMul,backward")
    Breakpoint('op=MatMul,backward')
    >>> str(Breakpoint(norm=10, module="head"))
    'module=head,norm>10'
    """

    op: str | None = None
    name: str | None = None
    file: str | None = None
    line: int | None = None
    module: str | None = None
    node: int | None = None
    nan: bool = False
    norm: float | None = None
    phase: Phase | None = None
    once: bool = False

    def __post_init__(self) -> None:
        if not any(
            (self.op, self.name, self.line, self.module, self.node, self.nan, self.norm is not None, self.phase)
        ):
            raise ArgumentError(f"A breakpoint without a condition would stop everywhere. {HOW}")

    @classmethod
    def parse(cls, text: str) -> Breakpoint:
        """The breakpoint that `text` describes; raises ArgumentError if a part of it is no condition.

        >>> Breakpoint.parse("line=train.py:12").line
        12
        """
        found: dict[str, Any] = {}
        for part in text.split(","):
            found.update(_condition(part.strip(), text))
        return cls(**found)

    @classmethod
    def of(cls, wanted: Breakpoint | str | dict[str, Any]) -> Breakpoint:
        """A breakpoint from its text, or from the protocol's message."""
        if isinstance(wanted, Breakpoint):
            return wanted
        if isinstance(wanted, str):
            return cls.parse(wanted)
        names = {each.name for each in fields(cls)}
        return cls(**{name: value for name, value in wanted.items() if name in names and value is not None})

    def plain(self) -> dict[str, Any]:
        """The fields of the protocol's `Breakpoint`."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if value is not None and value is not False}

    def at_once(self) -> Breakpoint:
        """A copy of this breakpoint that stops only once."""
        return replace(self, once=True)

    def __str__(self) -> str:
        place = None if self.line is None else f"{self.file}:{self.line}" if self.file else str(self.line)
        named = {"op": self.op, "name": self.name, "line": place, "module": self.module, "node": self.node}
        parts = [f"{name}={value}" for name, value in named.items() if value is not None]
        parts += ["nan"] if self.nan else []
        parts += [] if self.norm is None else [f"norm>{self.norm:g}"]
        return ",".join(parts + ([self.phase] if self.phase else []))

    def __repr__(self) -> str:
        return f"Breakpoint({str(self)!r})"

    def matches(self, moment: Moment) -> bool:
        """Whether all conditions hold at this moment. Cheap conditions are checked first."""
        return (
            moment.kind in self.kinds
            and (self.phase is None or self.phase == moment.phase)
            and (self.op is None or _same(self.op, moment.op))
            and (self.module is None or _inside(self.module, moment.scope))
            and (self.node is None or self.node == moment.node)
            and (self.name is None or moment.concerns(self.name))
            and (self.line is None or moment.comes_to(self.file, self.line))
            and (self.norm is None or moment.norm > self.norm)
            and (not self.nan or moment.breaks())
        )

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of moments at which this breakpoint can stop."""
        if self.nan:
            return _AFTER
        return _ARRIVING if self.norm is not None else _BEFORE


_BEFORE = frozenset({"entering", "running", "arrived"})
_AFTER = frozenset({"ran", "sent"})
_ARRIVING = frozenset({"running", "arrived"})


def _condition(part: str, text: str) -> dict[str, Any]:
    """The condition in one part of a breakpoint's text, as a field and its value."""
    name, _, value = part.partition("=")
    value = value.strip()
    if part in ("forward", "backward"):
        return {"phase": part}
    if part in ("nan", "inf"):
        return {"nan": True}
    if part.startswith("norm"):
        return {"norm": _bound(part[4:].lstrip(" >="), text)}
    if name in ("op", "name", "module") and value:
        return {name: value}
    if name == "line" and value:
        file, _, line = value.rpartition(":")
        if line.isdigit():
            return {"line": int(line), "file": file or None}
    if name == "node" and value.isdigit():
        return {"node": int(value)}
    raise ArgumentError(f"{part!r} in the breakpoint {text!r} is no condition. {HOW}")


def _bound(value: str, text: str) -> float:
    try:
        bound = float(value)
    except ValueError:
        bound = math.nan
    if not bound >= 0:
        raise ArgumentError(f"The breakpoint {text!r} needs a length after norm>, such as norm>10.")
    return bound


PRODUCTS = frozenset({"matmul", "mm", "mv", "dot"})
"""The names of the ops for products of matrices and vectors: which one runs depends on their dimensions."""


def _same(wanted: str, op: str) -> bool:
    """Whether two names mean one op.

    MatMul, matmul and mat_mul are the same; @ means all products of matrices and vectors.
    """
    wanted, op = _bare(wanted), _bare(op)
    return wanted == op or (wanted in ("matmul", "@") and op in PRODUCTS)


def _bare(op: str) -> str:
    return op.replace("_", "").casefold()


def doubt(breakpoint: Breakpoint) -> str | None:
    """A warning about a valid breakpoint whose op does not exist; None if there is nothing to warn about."""
    if breakpoint.op is None or breakpoint.op == "@":
        return None
    families()  # fills the registry by importing the ops
    ops = {_bare(op_name(op)): op_name(op) for op in REGISTRY.values()}
    if _bare(breakpoint.op) in ops:
        return None
    near = get_close_matches(_bare(breakpoint.op), ops, 1)
    meant = f" Did you mean {ops[near[0]]}?" if near else ""
    return f"no op of minigrad's is called {breakpoint.op!r}, so only a Function of your own can be meant.{meant}"


def _inside(module: str, scope: list[str]) -> bool:
    """Whether `module`, such as ``net.blocks.0`` or ``Linear``, is a type of module in the scope, or a path in it."""
    names = [each.partition(":")[0] for each in scope]
    kinds = [each.partition(":")[2] for each in scope]
    path, wanted = ".".join(names), module.replace("/", ".")
    return wanted in kinds or f".{wanted}." in f".{path}."
