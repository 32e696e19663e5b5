"""For tests: `assert_close`, which says what is not alike, and `make_tensor`, random tensors of a given kind.

>>> import minigrad as mg
>>> mg.testing.assert_close(mg.tensor([1.0, 2.0]), mg.tensor([1.0, 2.0 + 1e-7]))
"""

from .comparison import assert_allclose, assert_close, default_tolerances
from .creation import make_tensor

__all__ = ["assert_allclose", "assert_close", "default_tolerances", "make_tensor"]
