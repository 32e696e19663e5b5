"""Buckets: average the gradients of many parameters in one buffer, while backward computes the next gradients.

Backward reaches the last layers first, so buckets are filled from the last parameter to the first. A bucket is full
when all its gradients have arrived. Its exchange then starts, but only after that of the bucket before it, since all
ranks must start them in the same order. At the end of backward, the pending exchanges are completed, and the means
become the gradients.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from ... import events
from ...core.further import zeros_like
from ...core.state import STATE
from ...core.tensor import Tensor, wrap
from ...distributed.agreement import Exchange
from ...distributed.group import ProcessGroup, told
from ...distributed.reduction import ReduceOp
from ...distributed.staging import WIDER, packed, room, written
from ...errors import DistributedError, GradError
from ...events import LISTENERS

FIRST_BYTES = 1 << 20
"""Size of the first bucket: small, so that it starts early."""


class Bucket:
    """Parameters whose gradients are exchanged together, with their positions in the buffer."""

    def __init__(self, number: int, parameters: Sequence[Tensor], group: ProcessGroup) -> None:
        self.number = number
        self.parameters = list(parameters)
        self.group = group
        first = self.parameters[0]
        dtype = WIDER.get(first.dtype.name, first._array.dtype)
        self.buffer = room(sum(each.numel() for each in self.parameters), dtype, first, group.transport)
        self._places: dict[int, slice] = {}
        start = 0
        for each in self.parameters:
            self._places[id(each)] = slice(start, start + each.numel())
            start += each.numel()
        self.clear()

    def clear(self) -> None:
        """Prepare for the next backward."""
        self.missing = {id(each) for each in self.parameters}
        self.exchange: Exchange | None = None
        self.begun = 0.0
        """The time at which its first gradient arrived."""
        self.full = 0.0
        """The time at which its exchange started."""
        self.complete: float | None = None
        """The time at which the exchange was first seen to be complete."""
        self.before: tuple[Tensor, ...] = ()

    def put(self, parameter: Tensor) -> None:
        """Copy the gradient of `parameter` to its place in the buffer; zeros if it has none."""
        if len(self.missing) == len(self.parameters):
            self.begun = time.perf_counter()
        place = self._places[id(parameter)]
        grad = parameter._grad
        self.buffer[place] = 0 if grad is None else packed([grad], self.group.transport)
        self.missing.discard(id(parameter))

    def start(self) -> None:
        """Start to sum the buffer over the ranks."""
        if LISTENERS:
            self.before = tuple([_copy(each) for each in self.parameters])
        self.full = time.perf_counter()
        what = f"all_reduce of bucket {self.number}"
        self.exchange = self.group.call(
            what, lambda: self.group.transport.all_reduce(self.buffer, ReduceOp.SUM), checked=False
        )

    def advance(self) -> None:
        """Continue the exchange: MPI transfers data only while it is called."""
        if self.exchange is not None and self.complete is None and self.group.done(self.exchange):
            self.complete = time.perf_counter()

    def finish(self, divisor: float, unused: set[int]) -> None:
        """Wait for the exchange. The sums divided by `divisor` become the gradients, except of `unused` parameters."""
        assert self.exchange is not None
        waited = self.group.wait(self.exchange)
        complete = self.complete or time.perf_counter()
        self.buffer /= divisor
        for each in self.parameters:
            if id(each) not in unused:
                if each._grad is None:
                    each._grad = zeros_like(each)
                written(self.buffer[self._places[id(each)]], [each._grad])
        if LISTENERS:
            seconds, late = complete - self.full, time.perf_counter() - complete
            event = events.CollectiveRan("all_reduce", tuple(self.parameters), seconds, "mean", True, self.before)
            event = event._replace(bucket=self.number, filling=self.full - self.begun, late=late)
            told(event._replace(waited=waited))


def _copy(parameter: Tensor) -> Tensor:
    grad = zeros_like(parameter) if parameter._grad is None else parameter._grad
    return wrap(grad._backend.copy(grad._array), grad._backend)


def cut(parameters: Sequence[Tensor], bytes_each: int) -> list[list[Tensor]]:
    """Split `parameters`, from the last to the first, into buckets of one dtype and about `bytes_each` bytes."""
    buckets: list[list[Tensor]] = []
    for each in reversed(parameters):
        limit = FIRST_BYTES if len(buckets) == 1 else bytes_each
        last = buckets[-1] if buckets else []
        full = sum(one.numel() * one._array.itemsize for one in last) >= min(limit, bytes_each)
        if not last or full or last[0].dtype != each.dtype:
            buckets.append([])
        buckets[-1].append(each)
    return buckets


class Reducer:
    """Averages the gradients of `parameters` over a group, as they arrive in backward."""

    def __init__(
        self, names: dict[int, str], parameters: Sequence[Tensor], group: ProcessGroup, bytes_each: int, finds: bool
    ) -> None:
        self.group = group
        self.enabled = False
        """Whether the next backward averages gradients, as set by the last forward."""
        self.divisor = float(group.size())
        self.finds_unused = finds
        self._names = names
        self.buckets = [Bucket(i, each, group) for i, each in enumerate(cut(parameters, bytes_each))]
        self._bucket_of = {id(p): bucket for bucket in self.buckets for p in bucket.parameters}
        self._next = 0
        self._arrived: set[int] = set()
        for each in parameters:
            each.register_post_accumulate_grad_hook(self.arrived)

    def arrived(self, parameter: Tensor) -> None:
        """Handle a complete gradient: put it into its bucket, and continue pending exchanges."""
        if not self.enabled:
            return
        if id(parameter) in self._arrived:
            raise GradError(
                f"Expected to mark a variable ready only once: {self._names[id(parameter)]} got a gradient twice in "
                "one backward. Use checkpoint(use_reentrant=False), or share no parameters between checkpoints."
            )
        if not self._arrived:
            STATE.mode.passes[0].callbacks.append(self.finish)
        self._arrived.add(id(parameter))
        self._bucket_of[id(parameter)].put(parameter)
        self._start_full()
        for bucket in self.buckets[: self._next]:
            bucket.advance()

    def _start_full(self) -> None:
        while self._next < len(self.buckets) and not self.buckets[self._next].missing:
            self.buckets[self._next].start()
            self._next += 1

    def finish(self) -> None:
        """Wait for every bucket at the end of backward."""
        unused = self._complete()
        for bucket in self.buckets:
            bucket.finish(self.divisor, unused)
        self.reset()

    def reset(self) -> None:
        """Prepare for the next backward."""
        for bucket in self.buckets:
            bucket.clear()
        self._next = 0
        self._arrived = set()

    def _complete(self) -> set[int]:
        """Start the buckets that wait for unused parameters. Return the parameters that no rank has used."""
        missing = [each for bucket in self.buckets for each in bucket.parameters if id(each) in bucket.missing]
        if missing and not self.finds_unused:
            names = ", ".join(self._names[id(each)] for each in missing)
            self.reset()
            raise DistributedError(
                f"rank {self.group.rank()}: the loss does not depend on these parameters of the "
                f"DistributedDataParallel module: {names}. The other ranks would wait for their "
                "gradients. Use them in forward, set requires_grad=False, or pass find_unused_parameters=True."
            )
        for each in missing:
            self._bucket_of[id(each)].put(each)
        self._start_full()
        return self._used_nowhere() if self.finds_unused else set()

    def _used_nowhere(self) -> set[int]:
        """Return the parameters that got no gradient on any rank."""
        every = [each for bucket in self.buckets for each in bucket.parameters]
        used = self.group.transport.host_buffer([id(each) in self._arrived for each in every])
        exchange = self.group.call(
            "which parameters were used", lambda: self.group.transport.all_reduce(used, ReduceOp.MAX), checked=False
        )
        self.group.wait(exchange)
        return {id(each) for each, flag in zip(every, used, strict=True) if not flag}

    def shadow(self) -> None:
        """Take part in the averages of one backward without own gradients, for a rank without data."""
        for bucket in self.buckets:
            bucket.buffer[...] = 0
            bucket.start()
        if self.finds_unused:
            self._used_nowhere()
        for bucket in self.buckets:
            assert bucket.exchange is not None
            self.group.wait(bucket.exchange)
        self.reset()
