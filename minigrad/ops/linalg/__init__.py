"""Linear algebra: products, factorisations, linear systems, norms; public as `mg.linalg`."""
