"""Recurrent layers: one op for a layer's whole sequence, and the same layer step by step."""
