"""Tests of watching PyTorch. All need it; where it is not installed they are left out."""

import os

os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # before PyTorch 2.10 its compiler leaves processes behind
