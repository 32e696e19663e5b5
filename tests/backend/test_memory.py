"""Settings of the process: memory that is kept, cycles looked for seldom, and neither against the user's word."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys
from collections.abc import Iterator

import pytest

from minigrad.backend.memory import SELDOM, collect_seldom, keep_memory


def test_the_user_may_say_no(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINIGRAD_KEEP_MEMORY", "0")
    assert not keep_memory()


def test_elsewhere_than_on_linux_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not keep_memory()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallopt's settings are glibc's")
def test_glibc_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MINIGRAD_KEEP_MEMORY", raising=False)
    assert keep_memory()


@pytest.fixture
def restored() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize("usual", [(700, 10, 10), (2000, 10, 0)])
def test_the_collector_looks_seldom_where_its_setting_is_pythons(
    usual: tuple[int, int, int], restored: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MINIGRAD_KEEP_MEMORY", raising=False)
    gc.set_threshold(*usual)
    assert collect_seldom()
    assert gc.get_threshold()[0] == SELDOM[0]


@pytest.mark.parametrize("chosen", [(0, 10, 10), (50_000, 20, 20)])
def test_a_setting_of_the_users_stays(
    chosen: tuple[int, int, int], restored: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MINIGRAD_KEEP_MEMORY", raising=False)
    gc.set_threshold(*chosen)
    before = gc.get_threshold()
    assert not collect_seldom()
    assert gc.get_threshold() == before


@pytest.mark.parametrize(("word", "changes"), [("0", False), ("1", True)])
def test_settings_change_at_the_first_recorded_op_and_only_where_they_may(word: str, changes: bool) -> None:
    program = "import gc; before = gc.get_threshold(); import minigrad as mg; "
    program += "imported = gc.get_threshold() != before; mg.ones(1, requires_grad=True) * mg.ones(1); "
    program += "print(imported, gc.get_threshold() != before)"
    done = subprocess.run(
        [sys.executable, "-c", program], env={"MINIGRAD_KEEP_MEMORY": word, "PYTHONPATH": ":".join(sys.path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["False", str(changes)]
