"""Padding: the function and the modules that call it."""
