"""The documentation at /docs: its pages, their scripts, and what it says where it is not built."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from minigrad_webui import documentation
from minigrad_webui.security import Guard, SecurityMiddleware


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.setattr(documentation, "SITE", folder)
    return folder


@pytest.fixture
def client() -> TestClient:
    app = FastAPI(docs_url=None)
    documentation.mount(app)
    app.add_middleware(SecurityMiddleware, guard=Guard("key"))
    return TestClient(app, base_url="http://localhost", headers={"Authorization": "Bearer key"})


def test_a_page_may_run_its_own_inline_scripts_and_no_others(client: TestClient, site: Path) -> None:
    (site / "index.html").write_text("<html><script>start()</script><script src='a.js'></script></html>")
    answer = client.get("/docs")
    assert "start()" in answer.text
    digest = base64.b64encode(hashlib.sha256(b"start()").digest()).decode()
    (scripts,) = [
        each for each in answer.headers["content-security-policy"].split("; ") if each.startswith("script-src")
    ]
    assert f"'sha256-{digest}'" in scripts
    assert "unsafe-inline" not in scripts
    assert scripts.count("sha256") == 1


def test_pages_outside_the_site_are_not_served(client: TestClient, site: Path, tmp_path: Path) -> None:
    (site / "index.html").write_text("start")
    (tmp_path / "secret.txt").write_text("secret")
    for path in ("/docs/..%2fsecret.txt", "/docs/nothing.html", "/docs/%2e%2e/secret.txt"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "secret" not in answer.text.replace("secret.txt", "")


def test_a_checkout_without_the_documentation_says_how_to_build_it(client: TestClient, site: Path) -> None:
    answer = client.get("/docs/")
    assert answer.status_code == 503
    assert "make docs" in answer.text
