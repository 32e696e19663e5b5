"""Runs: stored, received from programs, and sent to viewers."""
