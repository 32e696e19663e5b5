"""Find what is wrong with a training program, with the line, from its records, whichever framework it uses."""

from __future__ import annotations

from .diagnosis import Diagnosis, diagnose
from .finding import Finding

__all__ = ["Diagnosis", "Finding", "diagnose"]
