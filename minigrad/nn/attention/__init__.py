"""Attention over several heads: the function and the module."""
