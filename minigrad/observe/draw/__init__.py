"""Pictures of a graph: Graphviz (SVG, PNG, PDF), Mermaid, and a tree of text that needs no other program."""

from __future__ import annotations

from .drawing import FORMATS, Drawing, GraphvizMissingError, draw

__all__ = ["FORMATS", "Drawing", "GraphvizMissingError", "draw"]
