"""Fourier transforms and windows, public as `mg.fft`."""
