"""The build hook: whoever builds minigrad, from a checkout or an sdist, gets the explorer's front end built as well.

Set MINIGRAD_NO_FRONTEND=1 to leave it out; the server then says on its page how to build it.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def _frontend(root: str) -> ModuleType:
    """webui/build_frontend.py, which is no part of any package."""
    spec = importlib.util.spec_from_file_location("build_frontend", Path(root) / "webui" / "build_frontend.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class FrontendHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds webui/minigrad_webui/static before it is packed."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Ask for Node as a Python package only where a build is needed and no Node is installed."""
        frontend = _frontend(self.root)
        if self._left_out() or frontend.is_fresh() or frontend.node_on_path():
            return []
        return [frontend.NODE_PACKAGE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it collects files, for wheels, editable wheels and sdists."""
        if self.target_name == "wheel" and version == "standard" and (Path(self.root) / "lessons").is_dir():
            build_data["force_include"]["lessons"] = "minigrad/lessons"
        if not self._left_out():
            _frontend(self.root).build()

    @staticmethod
    def _left_out() -> bool:
        return os.environ.get("MINIGRAD_NO_FRONTEND", "") not in ("", "0")
