"""The explorer and the lessons inside Jupyter, and so for every user of a JupyterHub.

The extra `jupyter` installs jupyter-server-proxy, which finds `setup` by its entry point and serves the explorer at
`minigrad/` of each user's server. Jupyter checks the user; only its proxy knows the explorer's token.
"""

from __future__ import annotations

from typing import Any

from minigrad.observe.publish.data_folder import TOKEN_VARIABLE
from minigrad_webui.security import new_token

STARTING = 120
"""Seconds in which the explorer must have started. A hub's computers are busy when a lesson begins."""


def setup() -> dict[str, Any]:
    """The settings with which jupyter-server-proxy starts and reaches the explorer.

    >>> setup()["launcher_entry"]["title"]
    'minigrad'
    """
    token = new_token()
    return {
        "command": ["minigrad", "serve", "--no-browser", "--port", "{port}"],
        "environment": {TOKEN_VARIABLE: token},
        "request_headers_override": {"Authorization": f"Bearer {token}"},
        "absolute_url": False,
        "timeout": STARTING,
        "launcher_entry": {"title": "minigrad", "path_info": "minigrad/lessons"},
    }
