"""minigrad beside its peers, in one run, as ratios: ``python -m benchmarks``. NOTES.md says what was measured, and how."""
