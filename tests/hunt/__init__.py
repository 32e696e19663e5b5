"""The hunt: random calls and programs on minigrad and on PyTorch, whose every number must be the same.

``python -m tests.hunt --count 20000 --seed 7`` hunts that many cases and prints each difference with the case that
shows it; ``--only calls --case 7/1234`` runs one case again. ``pytest -m hunt`` does so for a few thousand cases. A
difference that stays is written down, with its reason, in ``minigrad/autograd/DIFFERENCES.md`` and in `known`.
"""
