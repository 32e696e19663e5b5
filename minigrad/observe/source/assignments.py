"""Find the names under which the result of an instruction will be stored.

While ``h = mg.tanh(x)`` runs, Python's frame is at the call, and the next instruction will store the result as ``h``.
Reading that instruction gives the name before the assignment has happened. The caller checks afterwards whether the
variable really got the result.
"""

from __future__ import annotations

import dis
from bisect import bisect_right
from functools import lru_cache
from types import CodeType

SKIPPED = ("CACHE", "NOP", "EXTENDED_ARG", "COPY", "DUP_TOP", "SWAP", "PRECALL", "ROT_TWO", "RESUME", "TO_BOOL")
"""Instructions that may come between a result and its name, without changing either."""

STORES = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")


@lru_cache(maxsize=256)
def _instructions(code: CodeType) -> tuple[list[int], list[dis.Instruction]]:
    found = list(dis.get_instructions(code))
    return [each.offset for each in found], found


@lru_cache(maxsize=256)
def loop_variables(code: CodeType) -> frozenset[str]:
    """The variables that the ``for`` loops of this code assign.

    >>> sorted(loop_variables(compile("for i, (a, b) in c: d = a", "", "exec")))
    ['a', 'b', 'i']
    """
    _, found = _instructions(code)
    return frozenset(name for each in found if each.opname == "FOR_ITER" for name in stored_names(code, each.offset)[0])


def stored_names(code: CodeType, at: int) -> tuple[tuple[str, ...], bool]:
    """The names that the result of the instruction at offset `at` gets, and whether it is returned.

    >>> code = compile("a = b = f()", "", "exec")
    >>> call = max(each.offset for each in dis.get_instructions(code) if each.opname.startswith("CALL"))
    >>> stored_names(code, call)
    (('a', 'b'), False)
    """
    offsets, found = _instructions(code)
    names: list[str] = []
    # During a call, a frame may be anywhere in the space that is reserved for the instruction's cache.
    for each in found[bisect_right(offsets, at) :]:
        kind = each.opname
        if kind in SKIPPED:
            continue
        if kind.startswith("RETURN"):
            return tuple(names), not names
        if kind == "UNPACK_SEQUENCE":
            continue
        if kind in STORES:
            names.append(each.argval)
        elif kind == "STORE_FAST_STORE_FAST":
            names += each.argval
        elif kind.startswith("STORE_FAST_"):  # stores one variable and stores or loads another
            names.append(each.argval[0] if isinstance(each.argval, tuple) else each.argval)
            break
        else:
            break
    return tuple(names), False
