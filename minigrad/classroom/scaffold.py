"""The template of a new lesson: small, and valid by every rule. Its author replaces it piece by piece."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from .course import INDEX

TEMPLATE = """\
# ---
# title: {title}
# goal: Say in one sentence what one can do afterwards.
# minutes: 25
# seconds: 10
# explorer: Say what to look at: x has two edges to the Mul, because it is used twice.
# view: sel=n1
# ---

# %% [markdown]
# # {title}
#
# Begin with a question that a learner has. **How fast does the square of a number grow?**
#
# Drag `x`, and compare the two slopes.
#
# ```figure
# x = 1 from -2 to 3
# y = x * x
# show slope by trying = measured
# show slope by its rule, 2 * x = slope
# ```
#
# At the end of this lesson you can
#
# - say what the gradient of a square is.
#
# You need lesson 1.

# %%
import minigrad as mg
from minigrad.classroom import expect

# %% [markdown]
# ## Let them do or see something first
#
# The square of 3 is 9. The square of 3.001 is 9.006001.

# %% [markdown] tags=["predict"] id="growth" answer="6" within="0.1"
# We pushed by 0.001. How many times as far did the square move?
#
# ---
# It moved by 0.006001, which is **6** times as far, nearly.

# %%
print(f"{{(3.001**2 - 3.0**2) / 0.001:.3f}}")  # 6.001

# %% [markdown]
# ### Exercise: the slope of a square
#
# Write `slope_of_square(x)`: how fast $x^2$ moves with $x$.


# %% tags=["exercise"] id="slope-of-square"
def slope_of_square(x):
    ### BEGIN SOLUTION
    return 2.0 * x
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="slope-of-square"
# It was 6 at 3. Try 5 in the same way.

# %% [markdown] tags=["hint"] id="slope-of-square"
# It is twice the number: `2.0 * x`.

# %% tags=["check"] id="slope-of-square"
expect(slope_of_square, 3.0, gives=6.0)
expect(slope_of_square, 0.0, gives=0.0)
expect(slope_of_square, -1.5, gives=-3.0)

# %% [markdown]
# ## Watch minigrad do it
#
# Let the graph that you talk about be the last one of the file.

# %%
x = mg.tensor(3.0, requires_grad=True)
y = x * x
y.backward()
print(x.grad.item())  # 6.0

# %% [markdown]
# Say what to look at in the explorer, by the words that stand there: `x` has *two* edges to the **Mul**.
#
# ## Summary
#
# - The gradient of $x^2$ is $2x$.
#
# ## Two open questions
#
# 1. What is the gradient of $x^3$?
# 2. Where does a square not grow at all?
"""

MISTAKES = """\
# ---
# lesson: {title}
# ---

# %% tags=["wrong"] id="slope-of-square"
# That is the square itself. How fast does it move when `x` moves?
def slope_of_square(x):
    return x * x


# %% tags=["wrong"] id="slope-of-square"
# The slope is not the same everywhere: it was 6 at 3, and is 0 at 0.
def slope_of_square(x):
    return 6.0


# %% tags=["wrong"] id="slope-of-square"
# Left of 0 the square falls when `x` grows: there the slope is negative.
def slope_of_square(x):
    return 2.0 * abs(x)


# %% tags=["wrong"] id="slope-of-square"
# That is half of it. Both factors of `x * x` move.
def slope_of_square(x):
    return x
"""


def scaffold_mistakes(title: str) -> str:
    """The text of a new lesson's wrong answers, for a file of the same name in the folder `mistakes`."""
    return MISTAKES.format(title=" ".join(title.split()))


def scaffold(title: str) -> str:
    """The text of a new lesson of that title."""
    return TEMPLATE.format(title=" ".join(title.split()))


def file_name(title: str, folder: Path) -> str:
    """The new lesson's file name; in a course's folder it gets the next number.

    >>> file_name("Slopes of slopes!", Path("nowhere"))
    'slopes-of-slopes.py'
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if not (folder / INDEX).is_file():
        return f"{slug}.py"
    numbers = [int(found.group()) for path in folder.glob("*.py") if (found := re.match(r"\d+", path.name))]
    return f"{max(numbers, default=0) + 1:02}-{slug}.py"
