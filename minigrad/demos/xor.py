"""Four points that no straight line separates, and the eight hidden units that do it.

No modules and no optimiser here: a net is two products, and learning is one subtraction a parameter.
"""

from __future__ import annotations

import minigrad as mg
from minigrad.demos import Report, print_report
from minigrad.demos.landscape import landscape


def main(epochs: int = 150, seed: int = 0, report: Report = print_report) -> None:
    """Learn exclusive or, by plain gradient descent on all four points."""
    mg.manual_seed(seed)
    x = mg.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = mg.tensor([[0.0], [1.0], [1.0], [0.0]])

    w1 = mg.randn(2, 8, requires_grad=True)
    b1 = mg.zeros(8, requires_grad=True)
    w2 = mg.randn(8, 1, requires_grad=True)
    b2 = mg.zeros(1, requires_grad=True)
    parameters = [w1, b1, w2, b2]

    def picture(width: int, height: int) -> str:
        marks = [(a, b, "●" if answer else "○") for (a, b), (answer,) in zip(x.tolist(), y.tolist(), strict=True)]
        return landscape(
            lambda points: (mg.tanh(points @ w1 + b1) @ w2 + b2)[:, 0],
            (-0.25, 1.25), (-0.25, 1.25), min(width, 2 * height), height, marks, " ░▒▓█",
        )  # fmt: skip

    for epoch in range(epochs):
        hidden = mg.tanh(x @ w1 + b1)
        out = hidden @ w2 + b2
        loss = ((out - y) ** 2).mean()

        loss.backward()
        with mg.no_grad():
            for parameter in parameters:
                parameter -= 0.2 * parameter.grad
                parameter.grad = None
        report(epoch + 1, epochs, picture, loss=loss.item())

    for (a, b), answer in zip(x.tolist(), out.flatten().tolist(), strict=True):
        print(f"{a:.0f} xor {b:.0f}  ->  {answer:+.3f}")


if __name__ == "__main__":
    main()
