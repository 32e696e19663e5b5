"""Tests of watching PyTorch. All need it; where it is not installed they are left out."""
