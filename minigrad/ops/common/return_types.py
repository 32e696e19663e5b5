"""Results of functions that return several tensors: tuples with named fields, such as ``x.max(0).indices``."""

from __future__ import annotations

from typing import Any


class Results(tuple[Any, ...]):
    """A tuple with named fields, printed as in PyTorch."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def __new__(cls, *values: Any) -> Results:
        """Take the values as separate arguments, or as one iterable."""
        return tuple.__new__(cls, values if len(values) != 1 else values[0])

    def __repr__(self) -> str:
        lines = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"minigrad.return_types.{type(self).__name__}(\n{lines})"

    def __reduce__(self) -> Any:
        return type(self), tuple(self)


def _place(number: int) -> Any:
    return property(lambda self: self[number])


def _results(name: str, *fields: str) -> Any:
    body = {field: _place(i) for i, field in enumerate(fields)}
    return type(name, (Results,), {"__slots__": (), "_fields": fields, "__module__": __name__, **body})


max = _results("max", "values", "indices")
min = _results("min", "values", "indices")
median = _results("median", "values", "indices")
nanmedian = _results("nanmedian", "values", "indices")
mode = _results("mode", "values", "indices")
kthvalue = _results("kthvalue", "values", "indices")
sort = _results("sort", "values", "indices")
topk = _results("topk", "values", "indices")
cummax = _results("cummax", "values", "indices")
cummin = _results("cummin", "values", "indices")
aminmax = _results("aminmax", "min", "max")
var_mean = _results("var_mean", "var", "mean")
std_mean = _results("std_mean", "std", "mean")
linalg_qr = _results("linalg_qr", "Q", "R")
linalg_svd = _results("linalg_svd", "U", "S", "Vh")
svd = _results("svd", "U", "S", "V")
linalg_eigh = _results("linalg_eigh", "eigenvalues", "eigenvectors")
linalg_eig = _results("linalg_eig", "eigenvalues", "eigenvectors")
slogdet = _results("slogdet", "sign", "logabsdet")
linalg_lu = _results("linalg_lu", "P", "L", "U")
linalg_lstsq = _results("linalg_lstsq", "solution", "residuals", "rank", "singular_values")
linalg_lu_factor = _results("linalg_lu_factor", "LU", "pivots")
linalg_lu_factor_ex = _results("linalg_lu_factor_ex", "LU", "pivots", "info")
linalg_inv_ex = _results("linalg_inv_ex", "inverse", "info")
linalg_cholesky_ex = _results("linalg_cholesky_ex", "L", "info")
linalg_solve_ex = _results("linalg_solve_ex", "result", "info")
triangular_solve = _results("triangular_solve", "solution", "cloned_coefficient")
frexp = _results("frexp", "mantissa", "exponent")
histogramdd = _results("histogramdd", "hist", "bin_edges")
geqrf = _results("geqrf", "a", "tau")
linalg_ldl_factor = _results("linalg_ldl_factor", "LD", "pivots")
linalg_ldl_factor_ex = _results("linalg_ldl_factor_ex", "LD", "pivots", "info")
histogram = _results("histogram", "hist", "bin_edges")
qr = _results("qr", "Q", "R")
