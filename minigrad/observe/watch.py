"""`mg.watch()`: show this program, live, in the explorer.

    mg.watch()                          from here on, until the program ends
    with mg.watch("my experiment"):     this part only

The explorer is a server of its own, found or started in the background; it stays when the program ends, so that the run
can still be explored. MINIGRAD_URL and MINIGRAD_TOKEN name another one to publish to.
"""

from __future__ import annotations

import atexit
import contextlib
import html
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable
from time import monotonic, sleep
from types import ModuleType
from typing import Any
from urllib.parse import quote

from ..errors import MissingPackageError
from .debug import current_debugger, debug
from .debug.breakpoints import Breakpoint
from .debug.debugger import Debugger
from .draw.notebook import frame
from .framework import MINIGRAD, Framework, framework_of_module
from .record.recorder import ACTIVE, Recorder
from .record.sampling import Mode

_now: list[Watching] = []
"""The watching that is active, if any."""


class Watching:
    """A run that is being watched. Stops when the program ends, at the end of its ``with`` block, or by `stop`."""

    def __init__(self, recorder: Recorder, address: str | None, owner: bool = True) -> None:
        self.recorder = recorder
        self.address = address
        """The address of the run's page; None if the run is only recorded to a file, or another program shows it."""
        self._owner = owner
        self._debugger: Debugger | None = None
        self._hook: Callable[..., Any] | None = None

    def begin(self, breakpoints: Iterable[Breakpoint] = (), publisher: Any = None) -> None:
        """Record from now on, pause at `breakpoints`, and note how the program ends."""
        self.recorder.start()
        self._debugger = debug(self.recorder, breakpoints)
        if publisher is not None:
            self._debugger.connect(publisher)
        _now.append(self)
        atexit.register(self.stop)
        self._hook, sys.excepthook = sys.excepthook, self._failed

    def stop(self, error: BaseException | None = None) -> None:
        """End the run and deliver all its records. Does nothing a second time, or if another part owns the recorder."""
        if not self._owner or self not in _now:
            return
        _now.remove(self)
        atexit.unregister(self.stop)
        if sys.excepthook == self._failed and self._hook is not None:
            sys.excepthook = self._hook
        if self._debugger is not None:
            self._debugger.close()
        self.recorder.stop(error)

    def _failed(self, kind: type[BaseException], error: BaseException, trace: Any) -> None:
        """End the run with the error that ends the program."""
        before = self._hook
        self.stop(error)
        (before or sys.__excepthook__)(kind, error, trace)

    def __enter__(self) -> Watching:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self.stop(error)

    def __repr__(self) -> str:
        at = f" at {re.sub('[?]token=[^#]*', '', self.address)}" if self.address else ""
        return f"<watching {self.recorder.name!r}{at}>"

    def _repr_html_(self) -> str:
        if not self.address:
            return html.escape(repr(self))
        from .publish.server_process import for_one_page

        return frame(for_one_page(self.address), self.recorder.id)


def watch(
    name: str | ModuleType | None = None,
    *,
    record: str | os.PathLike[str] | None = None,
    values: Mode = "auto",
    browser: bool | None = None,
    url: str | None = None,
    token: str | None = None,
    breakpoints: Iterable[str | Breakpoint] = (),
    framework: Framework = MINIGRAD,
) -> Watching:
    """Record this program from now on, and show it live in the explorer.

    `name` is what the run is called, the script's name by default. `record` names a trace file to write besides.
    `values` says in which steps values are recorded: "auto", "all" or "none". `browser` opens a browser (by default if
    there is one, but not in a notebook, which shows the explorer itself). `url` and `token` name a server to publish to
    instead of the one on this machine. If no explorer can be started, the program goes on, with a warning. The program
    stops at `breakpoints`, such as ``["op=MatMul,backward", "nan"]``; see `minigrad.observe.breakpoint`.

    ``watch(torch)`` watches PyTorch's tensors in place of minigrad's; see `minigrad.observe.torch`.

    If the program is watched already, by ``minigrad run`` or an earlier call, returns that watching.
    """
    if isinstance(name, ModuleType):
        framework, name = framework_of_module(name), None
    wanted = [Breakpoint.of(each) for each in breakpoints]
    if _now or ACTIVE:
        for each in wanted:
            current_debugger().add(each)
        if framework is not MINIGRAD:
            ACTIVE[-1].turn_to(framework)
        return _now[-1] if _now else Watching(ACTIVE[-1], None, owner=False)
    publisher, page = _publisher(url, token)
    sinks = [sink for sink in (publisher, record) if sink is not None]
    recorder = Recorder(*sinks, name=name, values=values, framework=framework)
    if not sinks:
        for each in wanted:
            current_debugger().add(each)
        return Watching(recorder, None, owner=False)
    watching = Watching(recorder, None if page is None else f"{page}#run={quote(recorder.id)}")
    watching.begin(wanted, publisher)
    if watching.address is not None:
        _show(watching, browser)
    return watching


