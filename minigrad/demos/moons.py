"""Two moons: a net of three layers bends a line until it lies between them.

The terminal shows the boundary that it has found. In the browser, fold the modules and open them again, and look at how
the gradients grow smaller on their way to the first layer.
"""

from __future__ import annotations

import minigrad as mg
from minigrad import nn
from minigrad.demos import Report, print_report
from minigrad.nn import functional as F
from minigrad.utils.data import moons


def main(epochs: int = 120, seed: int = 0, device: str = "cpu", report: Report = print_report) -> None:
    """Tell the points of one moon from those of the other."""
    mg.manual_seed(seed)
    points, labels = (each.to(device) for each in moons(200, noise=0.1).tensors)
    targets = labels.float()

    net = nn.Sequential(
        nn.Linear(2, 16),
        nn.Tanh(),
        nn.Linear(16, 16),
        nn.Tanh(),
        nn.Linear(16, 1),
    ).to(device)
    optimizer = mg.optim.Adam(net.parameters(), lr=0.02)

    for epoch in range(epochs):
        scores = net(points).squeeze(1)
        loss = F.binary_cross_entropy_with_logits(scores, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        right = ((scores > 0) == (targets > 0)).float().mean()
        report(epoch + 1, epochs, loss=loss.item(), accuracy=right.item())

    print(boundary(net, points, labels, device))


def boundary(
    net: nn.Module, points: mg.Tensor, labels: mg.Tensor, device: str, width: int = 60, height: int = 20
) -> str:
    """A map of what the net answers everywhere, light for one moon and dark for the other, with the points on it."""
    x, y = mg.linspace(-1.6, 2.6, width), mg.linspace(1.5, -1.1, height)
    everywhere = mg.stack([x.repeat(height), y.repeat_interleave(width)], dim=1).to(device)
    with mg.no_grad():
        answers = net(everywhere).reshape(height, width) > 0
    rows = [["░" if answer else " " for answer in row] for row in answers.tolist()]
    for (px, py), label in zip(points.tolist(), labels.tolist(), strict=True):
        column, row = round((px + 1.6) / 4.2 * (width - 1)), round((1.5 - py) / 2.6 * (height - 1))
        if 0 <= column < width and 0 <= row < height:
            rows[row][column] = "●" if label else "○"
    return "\n".join("".join(row) for row in rows)


if __name__ == "__main__":
    main()
