"""Connectionist temporal classification: the likelihood of a label sequence, summed over all its alignments."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from ...core.tensor import Tensor, wrap
from ...errors import DtypeError, ShapeError
from ...ops.nn.alignments import Alignments
from ...ops.shape.join import stack
from ..loss.functions import reduced


def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Minus the log-probability of label sequences, summed over all alignments with the time steps and blanks between.

    `log_probs` (T, N, C) or (T, C); `targets` (N, S) or all of them concatenated; lengths (N). The forward algorithm
    computes the probability of every state, step by step (`Alignments`, one op). As in PyTorch, `log_probs`
    must come from `log_softmax`: the gradient includes the derivative of the normalisation.
    """
    single = log_probs._array.ndim == 2
    logs = _normalised(log_probs.unsqueeze(1) if single else log_probs)
    lengths, sizes = [_ints(each) for each in (input_lengths, target_lengths)]
    _check_lengths(logs, targets, lengths, sizes, single)
    labels = _label_rows(targets, sizes, single)
    found: Any = _losses(logs, labels, lengths, blank, zero_infinity)
    if zero_infinity:
        found = found.where(found != math.inf, 0.0)
    if reduction == "mean":
        xp = found._backend
        return (found / wrap(xp.maximum(xp.asarray(sizes), 1).astype(found._array.dtype), xp)).mean()
    found = found.squeeze(0) if single and reduction == "none" else found
    return reduced(found, reduction)


def _normalised(logs: Any) -> Any:
    """Return `logs` with the gradient of normalised log-probabilities: raising one lowers the others."""
    shares = logs.exp().sum(-1, keepdim=True)
    return logs - (shares - shares.detach())


def _ints(lengths: Any) -> list[int]:
    if isinstance(lengths, Tensor) and lengths._array.dtype.kind not in "iu":
        raise DtypeError(f"input_lengths and target_lengths must be integral, got {lengths.dtype}")
    listed = lengths.tolist() if isinstance(lengths, Tensor) else lengths
    return [int(each) for each in listed] if isinstance(listed, (list, tuple)) else [int(listed)]


def _check_lengths(logs: Any, targets: Any, lengths: list[int], sizes: list[int], single: bool) -> None:
    """Raise unless each sequence has an input length and a target length within its data."""
    time, batch = logs._array.shape[:2]
    for name, given in (("input_lengths", lengths), ("target_lengths", sizes)):
        if len(given) != batch:
            raise ShapeError(f"{name} must be of size batch_size: expected {batch} of them, got {len(given)}")
        if min(given, default=0) < 0:
            raise ShapeError(f"{name} must not be negative, got {min(given)}")
    if max(lengths, default=0) > time:
        raise ShapeError(f"Expected input_lengths to have value at most {time}, but got value {max(lengths)}")
    if single or targets._array.ndim == 1:
        if sum(sizes) > targets._array.size:
            raise ShapeError(f"targets have {targets._array.size} elements, the target_lengths add up to {sum(sizes)}")
    elif targets._array.shape[0] != batch or max(sizes, default=0) > targets._array.shape[1]:
        raise ShapeError(f"Expected targets of shape ({batch}, at least {max(sizes)}), but got {list(targets.shape)}")


def _label_rows(targets: Any, sizes: list[int], single: bool) -> list[list[int]]:
    listed = targets.tolist()
    if targets._array.ndim == 2:
        return [row[:size] for row, size in zip(listed, sizes, strict=True)]
    starts = [sum(sizes[:n]) for n in range(len(sizes))]
    return [listed[start : start + size] for start, size in zip(starts, sizes, strict=True)]


def _losses(logs: Any, labels: list[list[int]], lengths: list[int], blank: int, zero_infinity: bool) -> Any:
    """Return the loss of each sequence of a batch: logs (T, N, C)."""
    ends = _ends(logs, labels, lengths, blank) if max(lengths, default=0) else logs.new_zeros((len(labels),))
    losses = list((-ends).unbind(0))
    possible = (ends > _never(logs) / 2).tolist()
    for n, (row, length) in enumerate(zip(labels, lengths, strict=True)):
        if not possible[n] or length < len(row) + sum(a == b for a, b in pairwise(row)):
            losses[n] = _impossible(logs[:length, n], zero_infinity)
        elif not length:
            losses[n] = logs[:0, n].sum()
    return stack(losses)


def _never(logs: Any) -> float:
    """Return a finite stand-in for log 0: the difference of two infinities would be NaN."""
    return -1e30 if logs._array.dtype.itemsize < 8 else -1e300


def _ends(logs: Any, labels: list[list[int]], lengths: list[int], blank: int) -> Any:
    """Return the log-probability of each sequence by the forward algorithm, for all sequences at once.

    Shorter sequences run on through extra states and times, which do not affect their result.
    """
    xp, dtype, never = logs._backend, logs._array.dtype, _never(logs)
    width, last, every = 2 * max(map(len, labels)) + 1, max(lengths), range(len(labels))
    states = [[blank] * width for _ in labels]
    for n in every:
        states[n][1 : 2 * len(labels[n]) : 2] = labels[n]
    skips = [[i >= 2 and row[i] != blank and row[i] != row[i - 2] for i in range(width)] for row in states]
    over = wrap(xp.arange(last)[:, None, None] >= xp.asarray(lengths)[:, None], xp)
    index = wrap(xp.broadcast_to(xp.asarray(states), (last, len(labels), width)), xp)
    emitted = logs[:last].gather(2, index).clamp(min=never).masked_fill(over, 0.0)
    alpha: Any = Alignments(never)(emitted, wrap(xp.asarray(skips), xp))
    final = alpha[[max(length - 1, 0) for length in lengths], list(every)]
    places = [[2 * len(row), max(2 * len(row) - 1, 0)] for row in labels]
    lone = wrap(xp.asarray([[0.0, 0.0 if row else never] for row in labels], dtype=dtype), xp)
    return (final.gather(1, wrap(xp.asarray(places), xp)) + lone).logsumexp(-1)


def _impossible(logs: Any, zero_infinity: bool) -> Any:
    """Return the loss of labels that are too long for the time steps: infinite, with gradient NaN or, if asked, 0."""
    if zero_infinity:
        return logs[:0].sum() + math.inf
    nothing = logs.nan_to_num().sum()
    return (nothing - nothing.detach()).sqrt() * 0 + math.inf
