"""Runs: kept in a store, fed by programs, shown to viewers."""
