"""The `.pyi` files of minigrad: generated from the live functions, so that editors and type checkers know every name.

Functions and methods are attached from tables when minigrad is imported; a type checker does not run that. So
``python -m tests.stubs`` runs it, reads the signatures and docstrings, and writes them down; with ``--check`` it only
compares. `annotations` says what the source leaves open: overloads, and types that the source calls Any.
"""
