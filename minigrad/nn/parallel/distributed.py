"""`DistributedDataParallel`: every rank has the model and a part of the batch; gradients are averaged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...core.grad_mode import is_grad_enabled
from ...core.tensor import Tensor
from ...distributed.group import ProcessGroup, default_group
from ...distributed.objects import all_gather_object
from ...distributed.reduction import ReduceOp
from ...distributed.staging import packed, written
from ...errors import ArgumentError, ArgumentTypeError, DistributedError
from ..module import Module
from .buckets import Reducer


class DistributedDataParallel(Module):
    """Calls `module`, and averages its gradients over the ranks while backward computes them.

    All ranks begin with the parameters and buffers of rank 0. If each rank's loss is the mean over an equal part of a
    batch, the gradients are those of the mean over the whole batch. State dicts have the prefix ``module.``.

    Args:
        module: the model, with the same parameters on every rank.
        broadcast_buffers: copy the buffers of rank 0 to every rank before each forward.
        process_group: the ranks that take part; all by default.
        bucket_cap_mb: megabytes of gradients that are exchanged together.
        find_unused_parameters: allow a loss that does not depend on all parameters, or on different ones on each
            rank. Without it, that is an error after backward, which names them.

    Example:
        >>> import minigrad as mg
        >>> mg.distributed.init_process_group("gloo")
        >>> net = DistributedDataParallel(mg.nn.Linear(3, 2))
        >>> net(mg.ones(4, 3)).sum().backward()
        >>> list(net.state_dict())
        ['module.weight', 'module.bias']
        >>> mg.distributed.destroy_process_group()
    """

    def __init__(
        self,
        module: Module,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool = True,
        init_sync: bool = True,
        process_group: ProcessGroup | None = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
    ) -> None:
        super().__init__()
        group = process_group or default_group()
        ignored = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        named = [(name, p) for name, p in module.named_parameters() if p.requires_grad and name not in ignored]
        if not named:
            raise DistributedError(
                "DistributedDataParallel is not needed when a module doesn't have any parameters that require a "
                "gradient."
            )
        if device_ids is not None and len(device_ids) > 1:
            raise ArgumentError(f"device_ids can only be None or contain a single element, got {device_ids}")
        self.module = module
        self.process_group = group
        self.device_ids = device_ids
        self.output_device = output_device
        self.dim = dim
        self.broadcast_buffers = broadcast_buffers
        self.find_unused_parameters = find_unused_parameters
        self.require_backward_grad_sync = True
        self._shared = [p for name, p in module.named_parameters() if name not in ignored]
        self._shared_buffers = [b for name, b in module.named_buffers() if name not in ignored]
        self._joining = False
        _check_same(named, group)
        if init_sync:
            self._give_all([*self._shared, *self._shared_buffers], 0)
        names = {id(p): name for name, p in named}
        megabytes = 25.0 if bucket_cap_mb is None else bucket_cap_mb
        self._reducer = Reducer(names, [p for _, p in named], group, int(megabytes * (1 << 20)), find_unused_parameters)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return the module's output."""
        recorded = is_grad_enabled()
        averages = recorded and self.require_backward_grad_sync
        root = 0
        if self._joining and recorded:
            root = self._announce(active=True, averages=averages)
        if recorded:
            self._reducer.enabled = averages
        if self.broadcast_buffers and self._shared_buffers and self.require_backward_grad_sync:
            self._give_all(self._shared_buffers, root)
        return self.module(*inputs, **kwargs)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Inside, gradients accumulate on each rank without being averaged; the next backward outside averages the
        sums.

        >>> import minigrad as mg
        >>> mg.distributed.init_process_group("gloo")
        >>> net = DistributedDataParallel(mg.nn.Linear(1, 1))
        >>> with net.no_sync():
        ...     net(mg.ones(1, 1)).sum().backward()
        >>> net(mg.ones(1, 1)).sum().backward()
        >>> net.module.bias.grad
        tensor([2.])
        >>> mg.distributed.destroy_process_group()
        """
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    @contextmanager
    def join(
        self, divide_by_initial_world_size: bool = True, enable: bool = True, throw_on_early_termination: bool = False
    ) -> Iterator[None]:
        """For ranks with unequal numbers of batches: a rank that has finished takes part without data until all have.

        Gradients are divided by the number of all ranks, or of those that still have data. With
        `throw_on_early_termination`, all raise DistributedError when the first has finished. Afterwards every rank has
        the parameters of one that ran to the end.
        """
        if not enable:
            yield
            return
        self._joining, self._throws, self._divides_by_all = (
            True,
            throw_on_early_termination,
            divide_by_initial_world_size,
        )
        try:
            yield
            self._take_part_until_all_are_through()
        finally:
            self._joining = False
            self._reducer.divisor = float(self.process_group.size())

    def _take_part_until_all_are_through(self) -> None:
        last = self.process_group.rank()
        while True:
            root = self._announce(active=False, averages=False)
            if root < 0:
                break
            last = root
            if self.broadcast_buffers and self._shared_buffers and self._averaging:
                self._give_all(self._shared_buffers, root)
            if self._averaging:
                self._reducer.shadow()
        # the first of the ranks that ran longest
        final = self._agreed_last(last)
        self._give_all([*self._shared, *self._shared_buffers], final)

    def _agreed_last(self, last: int) -> int:
        mine = self.process_group.transport.host_buffer([last if last != self.process_group.rank() else -1], "int64")
        self._call("join: who went on longest", lambda t: t.all_reduce(mine, ReduceOp.MAX))
        return int(mine[0]) if mine[0] >= 0 else 0

    def _announce(self, active: bool, averages: bool) -> int:
        """Tell the others whether this rank has data. Return the first rank that has, or -1 if none has."""
        transport = self.process_group.transport
        mine = transport.host_buffer([active, averages], "int64")
        all_told = transport.host_buffer([[0, 0]] * transport.size, "int64")
        self._call("join: who has data", lambda t: t.all_gather(mine, all_told))
        ranks = [rank for rank, told in enumerate(all_told) if told[0]]
        if self._throws and len(ranks) < transport.size:
            through = [rank for rank in range(transport.size) if rank not in ranks]
            if not active:
                raise DistributedError(f"Rank {through[0]} exhausted all inputs.")
            raise DistributedError(f"Detected at least one rank that exhausted inputs: rank {through[0]}.")
        self._averaging = any(told[1] for told in all_told)
        if not self._divides_by_all and ranks:
            self._reducer.divisor = float(len(ranks))
        return ranks[0] if ranks else -1

    def sharded_state_dict(self) -> dict[str, Any]:
        """The entries that `distributed.checkpoint` writes: `state_dict`, with the buffers of rank 0 on every rank."""
        if self.broadcast_buffers:
            self._give_all(self._shared_buffers, 0)
        return self.state_dict()

    def _call(self, what: str, start: Any) -> None:
        group = self.process_group
        group.wait(group.call(what, lambda: start(group.transport)))

    def _give_all(self, tensors: list[Tensor], root: int) -> None:
        """Copy the elements of `tensors` from `root` to every rank."""
        if self.process_group.size() == 1:
            return
        kinds: dict[Any, list[Tensor]] = {}
        for each in tensors:
            kinds.setdefault((each.dtype, each.device), []).append(each)
        for alike in kinds.values():
            buffer = packed(alike, self.process_group.transport)
            self._call(f"broadcast of {len(alike)} tensors", lambda t, b=buffer: t.broadcast(b, root))
            if root != self.process_group.rank():
                written(buffer, alike)


def _check_same(named: Sequence[tuple[str, Tensor]], group: ProcessGroup) -> None:
    """DistributedError unless every rank has parameters of these names, shapes and dtypes."""
    if not all(isinstance(p, Tensor) for _, p in named):
        raise ArgumentTypeError("the parameters must be tensors")
    mine = [(name, tuple(p.shape), p.dtype.name) for name, p in named]
    every: list[Any] = [None] * group.size()
    all_gather_object(every, mine, group)
    for rank, theirs in enumerate(every):
        if len(theirs) != len(every[0]):
            raise DistributedError(
                f"DDP expects same model across all ranks, but Rank 0 has {len(every[0])} params, while rank {rank} "
                f"has inconsistent {len(theirs)} params."
            )
        for one, other in zip(every[0], theirs, strict=True):
            if one != other:
                raise DistributedError(
                    f"DDP expects same model across all ranks, but rank 0 has {one[0]} of {one[1]} {one[2]}, while "
                    f"rank {rank} has {other[0]} of {other[1]} {other[2]}."
                )
