"""Autograd still works after an interrupt, wherever it came: Ctrl-C is how a notebook stops a cell.

An interrupt is raised before each bytecode of the core that a program runs, at its first and its last time, one at a
time (in long programs: everywhere that the mode is changed, and at a sample of the rest). Afterwards the thread's mode
must be as before, and a small backward must give the right gradient. A second test sends real signals.
"""

from __future__ import annotations

import _thread
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

import minigrad as mg
from minigrad.core.accumulate import _accumulating
from minigrad.core.state import STATE, Mode
from minigrad.utils.checkpoint import checkpoint
from tests.bytecodes import bytecodes

PACKAGE = Path(mg.__file__).parent
STATEFUL = tuple(str(PACKAGE / name) for name in ("core", "autograd", "func", "amp", "utils/checkpoint"))

Place = tuple[CodeType, int]

CHANGING = ("scope.py", "state.py", "grad_mode.py", "interpreter.py", "nested.py", "autocast.py")
MOST = 250
"""About how many other places to try: evenly spread, where a program runs more."""


def opcodes(run: Callable[[], Any], visit: Callable[[Place], None]) -> None:
    """Run, calling `visit` before every bytecode of the rooms that keep state."""
    bytecodes(run, lambda frame: visit((frame.f_code, frame.f_lasti)), STATEFUL)


def interrupted_at(program: Callable[[], Any], number: int) -> str:
    """Run with an interrupt before bytecode `number`; where that was, if autograd does not work afterwards."""
    where: list[Place] = []
    left = number

    def visit(place: Place) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            where.append(place)
            sys.settrace(None)
            raise KeyboardInterrupt

    try:
        opcodes(program, visit)
        wrong = trouble()
    except KeyboardInterrupt:
        wrong = trouble()
    STATE.mode = Mode()
    let_go()
    if not wrong or not where:
        return wrong
    code, offset = where[0]
    return f"{Path(code.co_filename).name}: {code.co_name} at byte {offset}: {wrong}"


def trouble() -> str:
    """What is wrong with this thread's autograd, "" for nothing."""
    if STATE.mode != Mode():
        return f"the mode is {STATE.mode}"
    x = mg.tensor([3.0], requires_grad=True)
    (x * x).sum().backward()
    if x.grad is None or x.grad.item() != 6:
        return f"the gradient is {x.grad}"
    return ""


def let_go() -> None:
    """Release the lock of ``.grad`` where the interrupt came between its block and the end of its ``with``.

    No real one comes there: Python looks for signals after calls and at jumps only. The tracer knows no such manners,
    and the lock would stop every other thread of the tests after this one.
    """
    with suppress(RuntimeError):  # it is free
        while True:
            _accumulating.release()


def ends_elsewhere() -> bool:
    """Whether a backward in another thread comes to its end."""
    other = threading.Thread(target=trouble, daemon=True)
    other.start()
    other.join(60)
    return not other.is_alive()


