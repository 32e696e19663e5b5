"""Linear algebra: products, factorisations, systems of equations, norms. The face is `mg.linalg`."""
