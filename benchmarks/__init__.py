"""Compare minigrad with similar libraries in one run, as ratios: ``python -m benchmarks``.

NOTES.md has the method and results.
"""
