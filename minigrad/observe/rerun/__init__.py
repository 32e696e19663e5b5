"""Compute a recorded step again, with one of its elements changed."""

from .answer import touched
from .step import NotRerun, RecordedStep, Touch

__all__ = ["NotRerun", "RecordedStep", "Touch", "touched"]
