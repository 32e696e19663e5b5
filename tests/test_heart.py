"""The promise of the reading path: ordinary training runs the heart of the core, and nothing else of it.

Three programs are traced after a warm step: a sum of products, three SGD steps of a small network, and one Adam step of
a small transformer. Every line of the core that runs must lie in a file of the heart.
"""

from __future__ import annotations

import ast
import sys
import tokenize
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import minigrad as mg
from minigrad import nn

CORE = Path(mg.__file__).parent / "core"


HEART = ("op", "plan", "tensor", "view", "graph", "engine", "accumulate", "saving", "dispatch", "state")
"""The files that a reader reads, in `minigrad/core`."""

LIMIT = 700
"""Lines of code (no blanks, comments, docstrings) that the heart may have."""


def code_lines(path: Path) -> set[int]:
    """The numbers of the lines that hold code."""
    tree = ast.parse(path.read_text())
    words: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            words.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines: set[int] = set()
    layout = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type not in (*layout, tokenize.ENCODING):
                lines.update(range(token.start[0], token.end[0] + 1))
    return lines - words


def lines_run(program: Callable[[], Any]) -> dict[str, set[int]]:
    """The lines of the core that run, by file."""
    found: dict[str, set[int]] = {}
    core = str(CORE)

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        name = frame.f_code.co_filename
        if not name.startswith(core):
            return None
        lines = found.setdefault(Path(name).stem, set())

        def step(frame: FrameType, event: str, arg: Any) -> Any:
            if event == "line":
                lines.add(frame.f_lineno)
            return step

        return step

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        program()
    finally:
        sys.settrace(before)
    return found


def products() -> None:
    a = mg.tensor([1.0, 2.0], requires_grad=True)
    b = mg.tensor([3.0, 4.0], requires_grad=True)
    (a * b).sum().backward()


def network() -> Callable[[], None]:
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    optimizer = mg.optim.SGD(net.parameters(), lr=0.1)
    x, y = mg.randn(6, 8), mg.randint(0, 4, (6,))

    def three_steps() -> None:
        for _ in range(3):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()

    return three_steps


class Block(nn.Module):
    """Attention and a small network, each added to what came in."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mix, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.net = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Any) -> Any:
        batch, time, width = x.shape
        parts = self.mix(self.before(x)).chunk(3, dim=-1)
        q, k, v = (each.view(batch, time, 2, width // 2).transpose(1, 2) for each in parts)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, time, width))
        return x + self.net(self.between(x))


class Transformer(nn.Module):
    """A language model of one block."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(11, 8), nn.Embedding(5, 8)
        self.block, self.last, self.head = Block(8), nn.LayerNorm(8), nn.Linear(8, 11)

    def forward(self, tokens: Any) -> Any:
        x = self.tokens(tokens) + self.places(mg.arange(tokens.shape[1]))
        return self.head(self.last(self.block(x)))


def transformer() -> Callable[[], None]:
    net = Transformer()
    optimizer = mg.optim.Adam(net.parameters(), lr=0.01)
    tokens = mg.randint(0, 11, (2, 5))

    def step() -> None:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(tokens).view(-1, 11), tokens.view(-1)).backward()
        optimizer.step()

    return step


def everything() -> dict[str, set[int]]:
    """What the three programs run, after a step of each to warm up."""
    together: dict[str, set[int]] = {}
    for program in (products, network(), transformer()):
        program()
        for name, lines in lines_run(program).items():
            together.setdefault(name, set()).update(lines)
    return together


NOW = 864
"""Lines of code of the heart now. To become `LIMIT`: lower it, never raise it."""


def test_ordinary_training_runs_only_the_heart() -> None:
    """The other half of the core may stay shut: hooks, listeners, modes, views in place, forward mode, errors."""
    outside = {name: sorted(lines) for name, lines in everything().items() if name not in HEART and lines}
    assert not outside, f"training now runs lines of files that a reader may leave shut: {outside}"


def test_the_heart_does_not_grow() -> None:
    sizes = {name: len(code_lines(CORE / f"{name}.py")) for name in HEART}
    assert sum(sizes.values()) <= NOW, f"the heart has {sum(sizes.values())} lines of code, more than {NOW}: {sizes}"
    assert LIMIT <= NOW


def test_a_line_of_a_shut_file_is_found() -> None:
    """The test of the test: a hook makes training run `attended`, which is not of the heart."""
    x = mg.ones(2, requires_grad=True)
    x.register_hook(lambda grad: grad)
    run = lines_run(lambda: (x * x).sum().backward())
    assert run["attended"] and "attended" not in HEART


def minutes() -> int:
    """How long a reader needs for the heart: 10 lines of code and 200 words of prose a minute."""
    code = words = 0
    for name in HEART:
        path = CORE / f"{name}.py"
        lines = code_lines(path)
        code += len(lines)
        prose = [line for number, line in enumerate(path.read_text().splitlines(), 1) if number not in lines]
        words += len(" ".join(prose).split())
    return round(code / 10 + words / 200)


def test_the_readme_says_how_long_the_heart_is_and_takes() -> None:
    said = (CORE.parent / "README.md").read_text()
    size = sum(len(code_lines(CORE / f"{name}.py")) for name in HEART)
    assert f"{size:,} lines of code" in said, f"the heart has {size:,} lines of code, and README.md says another number"
    assert f"{minutes()} minutes" in said, f"reading it takes {minutes()} minutes, and README.md says another number"
    for name in HEART:
        assert f"(core/{name}.py)" in said, f"core/{name}.py is not on the reading path of README.md"
