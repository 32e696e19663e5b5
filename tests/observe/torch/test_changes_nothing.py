"""A program of PyTorch's that is watched comes to the same bits, and holds no more memory."""

from __future__ import annotations

import contextlib
import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from minigrad.observe import Recorder
from minigrad_webui.protocol import RECORD

from .programs import PROGRAMS, F, Outcome, bits, nn, torch

pytestmark = [
    pytest.mark.parity,
    pytest.mark.filterwarnings("ignore:.torch.jit.script"),  # a FutureWarning since PyTorch 2.14
    pytest.mark.filterwarnings("ignore:.torch.cpu.amp.autocast:FutureWarning"),  # in checkpoint of PyTorch 2.4
    pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad:UserWarning"),  # in LBFGS of PyTorch 2.8
    pytest.mark.filterwarnings("ignore:Warning. Profiler clears events:UserWarning"),  # of PyTorch 2.10
]


def torch_recorder(sink: Any, values: Any = "all") -> Recorder:
    from minigrad.observe.torch import TORCH

    return Recorder(sink, values=values, framework=TORCH)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_the_same_bits_watched_or_not(program: Callable[[], Outcome]) -> None:
    torch.manual_seed(0)
    alone = bits(program())
    for values in ("all", "none"):
        records: list[dict[str, Any]] = []
        torch.manual_seed(0)
        with torch_recorder(records.append, values) as recorder:
            watched = bits(program())
        if recorder.failure is not None:
            raise recorder.failure
        assert watched == alone
        assert any(each["type"] == "node" for each in records)
        assert not [each["reason"] for each in records if each["type"] == "dropped"]
    for record in records:
        RECORD.validate_python(record)


def test_afterwards_nothing_is_left_in_pytorch() -> None:
    from torch.nn.modules import module
    from torch.optim import optimizer

    before = len(module._global_forward_hooks), len(module._global_forward_pre_hooks)
    with torch_recorder(lambda record: None):
        assert torch.overrides._len_torch_function_stack() == 1
        assert len(module._global_forward_hooks) == before[0] + 1
    assert torch.overrides._len_torch_function_stack() == 0
    assert (len(module._global_forward_hooks), len(module._global_forward_pre_hooks)) == before
    assert not optimizer._global_optimizer_post_hooks


def test_an_error_of_the_watchers_own_does_not_reach_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be read is missing, and said to be; where it goes on like that, nobody listens any longer."""
    from minigrad.observe.torch import source

    begun = source.Begun

    def broken(engine: Any, func: Any, *given: Any) -> Any:
        if getattr(func, "__name__", "") == "exp":
            raise ZeroDivisionError("the watcher's own")
        return begun(engine, func, *given)

    monkeypatch.setattr(source, "Begun", broken)
    records: list[dict[str, Any]] = []
    with torch_recorder(records.append) as recorder:
        w = torch.zeros(2, requires_grad=True)
        (w * 2).exp().sum().backward()
    assert w.grad.tolist() == [2, 2]
    assert recorder.failure is None
    assert [each["op"] for each in records if each["type"] == "node"] == ["Mul", "Exp", "Sum"], "found by its node"
    assert [each["count"] for each in records if each["type"] == "dropped"] == [1]

    with pytest.warns(RuntimeWarning, match="stopped recording"), torch_recorder(lambda record: None) as recorder:
        for _ in range(30):
            w.exp()
        assert torch.ones(1).exp().item() > 2
    assert isinstance(recorder.failure, ZeroDivisionError)


def test_what_the_program_lets_go_of_is_gone_at_once() -> None:
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
    gone: list[Any] = []
    net[0].register_forward_hook(lambda module, given, out: gone.append(weakref.ref(out.untyped_storage())))

    def step() -> None:
        loss = net(torch.randn(2, 4)).sum()
        gone.append(weakref.ref(loss.untyped_storage()))
        loss.backward()

    gc.disable()
    try:
        with torch_recorder(lambda record: None):
            for _ in range(3):
                step()
                assert [each() for each in gone] == [None] * len(gone)
    finally:
        gc.enable()


def test_a_programs_own_modes_end_as_they_should() -> None:
    class Counting(torch.overrides.TorchFunctionMode):  # type: ignore[misc, unused-ignore]
        count = 0

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            Counting.count += 1
            return func(*args, **(kwargs or {}))

    def program() -> int:
        Counting.count = 0
        net = nn.Linear(2, 2)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        with Counting():
            loss = net(torch.ones(1, 2)).sum()
            loss.backward()
            optimizer.step()
            F.relu(loss)
        assert not any(isinstance(each, Counting) for each in stack())
        return Counting.count

    alone = program()
    with torch_recorder(lambda record: None, "all"):
        assert program() == alone
    with torch.device("meta"), torch_recorder(lambda record: None):
        assert torch.ones(2).device.type == "meta"
    assert torch.ones(2).device.type == "cpu"


def stack() -> list[Any]:
    found = [torch.overrides._pop_mode() for _ in range(torch.overrides._len_torch_function_stack())]
    for mode in reversed(found):
        torch.overrides._push_mode(mode)
    return found


def peak(program: Callable[[], Any]) -> int:
    """The most bytes that PyTorch's allocator had given out at once, beyond those at the beginning."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profiler:
        program()
    now = most = 0
    for event in profiler.profiler.kineto_results.events():
        if event.name() == "[memory]":
            now += event.nbytes()
            most = max(most, now)
    return most


