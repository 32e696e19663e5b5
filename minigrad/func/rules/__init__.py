"""Batching rules: how each op runs for all examples at once under `vmap`."""
