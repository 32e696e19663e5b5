"""Families of ops that share a shape of derivative, and so their forward mode."""
from __future__ import annotations
from typing import Any, ClassVar
from ..core.op import Op

class Elementwise(Op, abstract=True):
    """Each element of the output depends on the same element of each input: the Jacobian is diagonal."""
    elementwise: ClassVar[bool] = True
    broadcasts: ClassVar[bool] = True
    promotion: ClassVar[str] = "together"
