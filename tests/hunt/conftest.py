"""The hunt runs only where it is asked for: ``pytest -m hunt``."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "hunt" not in config.option.markexpr:
        for each in items:
            if each.get_closest_marker("hunt"):
                each.add_marker(pytest.mark.skip(reason="the hunt takes minutes: ask for it with -m hunt"))
