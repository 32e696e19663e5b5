"""A small lesson for tests."""

from __future__ import annotations

from minigrad.classroom import Lesson, parse

HEADER = """\
# ---
# title: Twice
# goal: Double a number.
# minutes: 25
# seconds: 5
# explorer: Look.
# ---
"""

SMALL = (
    HEADER
    + """
# %% [markdown]
# # Twice
#
# **What is twice a number?**

# %%
from minigrad.classroom import expect

known = 21

# %% [markdown] tags=["predict"] id="guess" answer="42"
# How much is twice 21?
#
# ---
# It is **42**.

# %%
print(2 * known)  # 42


# %% tags=["exercise"] id="double"
def double(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="double"
# Add it to itself.

# %% [markdown] tags=["hint"] id="double"
# `x + x`

# %% tags=["check"] id="double"
expect(double, 3, gives=6)
expect(double, known, gives=42)

# %%
print(double(4))  # 8


# %% tags=["exercise"] id="quadruple"
def quadruple(x):
    ### BEGIN SOLUTION
    return double(double(x))
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="quadruple"
# Use `double` twice.

# %% tags=["check"] id="quadruple"
expect(quadruple, 3, gives=12)

# %% [markdown]
# ## Summary
#
# - Twice twice is four times.
#
# ## Two open questions
#
# 1. Thrice?
# 2. Half?
"""
)

DOUBLE = "def double(x):\n    return x + x\n"
QUADRUPLE = "def quadruple(x):\n    return 4 * x\n"
BLANK = "def double(x):\n    ...  # your code here\n"


def small() -> Lesson:
    return parse(SMALL)
