"""Asking the C library to keep memory: where it can be, and never against the user's word."""

from __future__ import annotations

import platform
import sys

import pytest

from minigrad.backend.memory import keep_memory


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
