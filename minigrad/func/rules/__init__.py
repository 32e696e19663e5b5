"""Batching rules: how each op runs on all examples at once under `vmap`."""
