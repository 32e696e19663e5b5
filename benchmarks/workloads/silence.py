"""Measure the cost of events without a listener: the same work with a minigrad without events in its source.

`Silent` is an import hook for minigrad's modules. Before a module is compiled, every test of LISTENERS becomes False,
and the code that would then never run is removed.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import CodeType, ModuleType
from typing import Any

from ..row import Maker, Row
from . import chain, gpt, mlp


class CutOut(ast.NodeTransformer):
    """Removes ``if LISTENERS: ...``; of ``LISTENERS or x`` only x is left, and so on."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "LISTENERS" and isinstance(node.ctx, ast.Load):
            return ast.copy_location(ast.Constant(False), node)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) and _is(node.operand, False):
            return ast.copy_location(ast.Constant(True), node)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.And):
            silent = any(_is(value, False) for value in node.values)
            left: list[ast.expr] = (
                [ast.Constant(False)] if silent else [value for value in node.values if not _is(value, True)]
            )
        else:
            left = [value for value in node.values if not _is(value, False)]
        node.values = left or node.values[:1]
        return ast.copy_location(node.values[0], node) if len(node.values) == 1 else node

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        if _is(node.test, False):
            return node.orelse or ast.copy_location(ast.Pass(), node)
        return node


def _is(node: ast.AST, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


class Silent(importlib.abc.MetaPathFinder):
    """Finds minigrad's modules as usual, and loads them without their events."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The method that Python calls on a finder."""
        if not fullname.startswith("minigrad"):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = SilentLoader(spec.loader.name, spec.loader.path)
        return spec


class SilentLoader(importlib.machinery.SourceFileLoader):
    """Compiles a module without its events."""

    def get_code(self, fullname: str) -> CodeType:
        """The module's code, always from its source."""
        tree = CutOut().visit(ast.parse(self.get_data(self.path)))
        return compile(ast.fix_missing_locations(tree), self.path, "exec")


def without_events(make: Maker) -> Maker:
    """The same side, on a minigrad without events."""

    def silent() -> Any:
        assert "minigrad" not in sys.modules
        sys.meta_path.insert(0, Silent())
        return make()

    return silent


def _row(name: str, row: Row) -> Row:
    ours = row.sides["minigrad"]
    return Row(
        f"silence-{name}",
        f"{name}, events compiled in but nobody listening, against events cut out of the source",
        {"minigrad": ours, "no events": without_events(ours)},
        {"no events": 1.02},
    )


ROWS = [_row(row.name, row) for row in (chain.ROWS[0], mlp.ROWS[0], gpt.ROWS[0])]
