"""Random programs that write in place: into views, their bases and fresh buffers, with hooks and modes between."""

from __future__ import annotations

from typing import Any

from tests.parity.programs import BINARY, INPLACE_BINARY, INPLACE_UNARY, UNARY, VIEWS, Instruction, Run

from .compare import Case
from .draw import Draw

KINDS = {
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
OFTEN = ("unary", "unary", "binary", "binary", "inplace", "inplace2", "view", "view", "setitem", *KINDS)


def case(draw: Draw) -> Case:
    program = []
    for _ in range(draw.randint(2, 12)):
        kind = draw.one(*OFTEN)
        program.append(Instruction(kind, draw.one(*KINDS[kind]), draw.randint(0, 11), draw.randint(0, 11)))
    values = [[[round(draw.uniform(-1, 1), 3) for _ in range(3)] for _ in range(2)] for _ in range(2)]
    order = draw.randint(1, 2)

    def run(lib: Any) -> Any:
        return Run(lib, values).run(program, order)

    return Case("program " + " ".join(f"{each.name}({each.a},{each.b})" for each in program), [], run, 0)
