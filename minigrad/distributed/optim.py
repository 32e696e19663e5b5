"""`ZeroRedundancyOptimizer`: each rank stores the optimiser's state of, and updates, only its part of the parameters.

The first stage of Rajbhandari et al., 2020 (ZeRO, https://arxiv.org/abs/1910.02054): the state of an optimiser, twice
the size of the parameters for Adam, is split over the ranks. After a step every rank sends the parameters it updated to
the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from ..core.tensor import Tensor
from ..errors import ArgumentTypeError, StateError
from ..optim.optimizer import Optimizer
from .group import ProcessGroup, default_group
from .objects import gather_object
from .staging import packed, written


class ZeroRedundancyOptimizer(Optimizer):
    """Does what `optimizer_class` does, with its state split over the ranks.

    Use it with `DistributedDataParallel`, which makes the gradients the same on all ranks. `state_dict`
    needs `consolidate_state_dict` before, on every rank; `distributed.checkpoint` saves each rank's part as it is.

    >>> import minigrad as mg
    >>> mg.distributed.init_process_group("gloo")
    >>> net = mg.nn.Linear(3, 2)
    >>> optimizer = ZeroRedundancyOptimizer(net.parameters(), mg.optim.Adam, lr=0.01)
    >>> net(mg.ones(1, 3)).sum().backward()
    >>> optimizer.step()
    >>> mg.distributed.destroy_process_group()
    """

    def __init__(
        self,
        params: Iterable[Any],
        optimizer_class: type[Optimizer],
        process_group: ProcessGroup | None = None,
        parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False,
        **defaults: Any,
    ) -> None:
        if not (isinstance(optimizer_class, type) and issubclass(optimizer_class, Optimizer)):
            raise ArgumentTypeError(f"optimizer_class must be an optimiser's class, got {optimizer_class!r}")
        self._group = process_group or default_group()
        self._whole: dict[str, Any] | None = None
        given = list(params)
        groups = given if given and isinstance(given[0], dict) else [{"params": given}]
        groups = [{**group, "params": list(group["params"])} for group in groups]
        self._owners = _shared_out([p for group in groups for p in _tensors(group)], self._group.size())
        mine = [
            {**group, "params": [p for p in _tensors(group) if self._owners[id(p)] == self._rank]} for group in groups
        ]
        self.optim = optimizer_class(mine, **defaults)
        """The optimiser of this rank's parameters."""
        super().__init__(groups, self.optim.defaults)

    @property
    def _rank(self) -> int:
        return self._group.rank()

    def _every(self) -> list[Tensor]:
        return [p for group in self.param_groups for p in group["params"]]

    def add_param_group(self, param_group: Any) -> None:
        """Add parameters, each to the rank with the fewest elements."""
        super().add_param_group(param_group)
        if len(self.param_groups) > len(self.optim.param_groups):
            self._owners = _shared_out(self._every(), self._group.size())
            new = self.param_groups[-1]
            self.optim.add_param_group(
                {**new, "params": [p for p in new["params"] if self._owners[id(p)] == self._rank]}
            )

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update this rank's parameters, and receive those of the others."""
        for theirs, ours in zip(self.optim.param_groups, self.param_groups, strict=True):
            theirs.update({name: value for name, value in ours.items() if name not in ("params", "param_names")})
        loss = self.optim.step(closure)
        self._whole = None
        for root in range(self._group.size()):
            self._give(root)
        return loss

    def _give(self, root: int) -> None:
        """Send the parameters that `root` has updated to every rank."""
        kinds: dict[Any, list[Tensor]] = {}
        for each in self._every():
            if self._owners[id(each)] == root:
                kinds.setdefault(each.dtype, []).append(each)
        for alike in kinds.values():
            buffer = packed(alike, self._group.transport)
            what = f"broadcast of {len(alike)} parameters that rank {self._group.ranks[root]} has moved"
            self._group.wait(self._group.call(what, partial(self._group.transport.broadcast, buffer, root)))
            if root != self._rank:
                written(buffer, alike)

    # State

    def sharded_state_dict(self) -> dict[str, Any]:
        """The `state_dict` with the state of this rank's parameters only."""
        number = {id(p): i for i, p in enumerate(self._every())}
        mine = [p for group in self.optim.param_groups for p in group["params"]]
        local = self.optim.state_dict()["state"]
        groups = []
        for group in self.param_groups:
            settings = {name: value for name, value in group.items() if name != "params"}
            groups.append({**settings, "params": [number[id(p)] for p in group["params"]]})
        return {"state": {number[id(mine[i])]: memory for i, memory in local.items()}, "param_groups": groups}

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Gather the whole state on rank `to`, where `state_dict` then returns it. Every rank calls this."""
        parts: list[Any] | None = [None] * self._group.size() if self._rank == self._group.local(to) else None
        gather_object(self.sharded_state_dict(), parts, to, self._group)
        self._whole = None
        if parts is not None:
            state = {number: memory for part in parts for number, memory in part["state"].items()}
            self._whole = {**parts[0], "state": dict(sorted(state.items()))}

    def state_dict(self) -> dict[str, Any]:
        """The state dict of `optimizer_class`, on the rank where `consolidate_state_dict` gathered it."""
        if self._whole is None:
            raise StateError(
                "Optimizer state has not been consolidated on this rank. Please call `consolidate_state_dict(to="
                f"{self._rank})` on all ranks beforehand if you meant to save the global state."
            )
        return self._whole

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load this rank's part of the whole state, whatever the number of ranks that saved it."""
        every = self._every()
        mine = [p for group in self.optim.param_groups for p in group["params"]]
        place = {id(p): i for i, p in enumerate(mine)}
        for ours, saved in zip(self.param_groups, state_dict["param_groups"], strict=True):
            ours.update({name: value for name, value in saved.items() if name != "params"})
        groups = [
            {**saved, "params": [place[id(p)] for p in ours["params"] if id(p) in place]}
            for ours, saved in zip(self.param_groups, state_dict["param_groups"], strict=True)
        ]
        state = {place[id(every[i])]: memory for i, memory in state_dict["state"].items() if id(every[i]) in place}
        self.optim.load_state_dict({"state": state, "param_groups": groups})


def _tensors(group: dict[str, Any]) -> list[Tensor]:
    return [each[1] if isinstance(each, tuple) else each for each in group["params"]]


def _shared_out(parameters: list[Tensor], ranks: int) -> dict[int, int]:
    """Assign parameters to ranks: largest first, each to the rank with the fewest elements so far."""
    elements = [0] * ranks
    owners = {}
    for each in sorted(parameters, key=lambda p: -p.numel()):
        rank = elements.index(min(elements))
        owners[id(each)] = rank
        elements[rank] += each.numel()
    return owners
