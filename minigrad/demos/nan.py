"""A net of springs falls apart into NaN. Anomaly detection finds the line, one small change mends it.

Three balls are joined by springs that want to be one long. Two of the balls happen to start at the same place. Their
distance is the square root of 0, whose slope is infinite, and infinity times 0 is no number. The loss looks healthy:
only backward sees it.
"""

from __future__ import annotations

import warnings

import minigrad as mg
from minigrad.demos import Report, print_report
from minigrad.demos.landscape import landscape

PAIRS = [(0, 1), (1, 2), (2, 0)]
SAFE = 1e-6
"""Added under the root, it bounds the slope and changes nothing that can be seen."""


def stretched(balls: mg.Tensor, safe: float) -> mg.Tensor:
    """The sum of squared differences of the springs from their length of 1."""
    total = mg.tensor(0.0)
    for a, b in PAIRS:
        between = balls[a] - balls[b]
        distance = mg.sqrt((between * between).sum() + safe)
        total = total + (distance - 1) ** 2
    return total


def main(epochs: int = 60, report: Report = print_report) -> None:
    """Fall into the trap, find it, mend it."""
    start = [[0.0, 0.0], [0.0, 0.0], [1.0, 0.2]]

    balls = mg.tensor(start, requires_grad=True)
    loss = stretched(balls, safe=0.0)
    loss.backward()
    print(f"loss {loss.item():.4f}: healthy. Its gradient: {balls.grad.tolist()}")

    balls = mg.tensor(start, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it also warns at length; here the error says enough
        try:
            with mg.autograd.detect_anomaly():
                stretched(balls, safe=0.0).backward()
        except RuntimeError as error:
            print(f"detect_anomaly: {error}".rstrip())

    mg.manual_seed(0)
    balls = (mg.tensor(start) + 0.01 * mg.randn(3, 2)).requires_grad_()

    def picture(width: int, height: int) -> str:
        return drawn(balls.tolist(), min(width, 2 * height), height)

    for epoch in range(epochs):
        balls.grad = None
        loss = stretched(balls, SAFE)
        loss.backward()
        with mg.no_grad():
            balls -= 0.1 * balls.grad
        report(epoch + 1, epochs, picture, loss=loss.item())
    print("Mended:", ", ".join(f"ball {i} at ({x:+.2f}, {y:+.2f})" for i, (x, y) in enumerate(balls.tolist())))


def drawn(balls: list[list[float]], width: int, height: int) -> str:
    """The balls, and the springs between them as dots."""
    dots = []
    for a, b in PAIRS:
        for part in mg.linspace(0.0, 1.0, width).tolist():
            x, y = ((1 - part) * balls[a][axis] + part * balls[b][axis] for axis in (0, 1))
            dots.append((x, y, "·"))
    marks = [*dots, *((x, y, "●") for x, y in balls)]
    return landscape(lambda points: 0 * points[:, 0], (-0.6, 1.6), (-1.1, 1.1), width, height, marks)


if __name__ == "__main__":
    main()
