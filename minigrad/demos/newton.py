"""Gradients of gradients: Newton's method walks a valley in a few steps where descent needs thousands.

Rosenbrock's valley is curved, and almost flat along its floor. The gradient points across it; the curvature knows
better. With `create_graph=True` a gradient is itself a result with a graph. So it can be differentiated again, row by
row, into the matrix of second derivatives.
"""

from __future__ import annotations

import minigrad as mg
from minigrad.demos import Report, print_report
from minigrad.demos.landscape import landscape


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
    path = [p.tolist()]

    def picture(width: int, height: int) -> str:
        marks = [(x, y, str(number % 10)) for number, (x, y) in enumerate(path)]
        return landscape(
            lambda points: 1 - mg.log1p(valley(points.mT)) / 8, (-1.6, 1.6), (-3.5, 2.5), width, height, marks, " ░▒▓█"
        )

    for step in range(epochs):
        gradient, hessian = slope_and_curvature(p)
        with mg.no_grad():
            p -= mg.linalg.solve(hessian, gradient)
        x, y = p.tolist()
        path.append([x, y])
        report(step + 1, epochs, picture, loss=valley(p).item(), x=x, y=y)

    third = mg.tensor(2.0, requires_grad=True)
    result = third**3
    for _ in range(3):
        (result,) = mg.autograd.grad(result, third, create_graph=True)
    print(f"and the third derivative of x**3 is {result.item():g}, as it should be")


if __name__ == "__main__":
    main()
