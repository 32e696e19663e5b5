"""The version, the same as in pyproject.toml."""

__version__ = "0.2.0"

debug = False
git_version = cuda = hip = rocm = xpu = None
"""What ``torch.version`` says of how it was built; nothing is built here."""
