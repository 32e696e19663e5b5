"""Indexing: subscripts, slices, gather and scatter, masks."""
