"""The command line. `minigrad` and `python -m minigrad` call `main`; each command is a file in this folder."""

from __future__ import annotations

import errno
from collections.abc import Sequence

from .console import Problem, fail, forgiving

MISUSED = 2
"""The exit status of a usage error."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status. A usage error is one line on stderr and status 2, no traceback."""
    import sys

    forgiving()
    try:
        from .app import app
    except ModuleNotFoundError as error:
        if (error.name or "minigrad").startswith("minigrad"):
            raise
        missing = f"the command line needs the package {error.name}"  # our coloured messages may need it too
        print(f"minigrad: {missing}. Try: pip install minigrad-live", file=sys.stderr)
        return MISUSED
    arguments = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        status = app(args=arguments, prog_name="minigrad", standalone_mode=False)
    except Problem as problem:
        fail(str(problem))
        return MISUSED
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return _unread()
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        fail(f"{error.strerror}: {str(error.filename)[:60]!r}...")
        return MISUSED
    except Exception as error:
        if not hasattr(error, "format_message"):
            return _aborted(error)
        fail(_usage(error))
        return MISUSED
    return status if isinstance(status, int) else 0


def _usage(error: Exception) -> str:
    """The message of a usage error: the words on the command line are wrong."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "minigrad"
    message = str(error.format_message()).rstrip(".")  # type: ignore[attr-defined]
    return f"{message}. Try: {path} --help"


def _aborted(error: Exception) -> int:
    """The exit status after Ctrl-C, which typer may turn into Abort. Any other error is a bug, and is raised again."""
    if type(error).__name__ == "Abort":
        return 130
    raise error


def _unread() -> int:
    """The exit status when the reader of a pipe has gone (`minigrad ops | head`).

    That is no error, but output must stop.
    """
    import os
    import sys

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
