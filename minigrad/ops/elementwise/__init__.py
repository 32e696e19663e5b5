"""Ops that work on each element by itself: arithmetic, powers, exponentials, trigonometry, comparisons, bits."""
