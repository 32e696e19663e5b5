"""``python -m tests.faults``: each search in a process of its own, and a line of what came of it."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

SEARCHES = {
    "http": "every address of the server, by its own description",
    "trace": "bytes as a trace file: read, folded and drawn",
    "model": "bytes as a model file: loaded",
    "million": "a million records, in three shapes of a run: the server's memory, and the time to open it",
    "hour": "a program that sends without a pause: the server's memory (an hour: --seconds 3600)",
    "recorder": "100,000 steps recorded with all values, as far as the time goes: the program's memory",
    "mutants": "changed operators, constants and conditions in the core's heart",
    "ops": "the same in the ops",
}

COMMANDS = {
    "http": ("tests.faults.http", "{seconds}"),
    "trace": ("tests.faults.bytes", "trace", "{seconds}"),
    "model": ("tests.faults.bytes", "model", "{seconds}"),
    "million": ("tests.faults.endurance", "{seconds}", "million"),
    "hour": ("tests.faults.endurance", "{seconds}", "hour"),
    "recorder": ("tests.faults.endurance", "{seconds}", "recorder"),
    "mutants": ("tests.faults.mutants", "{seconds}", "0", "heart"),
    "ops": ("tests.faults.mutants", "{seconds}", "0", "ops"),
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("only", nargs="*", choices=[*SEARCHES, []], help="these searches; else all")
    parser.add_argument("--seconds", type=int, default=120, help="for each search, about")
    given = parser.parse_args(arguments)
    failed = 0
    for search in given.only or SEARCHES:
        print(f"{search}: {SEARCHES[search]} ...", flush=True)
        begun = time.monotonic()
        command = [each.format(seconds=given.seconds) for each in COMMANDS[search]]
        status = subprocess.run([sys.executable, "-m", *command]).returncode
        failed += bool(status)
        print(f"{search}: {'FOUND SOMETHING' if status else 'nothing found'} in {time.monotonic() - begun:.0f} s\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
