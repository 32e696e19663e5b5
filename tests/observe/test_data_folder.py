"""The folder of the token, and of what the server says: nobody else's to read, nor to plant."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest

from minigrad.observe.publish.data_folder import data_dir
from minigrad.observe.publish.server_process import _owners_file

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no owners and modes")


@pytest.fixture
def fallback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder among the temporary files that is used where the home cannot be written to."""
    monkeypatch.delenv("MINIGRAD_DATA_DIR", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", "/dev/null/nowhere")
    monkeypatch.setattr("minigrad.observe.publish.data_folder._custom", lambda: Path("/dev/null/nowhere"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"minigrad-{os.getuid()}"


def test_it_is_made_for_its_owner_alone(fallback: Path) -> None:
    assert data_dir() == fallback
    assert stat.S_IMODE(fallback.stat().st_mode) == 0o700
    assert data_dir() == fallback, "the second time it is there already"


def test_a_folder_that_others_can_open_is_refused(fallback: Path) -> None:
    fallback.mkdir()
    fallback.chmod(0o755)
    with pytest.raises(PermissionError, match=r"not a folder that only you can open.*MINIGRAD_DATA_DIR"):
        data_dir()


def test_a_link_to_another_folder_is_refused(fallback: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir(mode=0o700)
    fallback.symlink_to(target)
    with pytest.raises(PermissionError, match="not a folder"):
        data_dir()


def test_a_folder_of_somebody_else_is_refused(fallback: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fallback.mkdir(mode=0o700)
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    fallback.rename(fallback.with_name(f"minigrad-{mine + 1}"))
    with pytest.raises(PermissionError, match="not a folder that only you can open"):
        data_dir()


def test_the_servers_log_is_its_owners_even_where_an_open_one_was_there(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_text("before")
    log.chmod(0o666)
    with _owners_file(log) as file:
        file.write(b"after")
    assert (log.read_text(), stat.S_IMODE(log.stat().st_mode)) == ("after", 0o600)
