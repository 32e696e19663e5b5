"""Find what is wrong with a training program, and the line, from its records. It works for every framework."""

from __future__ import annotations

from .diagnosis import Diagnosis, diagnose
from .finding import Finding

__all__ = ["Diagnosis", "Finding", "diagnose"]
