"""Settings of layers, losses and optimisers that make no sense: refused where they are given, by both libraries."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg
from minigrad.errors import MinigradError

torch = pytest.importorskip("torch")


def stepped(lib: Any, name: str, **settings: Any) -> None:
    weight = lib.nn.Parameter(lib.ones(2))
    getattr(lib.optim, name)([weight], **settings)


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "channels by division": (lambda lib: lib.nn.Conv2d(8 / 2, 4, 3), "in_channels must be one int, got 4.0"),
    "channels read from a file": (lambda lib: lib.nn.Conv1d(4, "8", 3), "out_channels must be one int, got '8'"),
    "no groups": (lambda lib: lib.nn.Conv2d(4, 4, 3, groups=0), "groups must be a positive integer, got 0"),
    "width by division": (lambda lib: lib.nn.LSTM(4, 6 / 2), "hidden_size must be one int, got 3.0"),
    "no width": (lambda lib: lib.nn.GRU(4, 0), "hidden_size must be greater than zero"),
    "no layers": (lambda lib: lib.nn.RNN(4, 3, num_layers=0), "num_layers must be greater than zero"),
    "no features": (lambda lib: lib.nn.LSTM(0, 3), "input_size must be greater than zero"),
    "features below 0": (lambda lib: lib.nn.GRU(-1, 3), "input_size must be greater than zero"),
    "a bias of 1": (lambda lib: lib.nn.LSTM(4, 3, bias=1), "bias should be of type bool, got: int"),
    "batch first by name": (lambda lib: lib.nn.RNN(4, 3, batch_first="yes"), "batch_first should be of type bool"),
    "dropout in percent": (lambda lib: lib.nn.LSTM(4, 3, 2, dropout=20), "number in range \\[0, 1\\].*got 20"),
    "dropout that is no number": (lambda lib: lib.nn.GRU(4, 3, 2, dropout=math.nan), "got nan"),
    "heads by division": (lambda lib: lib.nn.MultiheadAttention(4, "2"), "num_heads must be one int, got '2'"),
    "groups of a norm by division": (
        lambda lib: lib.nn.functional.group_norm(lib.ones(2, 4), 4 / 2),
        "num_groups must be",
    ),
    "one number in each group": (
        lambda lib: lib.nn.functional.group_norm(lib.ones(1, 2), 2),
        "Expected more than 1 value per channel",
    ),
    "a loss by another reduction": (
        lambda lib: lib.nn.functional.multi_margin_loss(lib.ones(5, 4), lib.ones(5), reduction="all"),
        "all is not a valid value for reduction",
    ),
    "labels by another reduction": (
        lambda lib: lib.nn.functional.multilabel_margin_loss(lib.ones(5, 4), lib.ones(5, 4), reduction="all"),
        "all is not a valid value for reduction",
    ),
    "one weight for all classes": (
        lambda lib: lib.nn.functional.multi_margin_loss(lib.ones(5, 4), lib.ones(5).long(), weight=lib.tensor(1.0)),
        "weight must be one-dimensional",
    ),
    "two sizes of one plane": (
        lambda lib: lib.nn.functional.adaptive_avg_pool2d(lib.ones(2, 2), (2, 2)),
        "Input dimension should be at least 3",
    ),
    "a pool of no channels": (
        lambda lib: lib.nn.functional.max_pool1d(lib.ones(0, 10), 1),
        "with optional 0 dim batch size for input",
    ),
    "a mean of no elements": (
        lambda lib: lib.nn.functional.avg_pool2d(lib.ones(2, 3, 0, 4), 1),
        "with optional 0 dim batch size for input",
    ),
    "scores of many dimensions for one example": (
        lambda lib: lib.nn.functional.linear_cross_entropy(lib.ones(3), lib.ones(2, 4, 3), lib.ones(2, 4)),
        "requires batched input",
    ),
    "no time": (lambda lib: lib.signal.windows.exponential(3, tau=-1), "Tau must be positive, got: -1"),
    "no width of a bell": (lambda lib: lib.signal.windows.gaussian(3, std=-1), "Standard deviation must be positive"),
    "no cosines": (lambda lib: lib.signal.windows.general_cosine(3, a=[]), "Coefficients cannot be empty"),
    "a cosine that is no list": (
        lambda lib: lib.signal.windows.general_cosine(3, a=None),
        "Coefficients must be a list/tuple",
    ),
    "eps below 0": (lambda lib: lib.nn.BatchNorm1d(2, eps=-1)(lib.ones(2, 2)), "eps must be positive during training"),
    "a class to leave out by name": (
        lambda lib: lib.nn.functional.cross_entropy(lib.ones(2, 3), lib.tensor([0, 1]), ignore_index="pad"),
        "ignore_index must be one int, got 'pad'",
    ),
    "a class to leave out of probabilities": (
        lambda lib: lib.nn.functional.cross_entropy(lib.ones(2, 3), lib.ones(2, 3) / 3, ignore_index=0),
        "ignore_index is not supported for floating point target",
    ),
    "beta that is no number": (lambda lib: lib.nn.SmoothL1Loss(beta=math.nan)(lib.ones(2), lib.zeros(2)), "beta"),
    "delta that is no number": (lambda lib: lib.nn.HuberLoss(delta=math.nan)(lib.ones(2), lib.zeros(2)), "delta"),
    "a rate as text": (lambda lib: stepped(lib, "SGD", lr="0.1"), "lr must be a number, got '0.1'"),
    "no rate": (lambda lib: stepped(lib, "Rprop", lr=None), "lr must be a number, got None"),
    "a rate that is no number": (lambda lib: stepped(lib, "Adam", lr=math.nan), "Invalid learning rate"),
    "decay for two groups at once": (
        lambda lib: stepped(lib, "AdamW", weight_decay=(0.1, 0.0)),
        r"weight_decay must be a number, got \(0.1, 0.0\)",
    ),
    "alpha below 0": (lambda lib: stepped(lib, "RMSprop", alpha=-1), "Invalid alpha value: -1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_setting_that_makes_no_sense_is_refused(name: str) -> None:
    call, said = REFUSED[name]
    with pytest.raises((TypeError, ValueError, RuntimeError)) as theirs:
        call(torch)
    with pytest.raises(MinigradError, match=said) as ours:
        call(mg)
    assert isinstance(ours.value, theirs.type)
