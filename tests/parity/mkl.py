"""Whether the installed PyTorch draws some numbers with MKL's generator."""

from __future__ import annotations

import functools
from typing import Any


@functools.cache
def draws_by_mkl() -> bool:
    """True where bernoulli_ and exponential_ come from MKL's generator: on Intel processors, if PyTorch has MKL."""
    import torch

    generator: Any = torch.Generator()
    torch.empty(4).bernoulli_(0.5, generator=generator)
    ninth = torch.rand(9, generator=torch.Generator())[8]
    return bool(torch.rand(1, generator=generator).item() != ninth.item())
