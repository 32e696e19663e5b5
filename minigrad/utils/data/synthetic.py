"""Small synthetic problems: points in the plane with classes. Each function returns a `TensorDataset` (points, labels).

Points are float32 (n, 2), labels int64 (n,). The same seed, set in `generator` or by `minigrad.manual_seed`, gives the
same points.
"""

from __future__ import annotations

import math
from typing import Any

from ... import dtypes
from ...ops.create.factories import arange, linspace, zeros
from ...ops.random.distributions import rand, randn
from ...ops.shape.join import cat, stack
from .dataset import TensorDataset


def _finished(points: Any, labels: Any, noise: float, generator: Any) -> TensorDataset:
    if noise:
        points = points + randn(points.shape, generator=generator) * noise
    return TensorDataset(points, labels)


def _labels(counts: list[int]) -> Any:
    return cat([zeros(count, dtype=dtypes.int64) + label for label, count in enumerate(counts)])


def moons(n: int = 200, noise: float = 0.1, generator: Any = None) -> TensorDataset:
    """Two interleaved half circles.

    >>> points, labels = moons(6, noise=0.0).tensors
    >>> points[0], labels
    (tensor([1., 0.]), tensor([0, 0, 0, 1, 1, 1]))
    """
    outer, inner = linspace(0, math.pi, n - n // 2), linspace(0, math.pi, n // 2)
    upper = stack([outer.cos(), outer.sin()], 1)
    lower = stack([1 - inner.cos(), 0.5 - inner.sin()], 1)
    return _finished(cat([upper, lower]), _labels([n - n // 2, n // 2]), noise, generator)


def spirals(
    n: int = 300, noise: float = 0.05, classes: int = 2, turns: float = 1.0, generator: Any = None
) -> TensorDataset:
    """Interleaved spiral arms, one for each class."""
    counts = [n // classes + (label < n % classes) for label in range(classes)]
    arms = []
    for label, count in enumerate(counts):
        along = linspace(0.1, 1.0, count)
        angle = along * (2 * math.pi * turns) + 2 * math.pi * label / classes
        arms.append(stack([along * angle.cos(), along * angle.sin()], 1))
    return _finished(cat(arms), _labels(counts), noise, generator)


def xor(n: int = 200, noise: float = 0.0, generator: Any = None) -> TensorDataset:
    """Points uniform in the square [-1, 1]²; the class is 1 if the coordinates differ in sign."""
    points = rand((n, 2), generator=generator) * 2 - 1
    labels = (points[:, 0] * points[:, 1] < 0).to(dtypes.int64)
    return _finished(points, labels, noise, generator)


def blobs(
    n: int = 300, classes: int = 3, noise: float = 0.3, radius: float = 1.0, generator: Any = None
) -> TensorDataset:
    """Round clusters, with their centres evenly spaced on a circle."""
    labels: Any = arange(n) % classes
    angle = labels.to(dtypes.float32) * (2 * math.pi / classes)
    points = stack([angle.cos(), angle.sin()], 1) * radius
    return _finished(points, labels, noise, generator)


def circles(n: int = 200, noise: float = 0.05, factor: float = 0.5, generator: Any = None) -> TensorDataset:
    """One ring inside another; the inner one, of radius `factor`, is class 1."""
    rings = [linspace(0, 2 * math.pi, count + 1)[:-1] for count in (n - n // 2, n // 2)]
    points = [stack([ring.cos(), ring.sin()], 1) * size for ring, size in zip(rings, (1.0, factor), strict=True)]
    return _finished(cat(points), _labels([n - n // 2, n // 2]), noise, generator)
