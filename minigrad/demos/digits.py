"""Digits: a net with two hidden layers learns to read handwriting.

1,797 pictures of 8 by 8 pixels. The net learns from four fifths of them and is examined on the rest, which it has never
seen. At the end it reads some of those aloud.
"""

from __future__ import annotations

import minigrad as mg
from minigrad import nn
from minigrad.demos import Report, print_report
from minigrad.nn import functional as F
from minigrad.utils.data import DataLoader, digits, random_split


class Reader(nn.Module):
    """64 pixels in, one score for each of the ten digits out."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(64, 128)
        self.second = nn.Linear(128, 64)
        self.scores = nn.Linear(64, 10)

    def forward(self, pictures: mg.Tensor) -> mg.Tensor:
        hidden = F.relu(self.first(pictures))
        hidden = F.relu(self.second(hidden))
        return self.scores(hidden)


def main(epochs: int = 20, seed: int = 0, device: str = "cpu", report: Report = print_report) -> float:
    """Learn to read digits; the share of unseen pictures that are read correctly."""
    mg.manual_seed(seed)
    learnt, unseen = random_split(digits(), [0.8, 0.2])
    loader = DataLoader(learnt, batch_size=32, shuffle=True)
    ((exam, answers),) = DataLoader(unseen, batch_size=len(unseen))

    net = Reader().to(device)
    optimizer = mg.optim.Adam(net.parameters(), lr=0.003)

    def picture(width: int, height: int) -> str:
        return read_aloud(net, exam, answers, device, max(1, width // 18))

    accuracy = 0.0
    for epoch in range(epochs):
        total = 0.0
        for pictures, labels in loader:
            loss = F.cross_entropy(net(pictures.to(device)), labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        accuracy = examine(net, exam, answers, device)
        report(epoch + 1, epochs, picture, loss=total / len(loader), accuracy=accuracy)

    print(read_aloud(net, exam, answers, device))
    return accuracy


def examine(net: nn.Module, pictures: mg.Tensor, labels: mg.Tensor, device: str) -> float:
    """The share of the pictures that the net reads correctly."""
    with mg.no_grad():
        answers = net(pictures.to(device)).argmax(dim=1).cpu()
    return float((answers == labels).float().mean())


def read_aloud(net: nn.Module, pictures: mg.Tensor, labels: mg.Tensor, device: str, count: int = 6) -> str:
    """The first few pictures, with what the net says they are."""
    with mg.no_grad():
        answers = net(pictures[:count].to(device)).argmax(dim=1)
    drawn = [picture_lines(picture) for picture in pictures[:count]]
    said = zip(answers.tolist(), labels[:count].tolist(), strict=True)
    below = "  ".join(f"{f'reads {answer}, is {label}':<16}" for answer, label in said)
    return "\n".join([*map("  ".join, zip(*drawn, strict=True)), below])


def picture_lines(picture: mg.Tensor) -> list[str]:
    """The picture in shades, two letters a pixel."""
    shades = " ░▒▓█"
    return ["".join(2 * shades[round(4 * value)] for value in row) for row in picture.reshape(8, 8).tolist()]


if __name__ == "__main__":
    main()
