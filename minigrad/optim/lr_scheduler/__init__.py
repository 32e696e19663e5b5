"""Schedules of the learning rate. Call ``scheduler.step()`` after ``optimizer.step()``, usually once per epoch."""

from __future__ import annotations

from .base import EPOCH_DEPRECATION_WARNING as EPOCH_DEPRECATION_WARNING
from .base import LRScheduler
from .composite import ChainedScheduler, SequentialLR
from .cyclic import CosineAnnealingWarmRestarts, CyclicLR
from .decay import CosineAnnealingLR, ExponentialLR, LambdaLR, MultiStepLR, OneCycleLR, ReduceLROnPlateau, StepLR
from .ramps import ConstantLR, LinearLR, MultiplicativeLR, PolynomialLR

_LRScheduler = LRScheduler  # its name before PyTorch 2.0

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR",
    "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR", "PolynomialLR",
    "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip
