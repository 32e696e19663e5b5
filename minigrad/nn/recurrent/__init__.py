"""Recurrent layers and their cells."""
