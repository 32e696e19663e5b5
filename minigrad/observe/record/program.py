"""Records of modules, optimisers, ranks and anomalies."""

from __future__ import annotations

import sys
from typing import Any

from ... import events
from ..source.callsites import users_frame
from ..source.naming import variable_of
from .error_notes import stale_tensor
from .ledger import Here, Ledger
from .ranks import rank_here


class Program:
    """Turn the events of modules, optimisers and ranks into records."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def scope_entered(self, event: events.ScopeEntered) -> None:
        """Record that a module's forward, or a region that the user has named, begins.

        A module is called by its path in the module that calls it; else by its path in the object that the program
        keeps it in; else by its variable.
        """
        ledger, here = self.ledger, self.ledger.here
        name, owner = event.name, event.owner
        ledger.has_modules |= owner is not None
        if owner is not None and not here.scopes:
            name = self._outermost(owner, name)
        elif owner is not None:
            caller = next((module for _, module in reversed(here.scopes) if module is not None), None)
            name = (caller is not None and ledger.parts.path(caller, owner)) or self._kept(owner) or name
        kind = "" if owner is None else type(owner).__name__
        here.scopes.append((name, owner))
        here.path.append(f"{name}:{kind}")
        if ledger.sampling.writing:
            ledger.write_scope(len(here.path))

    def _outermost(self, owner: Any, name: str) -> str:
        """The name of a module that no other module calls. Its parameters get their names at its first call."""
        ledger = self.ledger
        if not ledger.sampling.writing and (called := ledger.homes.name(owner)):
            return called
        frame = users_frame(sys._getframe(2))
        ledger.look(frame)
        variable = (frame and variable_of(owner, frame)) or name
        if not ledger.homes.knows(owner):
            home = ledger.homes.find(owner, frame)
            ledger.name_parameters(*(home[1:] if home else (owner, variable)))
        ledger.homes.found(owner, variable)
        return ledger.homes.path(owner) or variable

    def _kept(self, owner: Any) -> str | None:
        """The path of a module that the calling module does not list as a part; None if it is not found."""
        homes = self.ledger.homes
        if not homes.knows(owner):
            homes.find(owner, users_frame(sys._getframe(2)))
        return homes.path(owner)

    def scope_left(self, event: events.ScopeLeft) -> None:
        """Record that the innermost scope ended."""
        here: Here = self.ledger.here
        if here.scopes:
            if self.ledger.sampling.writing:
                self.ledger.write("scope_left", path=list(here.path))
            here.scopes.pop()
            here.path.pop()

    def step_taken(self, event: events.StepTaken) -> None:
        """End the step: an optimiser moved its parameters."""
        if not event.seen:
            self.ledger.forget_losses(event.optimizer)
        self.ledger.next_step(event.optimizer, users_frame(sys._getframe(1)))

    def collective(self, event: events.CollectiveRan) -> None:
        """Record that ranks exchanged data."""
        ledger, framework = self.ledger, self.ledger.framework
        ledger.exchanges.add(event)
        if not ledger.sampling.writing:
            return
        tensors = [tensor for tensor in event.tensors if framework.is_tensor(tensor)]
        ids = [ledger.tensor(tensor).id for tensor in tensors]
        exchanged = [framework.grad(tensor) if event.grads else tensor for tensor in tensors]
        ledger.write(
            "collective_ran",
            kind=event.kind,
            rank=rank_here().get("rank", 0),
            tensors=ids,
            seconds=event.seconds,
            reduction=event.reduction,
            grads=event.grads,
            sizes=[0 if each is None else framework.nbytes(each) for each in exchanged],
            before=[ledger.value(each) for each in event.before],
            after=[ledger.value(each) for each in exchanged],
            waited=event.waited,
            bucket=event.bucket,
            filling=event.filling,
            late=event.late,
            clock=event.clock,
        )

    def anomaly(self, event: events.AnomalyFound) -> None:
        """Record an anomaly that the engine or anomaly mode reports."""
        ledger = self.ledger
        node = None if event.node is None else ledger.node(event.node)
        tensor = stale_tensor(ledger, event.node) if event.kind == "stale" else None
        ledger.announce(
            "anomaly_found",
            kind=event.kind,
            node=None if node is None else node.id,
            tensor=None if tensor is None else tensor.id,
            message=event.message,
            at=None if tensor is None else tensor.written,
        )
