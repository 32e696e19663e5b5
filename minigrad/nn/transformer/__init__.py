"""Transformer layers: encoder, decoder, and the whole model."""
