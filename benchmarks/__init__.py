"""minigrad beside its peers, in one run, as ratios: ``python -m benchmarks``. NOTES.md says how, and what came out."""
