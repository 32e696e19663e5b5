"""Gradients of gradients: Newton's method walks a valley in a few steps where descent needs thousands.

Rosenbrock's valley is curved, and almost flat along its floor. The gradient points across it; the curvature knows
better. With `create_graph=True` a gradient is itself a result with a graph. So it can be differentiated again, row by
row, into the matrix of second derivatives.
"""

from __future__ import annotations

import minigrad as mg
from minigrad.demos import Report, print_report


def valley(p: mg.Tensor) -> mg.Tensor:
    """Rosenbrock's function. Its lowest point is (1, 1), where it is 0."""
    x, y = p[0], p[1]
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2


def slope_and_curvature(p: mg.Tensor) -> tuple[mg.Tensor, mg.Tensor]:
    """The gradient, and the Hessian: the gradient of each element of the gradient."""
    (gradient,) = mg.autograd.grad(valley(p), p, create_graph=True)
    rows = [mg.autograd.grad(each, p, retain_graph=True)[0] for each in gradient]
    return gradient.detach(), mg.stack(rows)


def main(epochs: int = 7, report: Report = print_report) -> None:
    """Walk down by Newton's method, then differentiate three times in a row."""
    p = mg.tensor([-1.2, 1.0], dtype=mg.float64, requires_grad=True)
    for step in range(epochs):
        gradient, hessian = slope_and_curvature(p)
        with mg.no_grad():
            p -= mg.linalg.solve(hessian, gradient)
        x, y = p.tolist()
        report(step + 1, epochs, loss=valley(p).item(), x=x, y=y)

    third = mg.tensor(2.0, requires_grad=True)
    result = third**3
    for _ in range(3):
        (result,) = mg.autograd.grad(result, third, create_graph=True)
    print(f"and the third derivative of x**3 is {result.item():g}, as it should be")


if __name__ == "__main__":
    main()
