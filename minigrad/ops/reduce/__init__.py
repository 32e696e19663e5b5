"""Ops that combine elements along dimensions: sums, extremes, order statistics, sorting, running sums."""
