"""Two moons: a net of three layers bends a line until it lies between them.

The terminal shows the boundary that it has found. In the browser, fold the modules and open them again, and look at how
the gradients grow smaller on their way to the first layer.
"""

from __future__ import annotations

import minigrad as mg
from minigrad import nn
from minigrad.demos import Report, print_report
from minigrad.demos.landscape import landscape
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

    def picture(width: int, height: int) -> str:
        return boundary(net, points, labels, device, width, height)

    for epoch in range(epochs):
        scores = net(points).squeeze(1)
        loss = F.binary_cross_entropy_with_logits(scores, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        right = ((scores > 0) == (targets > 0)).float().mean()
        report(epoch + 1, epochs, picture, loss=loss.item(), accuracy=right.item())

    print(boundary(net, points, labels, device))


def boundary(
    net: nn.Module, points: mg.Tensor, labels: mg.Tensor, device: str, width: int = 60, height: int = 20
) -> str:
    """A map of the net's answers, light for one moon and dark for the other, with the points on it."""
    marks = [(x, y, "●" if label else "○") for (x, y), label in zip(points.tolist(), labels.tolist(), strict=True)]
    return landscape(
        lambda places: (net(places.to(device)).squeeze(1) > 0).float().cpu(),
        (-1.6, 2.6), (-1.1, 1.5), width, height, marks,
    )  # fmt: skip


if __name__ == "__main__":
    main()
