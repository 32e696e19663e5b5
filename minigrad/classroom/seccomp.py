"""Forbid system calls that give memory which no limit counts, for a process and all that it starts.

Memory files, System V's shared memory and message queues belong to no process, so limits of a process do not apply to
them. NumPy and Python need none of them. The filter is a program for a small machine in the kernel (see the manual page
seccomp(2)): it looks at the number of a call, and lets everything else pass.
"""

from __future__ import annotations

import ctypes
import platform
import struct
import sys
from collections.abc import Sequence

CALLS = {
    "x86_64": (0xC000003E, (319, 29, 68, 447, 425)),
    "aarch64": (0xC00000B7, (279, 194, 186, 447, 425)),
}
"""For each machine, the kernel's number for it, and the numbers of memfd_create, shmget, msgget, memfd_secret and
io_uring_setup on it."""

LOAD, JUMP_IF_EQUAL, JUMP_IF_GREATER, ANSWER = 0x20, 0x15, 0x25, 0x06
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050001
"""The last value is the error EPERM."""

NUMBER, MACHINE = 0, 4
"""The offsets of the fields that the filter reads."""

OTHER_NUMBERS = 0x3FFFFFFF
"""Above this number, x86 has the same calls again."""

NO_NEW_PRIVILEGES, SET_FILTER, ALL_THREADS = 38, 1, 1
SECCOMP = {"x86_64": 317, "aarch64": 277}


def close_calls() -> bool:
    """Make these system calls fail with EPERM in every thread. Returns False if this system has no such filters."""
    machine = platform.machine()
    if sys.platform != "linux" or machine not in CALLS:
        return False
    program = _program(*CALLS[machine])
    code = ctypes.create_string_buffer(program, len(program))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return bool(libc.syscall(SECCOMP[machine], SET_FILTER, ALL_THREADS, header) == 0)


def _program(kernel: int, calls: Sequence[int]) -> bytes:
    """The filter's program. An instruction has a code, two jump distances (if true, if false) and an operand."""
    steps = [
        (LOAD, 0, 0, MACHINE),
        (JUMP_IF_EQUAL, 1, 0, kernel),
        (ANSWER, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
        (JUMP_IF_GREATER, len(calls) + 1, 0, OTHER_NUMBERS),
        *((JUMP_IF_EQUAL, len(calls) - at, 0, number) for at, number in enumerate(calls)),
        (ANSWER, 0, 0, ALLOW),
        (ANSWER, 0, 0, REFUSE),
    ]
    return b"".join(struct.pack("HBBI", *each) for each in steps)
