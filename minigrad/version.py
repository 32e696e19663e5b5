"""The version, the same as in pyproject.toml."""

__version__ = "0.2.0"

debug = False
git_version = cuda = hip = rocm = xpu = None
"""The build facts of ``torch.version``; nothing is built here."""
