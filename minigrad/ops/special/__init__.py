"""Special functions of each element: error, gamma and Bessel functions, polynomials. The face is `mg.special`."""
