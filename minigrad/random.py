"""Seeds and states of random number generators, by the names of ``torch.random``."""

from __future__ import annotations

from .ops.random.distributions import fork_rng, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from .ops.random.generator import default_generator

__all__ = ["default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]
