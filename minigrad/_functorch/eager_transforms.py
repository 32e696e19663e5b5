"""The derivatives of `minigrad.func`."""

from __future__ import annotations

from ..func import functionalize as functionalize
from ..func import hessian as hessian
from ..func import jacfwd as jacfwd
from ..func import jacrev as jacrev
from ..func import jvp as jvp
from ..func import linearize as linearize
from ..func import vjp as vjp
