"""The name of an optimiser that there is no use for here."""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import MissingRuleError


class SparseAdam:
    """Adam for sparse gradients, of which there are none here: making one is an error that says what to use."""

    def __init__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise MissingRuleError(
            "SparseAdam moves parameters by sparse gradients, such as PyTorch's Embedding(sparse=True) has, but every "
            "gradient in minigrad is dense. Use optim.Adam. There, rows that no index named move on by the averages "
            "of their past gradients, where SparseAdam leaves them as they are."
        )
