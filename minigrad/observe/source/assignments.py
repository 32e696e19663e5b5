"""Under which names will the result of an instruction be stored?

While ``h = mg.tanh(x)`` runs, Python's frame stands at the call, and the very next instruction is going to store the
result as ``h``. Reading those instructions tells the names before the assignment has happened; whether the result
really got there is checked afterwards, by whoever wants to know.
"""

from __future__ import annotations

import dis
from bisect import bisect_right
from functools import lru_cache
from types import CodeType

SKIPPED = ("CACHE", "NOP", "EXTENDED_ARG", "COPY", "DUP_TOP", "SWAP", "PRECALL", "ROT_TWO", "RESUME", "TO_BOOL")
"""Instructions that may stand between a result and its name, and change neither."""

STORES = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")


@lru_cache(maxsize=256)
def _instructions(code: CodeType) -> tuple[list[int], list[dis.Instruction]]:
    found = list(dis.get_instructions(code))
    return [each.offset for each in found], found


def stored_names(code: CodeType, at: int) -> tuple[tuple[str, ...], bool]:
    """The names that the result of the instruction at offset `at` gets, and whether it is returned instead.

    >>> code = compile("a = b = f()", "", "exec")
    >>> call = max(each.offset for each in dis.get_instructions(code) if each.opname.startswith("CALL"))
    >>> stored_names(code, call)
    (('a', 'b'), False)
    """
    offsets, found = _instructions(code)
    names: list[str] = []
    # During a call a frame may stand anywhere in the space behind the instruction that is reserved for its cache.
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
        elif kind.startswith("STORE_FAST_"):  # a store and a load in one
            names.append(each.argval[0] if isinstance(each.argval, tuple) else each.argval)
            break
        else:
            break
    return tuple(names), False
