"""The version, the same as in pyproject.toml."""

__version__ = "0.2.0"

debug = False
git_version = cuda = hip = rocm = xpu = None
"""Build information, as in ``torch.version``: minigrad has none."""
