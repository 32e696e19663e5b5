"""Fourier transforms and windows. The face is `mg.fft`."""
