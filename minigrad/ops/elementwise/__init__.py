"""Ops on each element: arithmetic, powers, exponentials, trigonometry, comparisons, bits."""