def _publisher(url: str | None, token: str | None) -> tuple[Any, str | None]:
    """The publisher that sends records to the explorer, and the explorer's address; both None without an explorer."""
    from minigrad.observe.publish.data_folder import TOKEN_VARIABLE, URL_VARIABLE

    try:
        from minigrad.observe.publish.publisher import Publisher
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            f"watch() sends the run to the explorer with the package {error.name}: pip install {error.name}. "
            "observe.record.recorder.Recorder writes a trace file without it."
        ) from error
    from minigrad.observe.publish.server_process import start_in_background

    url, token = url or os.environ.get(URL_VARIABLE), token or os.environ.get(TOKEN_VARIABLE)
    if url is not None:
        return Publisher(url, token), f"{url.rstrip('/')}/" + (f"?token={quote(token)}" if token else "")
    try:
        note = start_in_background()
    except (OSError, RuntimeError) as error:
        message = f"The explorer did not start, so this run is not shown: {error} `minigrad doctor` knows more."
        warnings.warn(message, RuntimeWarning, stacklevel=3)
        return None, None
    return Publisher(note.url, note.token), note.page


def _show(watching: Watching, browser: bool | None) -> None:
    """Print the address, and open it in a browser or show it in the notebook."""
    assert watching.address is not None
    if _in_notebook():
        from IPython import display as notebook

        shown: Any = notebook
        shown.display(shown.HTML(watching._repr_html_()))
        return
    opened = False
    if browser or (browser is None and has_browser()):
        import webbrowser

        from .publish.server_process import for_one_page

        _wait_for(watching)
        opened = webbrowser.open(for_one_page(watching.address))
    print(f"minigrad: {'watch it in the browser:' if opened else 'watch it at'} {watching.address}", file=sys.stderr)


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def has_browser() -> bool:
    """Whether there is a browser that opens outside this terminal. Tests and servers have none."""
    if sys.platform in ("darwin", "win32") or os.environ.get("BROWSER"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"))


def _wait_for(watching: Watching, patience: float = 2.0) -> None:
    """Wait until the explorer knows the run, so that its page exists."""
    import urllib.request

    page, _, _ = (watching.address or "").partition("#")
    base, _, query = page.partition("?token=")
    request = urllib.request.Request(f"{base.rstrip('/')}/api/runs/{quote(watching.recorder.id)}")
    request.add_header("Authorization", f"Bearer {query}")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = monotonic() + patience
    while monotonic() < deadline:
        with contextlib.suppress(OSError):
            opener.open(request, timeout=1).close()
            return
        sleep(0.05)


def record(path: str | os.PathLike[str], *, name: str | None = None, values: Mode = "auto") -> Recorder:
    """Record to a file, without any server: ``with mg.observe.record("run.jsonl.gz"):``.

    The file is JSON Lines, compressed where its name ends in ``.gz``. Read it with `mg.observe.read`, draw a step of it
    with `mg.observe.draw`, open it in the explorer with ``minigrad replay``.

    >>> import minigrad as mg, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "run.jsonl")
    >>> with mg.observe.record(path):
    ...     x = mg.tensor(3.0, requires_grad=True)
    ...     (x * x).backward()
    >>> print(mg.observe.draw(path).picture.boxes["n1"].title)
    Mul
    """
    return Recorder(path, name=name, values=values)


def log(name: str, value: Any) -> None:
    """Report a number, such as accuracy: one point of a curve in the explorer. Does nothing without a recording."""
    for recorder in tuple(ACTIVE):
        recorder.log(name, value)


def look(steps: int = 1) -> None:
    """Begin a step of the recording here, and record it and those that follow, `steps` in all, whole and with values.

    Of a fast program only some steps are recorded. Call this before something that a person should see
    whole, such as the last graph of a lesson. Does nothing without a recording.

    >>> import minigrad as mg
    >>> mg.observe.look()
    """
    for recorder in tuple(ACTIVE):
        recorder.look(steps)