def places(program: Callable[[], Any]) -> list[int]:
    """The numbers of the bytecodes to interrupt at: the first and the last time that each runs."""
    program()
    first: dict[Place, int] = {}
    last: dict[Place, int] = {}
    count = 0

    def visit(place: Place) -> None:
        nonlocal count
        first.setdefault(place, count)
        last[place] = count
        count += 1

    opcodes(program, visit)
    changing = {number for place, number in (*first.items(), *last.items()) if changes_mode(place[0])}
    others = sorted({*first.values(), *last.values()} - changing)
    return sorted({*changing, *others[:: 1 + len(others) // MOST]})


def changes_mode(code: CodeType) -> bool:
    """Whether the mode is changed in this file, or by this function."""
    return Path(code.co_filename).name in CHANGING or code.co_name in ("execute", "work")


# The programs ---------------------------------------------------------------------------------------------------------


def backward() -> None:
    a = mg.tensor([[1.0, 2.0]], requires_grad=True)
    b = mg.tensor([[3.0], [4.0]], requires_grad=True)
    (a * b).sum().backward()
    (a * b).sum().backward()


def under_no_grad() -> None:
    x = mg.ones(2, requires_grad=True)
    with mg.no_grad():
        x * 2


def nested_modes() -> None:
    x = mg.ones(2, requires_grad=True)
    with mg.no_grad(), mg.enable_grad():
        with mg.inference_mode():
            mg.ones(2) * 2
        with mg.set_grad_enabled(True):
            x * 2


@mg.no_grad()
def decorated() -> Any:
    return mg.ones(2, requires_grad=True) * 2


@mg.inference_mode()
def inferring() -> Any:
    return mg.ones(2) * 2


@mg.no_grad()
def generating() -> Any:
    yield mg.ones(2) * 2
    yield mg.ones(2) * 3


def decorated_functions() -> None:
    decorated()
    inferring()
    list(generating())


def nested_backward() -> None:
    x = mg.tensor([2.0], requires_grad=True)
    y = x * 1.0

    def hook(grad: Any) -> None:
        z = mg.tensor([2.0], requires_grad=True)
        with mg.enable_grad():
            (z * z).sum().backward()

    y.register_hook(hook)
    (y * y).sum().backward()


def checkpointed() -> None:
    x = mg.tensor([2.0], requires_grad=True)
    checkpoint(lambda t: (t * t).sin(), x, use_reentrant=False).sum().backward()


def checkpointed_as_function() -> None:
    x = mg.tensor([2.0], requires_grad=True)
    checkpoint(lambda t: (t * t).sin(), x, use_reentrant=True).sum().backward()


def saved_hooks() -> None:
    x = mg.tensor([2.0], requires_grad=True)
    with mg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = (x * x).sin()
    y.sum().backward()
    with mg.autograd.graph.save_on_cpu():
        (x * x).sum().backward()


def disabled_hooks() -> None:
    with mg.autograd.graph.disable_saved_tensors_hooks("not now"):
        mg.ones(2, requires_grad=True) * 2


def allowed_mutation() -> None:
    x = mg.tensor([3.0], requires_grad=True)
    with mg.autograd.graph.allow_mutation_on_saved_tensors():
        y = x.clone()
        z = (y * y).sum()
        y.mul_(10)
        z.backward()


@mg.autocast("cpu")
def lowered(layer: Any) -> Any:
    return layer(mg.ones(1, 2))


def autocasting() -> None:
    layer = mg.nn.Linear(2, 1)
    with mg.autocast("cpu"):
        layer(mg.ones(1, 2))
        with mg.autocast("cpu", enabled=False):
            layer(mg.ones(1, 2))
    lowered(layer).sum().backward()


def forward_levels() -> None:
    mg.func.jvp(lambda x: x * x, (mg.ones(2),), (mg.ones(2),))
    with mg.autograd.forward_ad.dual_level():
        dual = mg.autograd.forward_ad.make_dual(mg.ones(2), mg.ones(2))
        mg.autograd.forward_ad.unpack_dual(dual * dual)


def mapped() -> None:
    mg.func.vmap(lambda x: x * x)(mg.ones(3, 2))


def mapped_gradient() -> None:
    w = mg.ones(2)
    mg.func.vmap(mg.func.grad(lambda x: (x * w).sum()))(mg.ones(3, 2))


def vjp_and_linearize() -> None:
    mg.func.vjp(lambda x: x * x, mg.ones(2))[1](mg.ones(2))
    mg.func.linearize(lambda x: x * x, mg.ones(2))[1](mg.ones(2))


PROGRAMS = [
    backward, under_no_grad, nested_modes, decorated_functions, nested_backward, checkpointed, checkpointed_as_function,
    saved_hooks, disabled_hooks, allowed_mutation, autocasting, forward_levels, mapped, mapped_gradient,
    vjp_and_linearize,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_autograd_works_after_an_interrupt_before_any_bytecode(
    program: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "unraisablehook", lambda ignored: None)  # an interrupt in a destructor goes no further
    at = places(program)
    wrong = [place for place in (interrupted_at(program, number) for number in at) if place]
    assert not wrong, f"{len(wrong)} of {len(at)} interrupts leave autograd wrong:\n" + "\n".join(wrong)
    assert ends_elsewhere(), "a lock is held"


def test_an_interrupt_ends_a_deep_backward_that_has_a_thread_of_its_own() -> None:
    """Twenty backwards inside one another: the next runs in a thread, which must not go on behind the prompt."""
    reached, left = threading.Event(), threading.Event()
    x = mg.tensor([1.0], requires_grad=True)

    def backward(depth: int) -> None:
        y = x * 1.0

        def hook(grad: Any) -> None:
            with mg.enable_grad():
                if depth:
                    backward(depth - 1)
                    return
            assert threading.current_thread() is not threading.main_thread()
            reached.set()
            try:
                _thread.interrupt_main()
                for _ in range(6000):  # for as long as no interrupt comes
                    pause.wait(0.01)
            finally:
                left.set()

        y.register_hook(hook)
        (y * y).sum().backward()

    pause = threading.Event()
    with pytest.raises(KeyboardInterrupt):
        backward(25)
    assert reached.is_set() and left.is_set(), "the thread went on"
    assert x.grad is None and not trouble()


@pytest.mark.timeout(method="thread")  # the timer of Unix is needed here
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="real interrupts are sent by a timer of Unix")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_autograd_works_after_many_real_interrupts(program: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Signals come at times that grow by a little, several in a row, as when a person keeps pressing Ctrl-C."""
    monkeypatch.setattr(sys, "unraisablehook", lambda ignored: None)  # an interrupt in a destructor goes no further

    coming = 0

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal coming
        if coming:
            coming -= 1
            raise KeyboardInterrupt

    def run(levels: int) -> None:
        """Run until every interrupt has come; one that comes outside of the program is caught further out."""
        nonlocal coming
        try:
            if levels:
                run(levels - 1)
            else:
                coming = 3
                signal.setitimer(signal.ITIMER_REAL, 1e-6 + 3e-6 * delay, 3e-5)
            while coming:
                program()
        except KeyboardInterrupt:
            pass

    before = [signal.signal(each, interrupt) for each in (signal.SIGALRM, signal.SIGINT)]
    try:
        for delay in range(150):
            run(5)
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert not trouble(), f"after {delay}: {trouble()}"
            assert ends_elsewhere(), f"after {delay}: a lock is held"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        time.sleep(0.2)  # for one that is still on its way: the handler before ours would take it for its own
        signal.signal(signal.SIGALRM, before[0])
        signal.signal(signal.SIGINT, before[1])
        STATE.mode = Mode()


PRINTED = """
import sys
import minigrad as mg

class Interrupt:
    def find_spec(self, name, *rest):
        if name.endswith("printing"):
            sys.meta_path.remove(self)
            raise KeyboardInterrupt

x = mg.ones(1)
sys.meta_path.insert(0, Interrupt())
try:
    print(x)
except KeyboardInterrupt:
    print("interrupted", x)
"""


def test_an_interrupt_while_the_first_tensor_is_printed_is_not_lost() -> None:
    done = subprocess.run([sys.executable, "-c", PRINTED], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "interrupted tensor([1.])\n"
