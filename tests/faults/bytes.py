"""``python -m tests.faults.bytes trace|model SECONDS``: coverage-guided fuzzing of what reads files (atheris).

Bytes that reach new lines are kept and changed again, from a few good files on; most changes replace one value in the
JSON of a record or of a header. A reader may refuse what it is given with an error of minigrad's; any other exception
is a finding, and its bytes stay in a file whose name is printed.
"""

from __future__ import annotations

import io
import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import atheris

with atheris.instrument_imports(include=["minigrad", "minigrad_webui"]):
    import minigrad as mg
    from minigrad.errors import ArgumentError
    from minigrad.observe import Recorder, read
    from minigrad.observe.draw.dot import dot
    from minigrad.observe.draw.mermaid import mermaid
    from minigrad.observe.draw.recorded import of_records
    from minigrad.observe.draw.text import text
    from minigrad.observe.record.sinks import encode
    from minigrad_webui.runs.step_graph import fold

FOLDER = Path(tempfile.mkdtemp(prefix="minigrad-fuzz-"))

STRANGE: tuple[Any, ...] = (
    None, True, -1, 0, 2**31, 2**63, 1e300, "", "x", "\ud800", "<b>&", "a" * 5_000, [], {}, [[]], [None], {"": 1},
)  # fmt: skip


def trace(data: bytes) -> None:
    """A trace file is read, each of its steps is folded, and it is drawn."""
    path = FOLDER / "fuzzed.jsonl"
    path.write_bytes(data)
    try:
        reading = read(path)
        for step, records in reading.steps().items():
            fold("fuzzed", step, map(encode, records))
        picture = of_records(reading.records)
        for write in (text, dot, mermaid):
            write(picture)  # type: ignore[operator]
    except ArgumentError:
        return


def model(data: bytes) -> None:
    """A model file is loaded."""
    try:
        mg.load(io.BytesIO(data))
    except ArgumentError:
        return


def good_files(search: str, folder: Path) -> None:
    """What the fuzzer begins with."""
    folder.mkdir()
    net = mg.nn.Linear(2, 3)
    optimizer = mg.optim.Adam(net.parameters())
    with Recorder(folder / "good.jsonl", name="good", values="all"):
        for _ in range(1 if search == "trace" else 2):
            loss = net(mg.ones(1, 2)).pow(2).sum()
            loss.backward()
            optimizer.step()
    if search == "model":
        (folder / "good.jsonl").unlink()
        mg.save(net.state_dict(), folder / "state")
        mg.save({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "step": 2}, folder / "nested")
        half = {"a": mg.ones(2, dtype=mg.bfloat16), "b": mg.tensor(True), "c": mg.ones(0, 3)}
        mg.save(half, folder / "kinds")
        mg.save({"whole": net.weight, "part": net.weight[1:]}, folder / "shared")


def changed(data: bytes, most: int, seed: int) -> bytes:
    """One value of a record, or of a model file's header, replaced; or, one time in three, any bytes."""
    dice = random.Random(seed)
    if dice.random() < 1 / 3:
        return bytes(atheris.Mutate(data, most))
    if len(data) > 8 and (length := int.from_bytes(data[:8], "little")) <= len(data):
        header = replaced(data[8 : 8 + length], dice)
        return (len(header).to_bytes(8, "little") + header + data[8 + length :])[:most]
    lines = data.split(b"\n")
    number = dice.randrange(len(lines))
    lines[number] = replaced(lines[number], dice)
    return b"\n".join(lines)[:most]


def replaced(text: bytes, dice: random.Random) -> bytes:
    """JSON with one value replaced by a strange one, in JSON within it too; what is no JSON as it is."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return text
    inside = whole
    while isinstance(inside, (dict, list)) and inside:
        key = dice.choice(list(inside) if isinstance(inside, dict) else range(len(inside)))
        value = inside[key]
        if isinstance(value, str) and value[:1] in ("{", "["):
            inside[key] = replaced(value.encode(errors="surrogatepass"), dice).decode(errors="surrogatepass")
            break
        if not isinstance(value, (dict, list)) or not value or dice.random() < 0.3:
            inside[key] = dice.choice(STRANGE)
            break
        inside = value
    return json.dumps(whole).encode()


def main(search: str, seconds: str) -> None:
    corpus = FOLDER / "corpus"
    good_files(search, corpus)
    print(f"what it finds stays in {FOLDER}")
    flags = [f"-max_total_time={seconds}", "-max_len=100000", f"-artifact_prefix={FOLDER}/", "-print_final_stats=1"]
    search_with = {"trace": trace, "model": model}[search]
    atheris.Setup([sys.argv[0], *flags, str(corpus)], search_with, custom_mutator=changed)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
