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

import pytest

import minigrad as mg
from minigrad import nn
from minigrad.core import dispatch
from minigrad.ops.elementwise.arithmetic import Mul
from minigrad.ops.elementwise.exponential import Exp

CORE = Path(mg.__file__).parent / "core"


HEART = ("op", "tensor", "graph", "engine", "accumulate", "saving", "dispatch", "state")
"""The files that a reader reads, in `minigrad/core`."""

BESIDE = ("view", "size")
"""What also runs where a program takes views, as a transformer does, or a part of a shape."""

BELOW = ("declared", "plan")
"""What the heart stands on: declarations and plans are worked out once for each op, before training."""

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


def test_ordinary_training_runs_only_the_heart() -> None:
    """The other half of the core may stay shut: hooks, listeners, modes, views in place, forward mode, errors."""
    outside = {name: sorted(lines) for name, lines in everything().items() if name not in (*HEART, *BESIDE) and lines}
    assert not outside, f"training now runs lines of files that a reader may leave shut: {outside}"


def test_the_heart_does_not_grow() -> None:
    sizes = {name: len(code_lines(CORE / f"{name}.py")) for name in HEART}
    assert sum(sizes.values()) <= LIMIT, f"the heart has {sum(sizes.values())} lines of code: {sizes}"


def test_a_line_of_a_shut_file_is_found() -> None:
    """The test of the test: a hook makes training run `attended`, which is not of the heart."""
    x = mg.ones(2, requires_grad=True)
    x.register_hook(lambda grad: grad)
    run = lines_run(lambda: (x * x).sum().backward())
    assert run["attended"] and "attended" not in HEART


def own_lines(path: Path) -> set[int]:
    """The lines of code inside functions, but those that only raise or hand over to a shut file, or are annotations."""
    tree, code = ast.parse(path.read_text()), code_lines(path)
    inside: set[int] = set()
    for function in [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]:
        for statement in function.body:
            inside.update(range(statement.lineno, (statement.end_lineno or 0) + 1))
    handed: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.For, ast.ExceptHandler, ast.FunctionDef)):
            for block in (node.body, getattr(node, "orelse", [])):
                first = block[0] if block else None
                if isinstance(first, (ast.Raise, ast.ImportFrom)) or (first is not None and hands_over(first)):
                    handed.update(range(block[0].lineno, (block[-1].end_lineno or 0) + 1))
    return (inside & code) - handed


def hands_over(statement: ast.stmt) -> bool:
    """Whether a statement does nothing but call a method that a shut file, or `declared`, gives to its class."""
    value = getattr(statement, "value", None)
    if not isinstance(statement, (ast.Expr, ast.Return, ast.Assign)) or not isinstance(value, ast.Call):
        return False
    return isinstance(value.func, ast.Attribute) and value.func.attr in attached()


def attached() -> set[str]:
    """The names of all methods that stand outside of the heart's files."""
    names: set[str] = set()
    for path in CORE.glob("*.py"):
        if path.stem not in HEART:
            names |= {each.name for each in ast.walk(ast.parse(path.read_text())) if isinstance(each, ast.FunctionDef)}
    return names


def test_nearly_every_line_of_the_heart_runs() -> None:
    """What runs rarely stands elsewhere."""
    ran = everything()
    made = lines_run(lambda: (dispatch.unary(Exp), dispatch.binary(Mul)))
    lines = {name: own_lines(CORE / f"{name}.py") for name in HEART}
    left = {name: sorted(lines[name] - ran.get(name, set()) - made.get(name, set())) for name in HEART}
    share = 1 - sum(map(len, left.values())) / sum(map(len, lines.values()))
    assert share >= 0.85, f"only {share:.0%} of the lines in functions of the heart run in training; not: {left}"


@pytest.mark.parametrize("name", HEART)
def test_the_heart_imports_no_shut_file(name: str) -> None:
    tree = ast.parse((CORE / f"{name}.py").read_text())
    imports = [each for each in tree.body if isinstance(each, ast.ImportFrom) and each.level == 1]
    named = {each.module.split(".")[0] for each in imports if each.module}
    named |= {alias.name for each in imports if not each.module for alias in each.names}
    assert named <= {*HEART, *BESIDE, *BELOW}


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
