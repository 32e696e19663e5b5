"""The steps of an LSTM layer in one loop: for small states, what lies between NumPy's calls takes most of the time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from .arithmetic import FUSED, F, exp, tanh


@njit(fastmath=FUSED, inline="always")
def add_product(out: Any, row: Any, matrix: Any) -> None:
    """``out += row @ matrix``, four rows of the matrix at a time, so that `out` is read a quarter as often."""
    whole = row.size // 4 * 4
    for k in range(0, whole, 4):
        a, b, c, d = row[k], row[k + 1], row[k + 2], row[k + 3]
        first, second, third, fourth = matrix[k], matrix[k + 1], matrix[k + 2], matrix[k + 3]
        for j in range(out.size):
            out[j] += (a * first[j] + b * second[j]) + (c * third[j] + d * fourth[j])
    for k in range(whole, row.size):
        value, weights = row[k], matrix[k]
        for j in range(out.size):
            out[j] += value * weights[j]


@njit(fastmath=FUSED, error_model="numpy", nogil=True, cache=True)
def _lstm(gates: Any, recurrent: Any, h: Any, c: Any, steps: Any, out: Any, cells: Any) -> None:
    batch, size = c.shape
    for step in steps:
        for b in range(batch):
            row = step * batch + b
            gate, state = gates[row], h[b]
            add_product(gate, state, recurrent)
            for j in range(3 * size):
                gate[j] = F(1) / (F(1) + exp(gate[j]))
            for j in range(3 * size, 4 * size):
                gate[j] = tanh(gate[j])
            for j in range(size):
                cell = gate[2 * size + j] * c[b, j] + gate[size + j] * gate[3 * size + j]
                hidden = gate[j] * tanh(cell)
                c[b, j] = cell
                cells[row, j] = cell
                h[b, j] = hidden
                out[row, j] = hidden


@njit(fastmath=FUSED, error_model="numpy", nogil=True, cache=True)
def _lstm_backward(
    arrived: Any, gates: Any, cells: Any, before: Any, recurrent: Any, dh: Any, dc: Any, steps: Any, dz: Any
) -> None:
    batch, size = dc.shape
    for step in steps:
        for b in range(batch):
            row = step * batch + b
            gate, slope, state = gates[row], dz[row], dh[b]
            for j in range(size):
                o, i, f, g = gate[j], gate[size + j], gate[2 * size + j], gate[3 * size + j]
                squashed = tanh(cells[row, j])
                hidden = state[j] + arrived[row, j]
                cell = dc[b, j] + hidden * o * (F(1) - squashed * squashed)
                slope[j] = hidden * squashed * o * (F(1) - o)
                slope[size + j] = cell * g * i * (F(1) - i)
                slope[2 * size + j] = cell * before[row, j] * f * (F(1) - f)
                slope[3 * size + j] = cell * i * (F(1) - g * g)
                dc[b, j] = cell * f
                state[j] = F(0)
            add_product(state, slope, recurrent)


LARGEST = 64
"""Up to this size of the state the weights stay in the cache, and the plain loops are quicker than NumPy's products."""


def _serves(lengths: Any, size: int) -> bool:
    return size <= LARGEST and lengths[0] == lengths[-1]


def _steps(lengths: Any, backwards: bool) -> Any:
    steps = np.arange(len(lengths))
    return steps[::-1].copy() if backwards else steps


def lstm(gates: Any, recurrent: Any, h: Any, c: Any, lengths: Any, reverse: bool) -> Any:
    """Run all steps. `gates` hold the inputs' share in the order o, i, f, g, and afterwards the gates.

    The arguments of the three sigmoids come negated, as `ops.recurrent.lstm` has them.

    Returns:
        The hidden states and the cells of all steps, and the last of each; None where NumPy is quicker.
    """
    if not _serves(lengths, c.shape[1]) or h.shape != c.shape:
        return None
    out, cells, h, c = np.empty((len(gates), c.shape[1]), F), np.empty((len(gates), c.shape[1]), F), h.copy(), c.copy()
    _lstm(gates, np.ascontiguousarray(recurrent), h, c, _steps(lengths, reverse), out, cells)
    return out, cells, h, c


def lstm_backward(
    arrived: Any, gates: Any, cells: Any, before: Any, recurrent: Any, dh: Any, dc: Any, lengths: Any, reverse: bool
) -> Any:
    """The gradients of the gates' arguments for all steps, and of both initial states; None where NumPy is quicker."""
    if not _serves(lengths, dc.shape[1]) or dh.shape != dc.shape:
        return None
    dz, dh, dc = np.empty_like(gates), dh.copy(), dc.copy()
    _lstm_backward(arrived, gates, cells, before, recurrent, dh, dc, _steps(lengths, not reverse), dz)
    return dz, dh, dc