def test_the_peak_of_memory_stays_within_two_percent() -> None:
    def program() -> None:
        torch.manual_seed(0)
        net = nn.Sequential(*(layer for _ in range(4) for layer in (nn.Linear(64, 64), nn.GELU())))
        optimizer = torch.optim.AdamW(net.parameters())
        for _ in range(4):
            optimizer.zero_grad()
            net(torch.randn(256, 64)).pow(2).mean().backward()
            optimizer.step()

    alone = peak(program)
    with torch_recorder(lambda record: None, "none"):
        watched = peak(program)
    assert alone > 100_000
    assert watched <= 1.02 * alone


def hurried(program: Callable[[Callable[[], None]], None]) -> list[dict[str, Any]]:
    """The records of a program; after it has called what it is given, all time for recording is spent."""
    from minigrad.observe.torch.source import SOURCE

    records: list[dict[str, Any]] = []
    with torch_recorder(records.append, "auto") as recorder:
        sampling = recorder.trace.ledger.sampling

        def hurry() -> None:
            sampling.spent = sampling.spent_holding = SOURCE.spent = 1e9

        program(hurry)
        assert recorder.wants == "loss"
        assert not SOURCE.glancing
    SOURCE.spent = 0.0
    assert recorder.failure is None
    assert not [each for each in records if each["type"] == "dropped"]
    for record in records:
        RECORD.validate_python(record)
    return [each for each in records if each["type"] == "step_taken"]


def test_steps_in_which_pytorch_is_left_alone_say_their_losses() -> None:
    """A program that is fast is recorded whole, by its numbers, or by its loss; PyTorch is left alone in between."""
    from minigrad.observe.torch.source import SOURCE

    losses = []

    def program(hurry: Callable[[], None]) -> None:
        net = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.01)
        x = torch.randn(8, 4)
        for step in range(30):
            if step == 5:
                hurry()
            optimizer.zero_grad()
            loss = net(x).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        assert SOURCE._resting

    steps = hurried(program)[:30]
    assert all(each["grad_norm"] for each in steps)
    assert [each["loss"] for each in steps] == pytest.approx(losses)


def test_two_nets_that_take_turns_have_each_its_own_loss_when_pytorch_is_left_alone() -> None:
    """The backward of one reaches the other as well, as in a GAN."""
    losses = []

    def program(hurry: Callable[[], None]) -> None:
        maker, judge = nn.Linear(2, 2), nn.Linear(2, 1)
        makes, judges = (torch.optim.SGD(net.parameters(), 0.01) for net in (maker, judge))
        for step in range(20):
            if step == 4:
                hurry()
            made = maker(torch.randn(4, 2))
            d_loss = judge(made.detach()).mean() - judge(torch.randn(4, 2)).mean()
            judges.zero_grad()
            d_loss.backward()
            judges.step()
            g_loss = -judge(made).mean()
            makes.zero_grad()
            g_loss.backward()
            makes.step()
            losses.extend([d_loss.item(), g_loss.item()])

    assert [each["loss"] for each in hurried(program)[:40]] == pytest.approx(losses)


def test_a_loss_that_was_not_heard_is_not_that_of_an_earlier_step() -> None:
    """Gradients that are put into ``.grad`` by hand tell no hook of their loss: PyTorch is watched again."""
    losses = []

    def program(hurry: Callable[[], None]) -> None:
        net = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.01)
        for step in range(20):
            if step == 4:
                hurry()
            loss = net(torch.randn(4, 2)).pow(2).mean()
            for parameter, grad in zip(net.parameters(), torch.autograd.grad(loss, [*net.parameters()]), strict=True):
                parameter.grad = grad
            optimizer.step()
            losses.append(loss.item())

    found = [each["loss"] for each in hurried(program)[:20]]
    assert len([each for each in found if each is None]) <= 1
    known = [place for place, each in enumerate(found) if each is not None]
    assert [found[place] for place in known] == pytest.approx([losses[place] for place in known])


