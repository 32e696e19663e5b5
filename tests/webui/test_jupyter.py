"""The explorer inside Jupyter: what jupyter-server-proxy is told, and a hub with two users."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import httpx
import pytest

from minigrad.observe.publish.data_folder import TOKEN_VARIABLE
from minigrad_webui.jupyter import setup
from tests.webui.conftest import free_port

ROOT = Path(__file__).parents[2]
HUB = all(importlib.util.find_spec(name) for name in ("jupyterhub", "jupyter_server_proxy")) and shutil.which(
    "configurable-http-proxy"
)

CONFIGURATION = """
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_port = {hub}
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = "lesson"
c.Authenticator.allowed_users = {{"ada", "bob"}}
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = "{folder}/{{username}}"
c.Spawner.args = ["--allow-root"]
c.Spawner.start_timeout = c.Spawner.http_timeout = 300
c.Spawner.environment = {{"PYTHONPATH": {path!r}}}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api}"
"""


def test_each_server_has_a_key_of_its_own_that_stands_in_no_argument() -> None:
    told, other = setup(), setup()
    token = told["environment"][TOKEN_VARIABLE]
    assert told["request_headers_override"] == {"Authorization": f"Bearer {token}"}
    assert token not in " ".join(told["command"])
    assert token != other["environment"][TOKEN_VARIABLE]


def test_the_package_names_the_entry_point() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    assert '[project.entry-points.jupyter_serverproxy_servers]\nminigrad = "minigrad_webui.jupyter:setup"' in text
    found = entry_points(group="jupyter_serverproxy_servers")
    assert all(each.load() is setup for each in found if each.name == "minigrad")


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[str]:
    """A JupyterHub on this machine; its address."""
    port, inner, api = free_port(), free_port(), free_port()
    path = os.pathsep.join(filter(None, sys.path))
    file = tmp_path / "jupyterhub_config.py"
    file.write_text(CONFIGURATION.format(port=port, hub=inner, api=api, folder=tmp_path, path=path))
    command = [sys.executable, "-m", "jupyterhub", "-f", str(file)]
    process = subprocess.Popen(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path})
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait(60)


@pytest.mark.slow
@pytest.mark.skipif(not HUB, reason="needs jupyterhub, jupyter-server-proxy and configurable-http-proxy")
def test_two_users_of_a_hub_have_their_own_explorer_and_not_the_others(hub: str) -> None:
    users = {name: _logged_in(hub, name) for name in ("ada", "bob")}
    for name, client in users.items():
        answer = _patiently(client, f"/user/{name}/minigrad/api/health")
        assert "minigrad" in answer.json()
        lessons = _patiently(client, f"/user/{name}/minigrad/api/lessons").json()["lessons"]
        assert len(lessons) == 16
    assert users["bob"].get("/user/ada/minigrad/api/lessons").status_code in (403, 404)


def _logged_in(hub: str, name: str) -> httpx.Client:
    client = httpx.Client(base_url=hub, timeout=300, follow_redirects=True, trust_env=False)
    page = _patiently(client, "/hub/login")
    assert page.status_code == 200
    form = {"username": name, "password": "lesson", "_xsrf": client.cookies.get("_xsrf", path="/hub/") or ""}
    assert client.post("/hub/login?next=/hub/spawn", data=form).status_code == 200
    return client


def _patiently(client: httpx.Client, path: str) -> httpx.Response:
    """The answer, once whoever gives it has started."""
    deadline = time.monotonic() + 300
    while True:
        try:
            answer = client.get(path)
            if answer.status_code == 200 and "spawn-pending" not in str(answer.url):
                return answer
        except httpx.TransportError:
            pass
        assert time.monotonic() < deadline, f"{path} did not answer"
        time.sleep(0.5)
