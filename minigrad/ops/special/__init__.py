"""Special functions of each element: error, gamma and Bessel functions, polynomials; public as `mg.special`."""
