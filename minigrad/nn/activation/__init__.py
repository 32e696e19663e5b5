"""Activations: the functions (`functions`, `inplace`, `stochastic`) and the modules that call them."""