def test_after_a_backward_that_breaks_off_each_step_has_its_own_loss() -> None:
    losses = []

    def program(hurry: Callable[[], None]) -> None:
        net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
        optimizer = torch.optim.SGD(reversed([*net.parameters()]), 0.01)
        for step in range(12):
            if step == 4:
                hurry()
            hidden = net[0](torch.randn(4, 2))
            if step == 8:
                hidden.register_hook(lambda grad: 1 / 0)
            loss = net[1](hidden).pow(2).mean()
            with contextlib.suppress(ZeroDivisionError):
                loss.backward()
            optimizer.step()
            losses.append(loss.item())

    assert [each["loss"] for each in hurried(program)[:12]] == pytest.approx(losses)


def test_a_backward_pass_in_a_thread_of_a_device_is_not_taken_for_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """There no frame tells of the loss."""
    from minigrad.observe.torch import ear

    monkeypatch.setattr(ear, "passed", lambda frame: None)
    losses = []

    def program(hurry: Callable[[], None]) -> None:
        net = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.01)
        for step in range(12):
            if step == 4:
                hurry()
            loss = net(torch.randn(4, 2)).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())

    found = [each["loss"] for each in hurried(program)[:12]]
    assert found.count(None) <= 1
    assert [each for each in found if each is not None] == pytest.approx(
        [loss for loss, each in zip(losses, found, strict=True) if each is not None]
    )


def test_a_step_of_too_many_ops_is_recorded_to_its_limit_and_then_by_its_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    from minigrad.observe.record import sampling, trace

    def program() -> list[float]:
        torch.manual_seed(0)
        net = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(net.parameters(), 0.01)
        losses = []
        for _ in range(3):
            optimizer.zero_grad()
            loss = sum(net(torch.ones(8, 4)).pow(2).mean() for _ in range(100))
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    alone = program()
    monkeypatch.setattr(sampling, "STEP_FREE", 0.0)
    monkeypatch.setattr(sampling, "STEP_SHARE", 0.0)
    monkeypatch.setattr(trace, "FEW", 0)
    records: list[dict[str, Any]] = []
    with torch_recorder(records.append, "auto"):
        assert program() == alone
    first = [each for each in records if each["step"] == 0]
    assert [each["reason"] for each in first if each["type"] == "dropped"] == [
        "to record all ops of so large a step would slow the program down"
    ]
    assert sum(each["type"] == "node" for each in first) == 1
    assert [each["loss"] for each in records if each["type"] == "step_taken"][:3] == alone
    for record in records:
        RECORD.validate_python(record)


def test_a_program_without_an_optimiser_goes_on_to_its_next_step_after_one_that_was_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from minigrad.observe.record import sampling, trace

    monkeypatch.setattr(sampling, "STEP_FREE", 0.0)
    monkeypatch.setattr(sampling, "STEP_SHARE", 0.0)
    monkeypatch.setattr(trace, "FEW", 0)
    records: list[dict[str, Any]] = []
    with torch_recorder(records.append, "auto"):
        torch.ones(2, requires_grad=True).exp()  # all that is recorded of the first step
        w = torch.ones(3, requires_grad=True)
        for _ in range(4):
            w.grad = None
            (w * 2).pow(2).sum().backward()
            w.data -= 0.01 * w.grad
    assert len([each for each in records if each["type"] == "step_taken" and each["loss"] is not None]) >= 3


@pytest.mark.parametrize("values", ["auto", "all", "none"])
def test_tensors_that_were_looked_at_can_be_resized(values: Any) -> None:
    def program() -> list[Any]:
        torch.manual_seed(0)
        weight = nn.Parameter(torch.ones(4, 3))
        mask = weight.data.new().resize_((4, 1)).bernoulli_(0.5)
        grown = (torch.ones(3) * 2).resize_(7)
        (weight * mask).sum().backward()
        kept = torch.zeros(0, dtype=torch.bool)
        torch.eq(torch.ones(3), 1.0, out=kept)
        return [grown[:3].tolist(), weight.grad.tolist(), kept.tolist()]  # type: ignore[union-attr]

    alone = program()
    with torch_recorder(lambda record: None, values) as recorder:
        assert program() == alone
    assert recorder.failure is None
