"""What the documents say is so: links lead somewhere, named tests exist, examples in docstrings run."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
from pathlib import Path

import pytest

from minigrad.events import LISTENERS

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not {"node_modules", ".venv", ".pytest_cache"} & set(path.parts)
    and path.name != "CHANGELOG.md"
    and not path.is_relative_to(ROOT / "webui" / "docs")  # these link to generated pages: `make docs` checks them
)
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "minigrad").rglob("*.py")
    if ">>>" in path.read_text()
)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for target in LINK.findall(document.read_text()):
        if "://" not in target:
            assert (document.parent / target).exists(), f"{document.name} links to {target}, which is not there"


def names_of_tests(path: Path) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)}


def rows() -> list[tuple[str, str]]:
    table = (ROOT / "minigrad" / "autograd" / "README.md").read_text()
    return [(line.split("|")[1].strip(), line) for line in table.splitlines() if re.match(r"\| (B?\d+|Text) \|", line)]


def test_every_row_of_the_autograd_is_there() -> None:
    assert [name for name, _ in rows()] == [*map(str, range(1, 100)), *(f"B{i}" for i in range(1, 12)), "Text"]


@pytest.mark.parametrize(("name", "line"), rows(), ids=[name for name, _ in rows()])
def test_the_tests_of_a_row_exist(name: str, line: str) -> None:
    for part in line.split(";"):
        for target in LINK.findall(part):
            known = names_of_tests((ROOT / "minigrad" / "autograd" / target).resolve())
            missing = set(re.findall(r"`(test_\w+)`", part)) - known
            assert not missing, f"row {name} names {missing}, which {target} has not"


SECURITY = [line for line in (ROOT / "SECURITY.md").read_text().splitlines() if re.match(r"\| .*`tests/", line)]


@pytest.mark.parametrize("line", SECURITY, ids=lambda line: line.split("|")[1].strip())
def test_the_tests_that_the_security_table_names_exist(line: str) -> None:
    (file,) = re.findall(r"`(tests/\S+\.py)`", line)
    named = set(re.findall(r"`(test_\w+)`", line))
    assert named
    assert named <= names_of_tests(ROOT / file)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name: str) -> None:
    if name.startswith("minigrad.observe.torch"):
        pytest.importorskip("torch", reason="PyTorch is not installed, which this module watches")
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.attempted and not outcome.failed
    assert not LISTENERS, "the example leaves somebody listening"
