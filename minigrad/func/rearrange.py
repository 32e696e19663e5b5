"""rearrange: split, reorder and join dimensions by a pattern of names."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ..core.tensor import Tensor
from ..errors import ArgumentError, ShapeError
from ..ops.shape.join import stack

_TOKEN = re.compile(r"\s+|([A-Za-z_]\w*|\.\.\.|1|\(|\))")

Group = tuple[str, ...]
INSIDE = "(...)"
"""An ellipsis in parentheses: all unnamed dimensions, joined into one."""


def rearrange(tensor: Tensor | Sequence[Tensor], pattern: str, **axes_lengths: int) -> Tensor:
    """Split, reorder and join the dimensions of `tensor` as `pattern` says, in the notation of einops.

    A name is a dimension, a group in parentheses is several names joined into one dimension, "1" is a dimension of size
    1, and "..." is all dimensions without a name. All names of a group but one need a length in `axes_lengths`. A
    sequence of tensors is stacked first. ValueError if the pattern is wrong, or does not fit the tensor.

    >>> import minigrad as mg
    >>> x = mg.arange(6).reshape(2, 3)
    >>> mg.func.rearrange(x, "row column -> (column row)")
    tensor([0, 3, 1, 4, 2, 5])
    """
    given = tensor if isinstance(tensor, Tensor) else stack(list(tensor))
    left, right = _sides(pattern)
    rest = given.dim() - sum(group != ("...",) for group in left)
    if rest < 0 or (rest and not any("..." in group for group in left)):
        raise ArgumentError(
            f"Number of dimensions in pattern ({given.dim() - rest}) must be equal to the number of dimensions in the "
            f"tensor ({given.dim()})"
        )
    others = tuple(f"...{index}" for index in range(rest))
    left = [split for group in left for split in ([(name,) for name in others] if group == ("...",) else [group])]
    lengths = _lengths(left, tuple(given.shape), axes_lengths)
    names = [name for group in left for name in group]
    wanted: list[Group] = []
    for group in right:
        wanted += [(name,) for name in others] if group == ("...",) else [_spread(group, others)]
    apart = given.reshape([lengths[name] for name in names])
    ordered = apart.permute([names.index(name) for group in wanted for name in group])
    return ordered.reshape([math.prod(lengths[name] for name in group) for group in wanted])


def _names(side: Sequence[Group]) -> set[str]:
    return {name.strip("()") for group in side for name in group}


def _spread(group: Group, others: Group) -> Group:
    """Return a group with "..." replaced by the names in `others`."""
    return tuple(n for name in group for n in (others if name == INSIDE else (name,)))


def _sides(pattern: str) -> tuple[list[Group], list[Group]]:
    """Return both sides of the pattern as lists of groups of names; a "1" is an empty group."""
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ArgumentError(f"Expected a pattern 'left -> right', but got {pattern!r}")
    left, right = _groups(sides[0]), _groups(sides[1])
    for side in (left, right):
        names = [name.strip("()") for group in side for name in group]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ArgumentError(f"Indexing expression contains duplicate dimension {twice!r} in {pattern!r}")
    one_sided = _names(left) ^ _names(right)
    if one_sided:
        raise ArgumentError(
            f"Identifiers only on one side of rearrange expression (should be on both): {sorted(one_sided)}"
        )
    if any(INSIDE in group for group in left):
        raise ArgumentError(f"An ellipsis cannot be split: it stands in parentheses on the left of {pattern!r}")
    return left, right


def _groups(side: str) -> list[Group]:
    """Return one side of a pattern as a list of groups."""
    groups: list[Group] = []
    inside: list[str] | None = None
    place = 0
    while place < len(side):
        match = _TOKEN.match(side, place)
        if match is None:
            raise ArgumentError(f"Invalid character {side[place]!r} in pattern {side.strip()!r}")
        place, token = match.end(), match[1]
        if token == "(" and inside is None:
            inside = []
        elif token == ")" and inside is not None:
            groups.append(tuple(inside))
            inside = None
        elif token in ("(", ")"):
            raise ArgumentError(f"Parentheses do not match, or are nested, in {side.strip()!r}")
        elif token is not None and inside is not None:
            inside += [] if token == "1" else [INSIDE if token == "..." else token]
        elif token is not None:
            groups.append(() if token == "1" else (token,))
    if inside is not None:
        raise ArgumentError(f"Parentheses do not match in {side.strip()!r}")
    return groups


def _lengths(groups: Sequence[Group], shape: Sequence[int], given: dict[str, int]) -> dict[str, int]:
    """Return the length of each name: given, or computed from the size of its dimension."""
    known = [name for group in groups for name in group]
    unknown = sorted(given.keys() - set(known))
    if unknown:
        raise ArgumentError(f"Lengths are given for {unknown}, which the pattern does not name")
    lengths = dict(given)
    for group, size in zip(groups, shape, strict=True):
        open_names = [name for name in group if name not in given]
        filled = math.prod(given[name] for name in group if name in given)
        if len(open_names) > 1:
            raise ArgumentError(f"Give the length of all but one of {list(group)}")
        if open_names and filled and size % filled == 0:
            lengths[open_names[0]] = size // filled
        elif open_names or filled != size:
            raise ShapeError(f"{list(group)} of lengths {given} does not evenly fit into a dimension of size {size}")
    return lengths
