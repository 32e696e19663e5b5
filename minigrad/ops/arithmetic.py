from __future__ import annotations
from typing import Any
from .families import Elementwise
from ..core.dispatch import binary, unary

class Add(Elementwise):
    __slots__=()
    formula = r"a + b"
    def forward(self, xp, a, b):
        return a + b
    def grad_a(self, grad):
        r"\bar y"
        return grad
    def grad_b(self, grad):
        r"\bar y"
        return grad
class Mul(Elementwise):
    __slots__=()
    def forward(self, xp, a, b):
        return a * b
    def grad_a(self, grad, b):
        return grad * b
    def grad_b(self, grad, a):
        return grad * a
add=binary(Add); mul=binary(Mul)
from ..core.tensor import Tensor
Tensor.__add__=add; Tensor.__mul__=mul
