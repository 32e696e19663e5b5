"""Conversions of a tensor to another dtype, device or library, to Python values and to text."""
