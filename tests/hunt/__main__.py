"""``python -m tests.hunt``: hunt, and print what differs."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import Any

from . import calls, functions, mechanics, memory, modules, training, writes
from .compare import Difference, differences
from .draw import Draw
from .known import reason

ROOMS: dict[str, Any] = {
    "calls": calls,
    "functions": functions,
    "mechanics": mechanics,
    "memory": memory,
    "modules": modules,
    "training": training,
    "writes": writes,
}


def hunt(room: str, count: int, seed: int, first: int = 0) -> tuple[int, Counter[str], list[tuple[str, Difference]]]:
    """How many things were compared, how often each known difference was met, and the others."""
    import torch

    compared, known, found = 0, Counter[str](), []
    for number in range(first, first + count):
        case = ROOMS[room].case(Draw(f"{room} {seed} {number}"))
        torch.manual_seed(0)
        times, differing = differences(case, torch)
        compared += times
        for each in differing:
            row = reason(each)
            if row is None:
                found.append((f"{seed}/{number}", each))
            else:
                known[row] += 1
    return compared, known, found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hunt", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="how many cases of each room")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=sorted(ROOMS), help="one room")
    parser.add_argument("--case", help="one case again, as it was printed: SEED/NUMBER (with --only)")
    parser.add_argument("--brief", action="store_true", help="each kind of difference once")
    given = parser.parse_args(arguments)
    seed, first, count = given.seed, 0, given.count
    if given.case:
        seed, first, count = *map(int, given.case.split("/")), 1
    total, unknown = 0, 0
    for room in [given.only] if given.only else sorted(ROOMS):
        compared, known, found = hunt(room, count, seed, first)
        total, unknown = total + compared, unknown + len(found)
        shown: Counter[str] = Counter()
        for place, each in found:
            kind = f"{each.case.split()[0]} {each.what}"
            shown[kind] += 1
            if not given.brief or shown[kind] == 1:
                print(f"{room} {place}  {each.case}: {each.what}\n    minigrad {each.ours}\n    torch    {each.theirs}")
        print(
            f"{room}: {compared} comparisons, {len(found)} differences, {sum(known.values())} in the table {dict(known)}"
        )
    print(f"in all {total} comparisons, {unknown} differences that are not in the table")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
