# ---
# title: Gradients add up
# goal: Walk back through any graph in the right order, however often a value is used and however deep the graph is.
# minutes: 45
# seconds: 15
# explorer: Two edges lead from a to the first Add; while backward runs, the box in the corner counts who still waits.
# view: sel=n1
# ---

# %% [markdown]
# # Gradients add up
#
# In lesson 1 every value was used once, and the program was a chain. Real programs are not chains. **A value
# is used twice: which of the two gradients is its own? And in what order must I walk back, so that none is
# forgotten?**
#
# Here `a` reaches `y` in two ways. Drag it: the two slopes add up, wherever you are.
#
# ```figure
# a = 1.5 from -1 to 3
# b = a + 1
# y = a * b
# show straight, a in a * b = y_to_a
# show by way of b = b_to_a
# show together, the slope = slope
# ```
#
# At the end of this lesson you can
#
# - say what happens to the gradient of a value that is used more than once,
# - explain why the engine of every autograd needs a *topological order*, and what goes wrong without one,
# - write that engine yourself, in about twenty-five lines, for a graph that is 20,000 ops deep.
#
# You need lesson 1: slopes along a chain multiply, and a gradient says how fast the final result moves.

# %%
import time

import minigrad as mg
from minigrad.classroom import Wanted, expect

# %% [markdown]
# ## A value that is used twice
#
# Take $y = x \cdot x$ at `x = 3`. Move `x` by 0.001. Both factors move, because both *are* `x`. Each of them
# moves the product by about 3 · 0.001. So the product moves by about 6 · 0.001, and the slope is 6.

# %%
print(f"{(3.001 * 3.001 - 2.999 * 2.999) / 0.002:.4f}")  # 6.0000

# %% [markdown]
# The rule of multiplication hands back *two* gradients, 3 for the first factor and 3 for the second. Neither
# is the answer alone. **Where a value is used more than once, its gradients add up.**
#
# Think of the two uses as two ways by which a push at `x` reaches the result. The result feels what comes
# along the one way, *and* what comes along the other.
#
# ### Exercise: two ways
#
# In $y = w \cdot x - x$ the number `x` reaches `y` in two ways: through the product, and directly. Write
# `two_ways(w, x, grad)`. It returns the gradients of `w` and `x`, when `grad` has arrived at `y`.


# %% tags=["exercise"] id="two-ways" plays="p = w * x; y = p - x; y.grad = grad; gives w.grad, x.grad"
def two_ways(w, x, grad):
    ### BEGIN SOLUTION
    grad_product = grad
    grad_w = grad_product * x
    through_the_product = grad_product * w
    directly = -grad
    return grad_w, through_the_product + directly
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="two-ways"
# A difference `p - q` hands `grad` to `p` and `-grad` to `q`: when `q` grows, the difference falls.

# %% [markdown] tags=["hint"] id="two-ways"
# Along the first way, `x` gets `grad * w`, by the rule of multiplication. Along the second it gets `-grad`.
# Add the two.

# %% tags=["check"] id="two-ways"
import random

w, x, grad = random.uniform(2.0, 3.0), random.uniform(-5.0, -4.0), random.uniform(0.3, 0.8)
expect(two_ways, 4.0, 5.0, 1.0, gives=(5.0, 3.0))
expect(two_ways, w, x, grad, gives=(grad * x, grad * w - grad))
expect(two_ways, 1.0, 5.0, 2.0, gives=(10.0, 0.0))

# %% [markdown]
# ## A tiny autograd
#
# To walk back, we need to know who was made from whom. So each value remembers its *parents*: the values it
# was made from, each with the slope along that step. Here is all we need:


# %%
class Value:
    """A number that knows what it was made from."""

    def __init__(self, data, parents=(), name="value"):
        self.data = data
        self.parents = parents  # pairs: (a Value, the slope along the step from it to here)
        self.name = name
        self.grad = 0.0

    def __add__(self, other):
        return Value(self.data + other.data, ((self, 1.0), (other, 1.0)), "sum")

    def __mul__(self, other):
        return Value(self.data * other.data, ((self, other.data), (other, self.data)), "product")

    def __repr__(self):
        return self.name


def double_twice():
    """b = a + a, c = b + b: the smallest graph in which the order matters."""
    a = Value(3.0, name="a")
    b = a + a
    b.name = "b"
    c = b + b
    c.name = "c"
    return a, b, c


a, b, c = double_twice()
print(c.data)  # 12.0
print(c.parents)  # ((b, 1.0), (b, 1.0))

# %% [markdown]
# `c` is four times `a`, so the gradient of `a` must be 4. Notice that `b` is *twice* among the parents of
# `c`. It was used twice in the same op, and both uses count.
#
# ## The hasty way, and why it is wrong
#
# The first idea of nearly everybody: start at the end. Add to each parent's gradient, then go on from that
# parent.


# %%
def hasty(value):
    """Hand the gradient on to each parent, and go on from there at once. Wrong!"""
    for parent, slope in value.parents:
        parent.grad += value.grad * slope
        hasty(parent)


# %% [markdown] tags=["predict"] id="hasty" answer="6" plays="a = 3; b = a + a; c = b + b; asks a.grad"
# `b = a + a` and `c = b + b`. The gradient of `a` should be 4. Be the computer, line by line: what does `hasty`
# make of it?
#
# ---
# **6**. Two too many.

# %%
a, b, c = double_twice()
c.grad = 1.0
hasty(c)
print(a.grad)  # 6.0

# %% [markdown]
# It says 6 and not 4. Follow it with a pencil:
#
# 1. `c` gives 1 to `b`. Now `b.grad` is 1.
# 2. It goes on *at once*: `b` gives 1 to `a`, and 1 again. Now `a.grad` is 2.
# 3. Back at `c`, the second use: `c` gives another 1 to `b`. Now `b.grad` is 2, which is right.
# 4. It goes on from `b` again, and gives 2 to `a`, twice. Now `a.grad` is 2 + 4 = 6.
#
# The mistake is in step 2. `b` spoke **before it had heard everything**. Later it spoke again, and repeated
# what it had already said.
#
# ## The patient way, and why it is slow
#
# One could mend that: carry along only the *new* part. Then every path from the end to `a` is walked on its
# own.


# %%
def every_path(value, grad):
    """Walk each path on its own; the number of calls."""
    value.grad += grad
    return 1 + sum(every_path(parent, grad * slope) for parent, slope in value.parents)


a, b, c = double_twice()
print(every_path(c, 1.0), "calls")  # 7 calls
print(a.grad)  # 4.0


# %%
def tower(height):
    """A value doubled `height` times: the bottom and the top."""
    bottom = top = Value(1.0)
    for _ in range(height):
        top = top + top
    return bottom, top


# %% [markdown] tags=["predict"] id="calls" answer="2047"
# 2 ops took 7 calls, and one op takes 3. Each call makes two more, one for each parent, until it reaches the
# bottom. How many calls do 10 ops take?
#
# ---
# **2,047**. Below the first call there are 2, then 4, then 8, and so on: 1 + 2 + 4 + ... + 1,024. Each further
# op adds a last row twice as long.

# %%
for height in (2, 5, 10, 15):
    bottom, top = tower(height)
    calls = every_path(top, 1.0)
    print(f"{height:2} ops   {calls:6,} calls   gradient {bottom.grad:,.0f}")

# %% [markdown]
# The gradients are right now. But each further op doubles the work: 15 ops need 65,535 calls. At 60 ops it
# would be more than two million million million. A deep net has thousands of ops.
#
# ## The right order
#
# The first way was wrong because a value spoke too early. The second is slow because a value speaks once for
# each path. So we want both:
#
# > Each value speaks **once**, and only **after all who used it** have spoken.
#
# An order of the values that keeps this promise is called a *topological order*. There is one for every
# program, because nothing can be made from a value that does not exist yet.
#
# How do we find it? Count. For each value, count how often it is used. Start with the end, which nobody uses.
# Whenever a value has spoken, each of its parents waits for one use fewer. When a parent waits for none, it
# is ready.
#
# One more thing. Python allows a function to call itself about a thousand times deep. A loss that was summed
# up over 20,000 steps makes a graph that is 20,000 deep:

# %%
bottom = top = Value(1.0)
one = Value(1.0, name="one")
for _ in range(20_000):
    top = top + one
try:
    every_path(top, 1.0)
except RecursionError as error:
    print(type(error).__name__)  # RecursionError

# %% [markdown]
# So no function may call itself. Use a loop, and a list of what is still to be done.
#
# ### Exercise: count the uses
#
# Write `uses(root)`. It returns a dictionary: for each value that `root` was made from, how often it is used
# on the way to `root`. `root` itself is in it too, with 0. If the same value is both parents of an op, that
# counts as two.


# %% tags=["exercise"] id="uses"
def uses(root):
    counts = {root: 0}
    to_visit = [root]
    ### BEGIN SOLUTION
    while to_visit:
        value = to_visit.pop()
        for parent, _ in value.parents:
            if parent not in counts:
                counts[parent] = 0
                to_visit.append(parent)
            counts[parent] += 1
    return counts
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="uses"
# `while to_visit:` take a value from the list with `to_visit.pop()`, and look at each of its parents.

# %% [markdown] tags=["hint"] id="uses"
# Every parent gets one use more, each time. But put it on the list only when you see it for the *first* time,
# that is, when it is not in `counts` yet. Otherwise you walk every path again.


# %% tags=["check"] id="uses"
def graph_of(kind):
    """The last value of a small graph."""
    a = Value(3.0, name="a")
    b = Value(5.0, name="b")
    if kind == "a":
        return a
    if kind == "b = a + a, c = b + b":
        return double_twice()[2]
    product = a * b
    product.name = "p"
    total = product + a
    total.name = "t"
    return product if kind == "p = a * b" else total


def uses_by_name(kind):
    """`uses` of the last value of {kind}, with the names of the values as keys"""
    return {value.name: count for value, count in uses(graph_of(kind)).items()}


expect(uses_by_name, "a", gives={"a": 0})
expect(uses_by_name, "p = a * b", gives={"p": 0, "a": 1, "b": 1})
expect(uses_by_name, "p = a * b, t = p + a", gives={"t": 0, "p": 1, "a": 2, "b": 1})
expect(uses_by_name, "b = a + a, c = b + b", gives={"c": 0, "b": 2, "a": 2})


def uses_in_a_tower(height):
    """the sum of all counts in `uses` of a value that was doubled {height} times"""
    return sum(uses(tower(height)[1]).values())


def uses_in_a_chain(length):
    """the sum of all counts in `uses` of the end of a chain of {length} sums `end + one`"""
    end, one = Value(1.0), Value(1.0, name="one")
    for _ in range(length):
        end = end + one
    return sum(uses(end).values())


expect(uses_in_a_tower, 60, gives=120)
expect(uses_in_a_chain, 20_000, gives=40_000)

# %% [markdown]
# ### Exercise: the order
#
# Write `topological_order(root)`. It returns a list of all values, `root` first, in which each value stands
# *after all that use it*. Use your `uses`, and no recursion.


# %% tags=["exercise"] id="order"
def topological_order(root):
    waiting = uses(root)
    ready = [root]
    order = []
    ### BEGIN SOLUTION
    while ready:
        value = ready.pop()
        order.append(value)
        for parent, _ in value.parents:
            waiting[parent] -= 1
            if waiting[parent] == 0:
                ready.append(parent)
    return order
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="order"
# `while ready:` take a value from `ready` and append it to `order`. Then it has spoken, and each of its
# parents waits for one use fewer.

# %% [markdown] tags=["hint"] id="order"
# When `waiting[parent]` has come down to 0, and not before, the parent goes on the list `ready`.


# %% tags=["check"] id="order"
GRAPHS = {
    "b = a + a, c = b + b": [("b", "a", "a"), ("c", "b", "b")],
    "d = a + b, c = a + d": [("d", "a", "b"), ("c", "a", "d")],
    "d = a + b, c = d + a": [("d", "a", "b"), ("c", "d", "a")],
    "f = a + b, g = f * f, h = f + g": [("f", "a", "b"), ("g", "f", "f"), ("h", "f", "g")],
    "p = x * y, t = p + x, s = t * t, r = s + p": [("p", "x", "y"), ("t", "p", "x"), ("s", "t", "t"), ("r", "s", "p")],
}
"""Small graphs, as what each value was made from."""


def values_of(steps):
    """The values of a graph, by name."""
    known = {}
    for name, left, right in steps:
        for leaf in (left, right):
            known.setdefault(leaf, Value(1.0, name=leaf))
        known[name] = Value(1.0, ((known[left], 1.0), (known[right], 1.0)), name)
    return known


def your_order(program, steps):
    """the names in `topological_order` of the last value of {program}"""
    return [value.name for value in topological_order(values_of(steps)[steps[-1][0]])]


def random_steps(count):
    """Each step adds two of the values before it."""
    names, steps = ["a", "b"], []
    for number in range(count):
        steps.append((f"v{number}", random.choice(names[-4:]), names[-1]))
        names.append(f"v{number}")
    return steps


class Ordered(Wanted):
    """Every value once, the root first, each after all that use it."""

    def __init__(self, steps):
        self.steps = steps
        self.names = {name for step in steps for name in step}

    def wrong(self, found):
        if not isinstance(found, list):
            return "this is no list"
        if sorted(found) != sorted(self.names & set(found)) or not found:
            twice = next((name for name in found if found.count(name) > 1), None)
            return f"{twice} stands in it twice" if twice else "it is empty"
        place = {name: number for number, name in enumerate(found)}
        for name, *parents in reversed(self.steps):
            for parent in parents:
                if name in place and parent in place and place[parent] < place[name]:
                    return f"{parent} stands before {name}, which uses it"
        missing = sorted(self.needed() - set(found))
        return f"{missing[0]} is missing" if missing else None

    def needed(self):
        needed = {self.steps[-1][0]}
        for name, *parents in reversed(self.steps):
            needed |= set(parents) if name in needed else set()
        return needed

    def __repr__(self):
        return "every value once, and after all that use it"


for program, steps in GRAPHS.items():
    expect(your_order, program, steps, gives=Ordered(steps))
steps = random_steps(8)
expect(your_order, ", ".join(f"{name} = {left} + {right}" for name, left, right in steps), steps, gives=Ordered(steps))


def values_in_the_order_of_a_tower(height):
    """how many values are in `topological_order` of a value that was doubled {height} times"""
    return len(topological_order(tower(height)[1]))


def values_in_the_order_of_a_chain(length):
    """how many values are in `topological_order` of the end of a chain of {length} sums"""
    end, one = Value(1.0), Value(1.0, name="one")
    for _ in range(length):
        end = end + one
    return len(topological_order(end))


expect(values_in_the_order_of_a_tower, 60, gives=61)
expect(values_in_the_order_of_a_chain, 20_000, gives=20_002)

# %% [markdown]
# ### Exercise: the engine
#
# Now everything comes together. Write `backward(root)`: it sets `root.grad` to 1 and fills in `.grad` of
# everything that `root` was made from. Each value speaks once, in the right order, and gradients add up.


# %% tags=["exercise"] id="backward"
def backward(root):
    root.grad = 1.0
    ### BEGIN SOLUTION
    for value in topological_order(root):
        for parent, slope in value.parents:
            parent.grad += value.grad * slope
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="backward"
# Go through `topological_order(root)`. For each value, do what `hasty` does for its parents, but do not call
# yourself.

# %% [markdown] tags=["hint"] id="backward"
# `parent.grad += value.grad * slope`. With `=` in place of `+=`, the second use would wipe out the first.


# %% tags=["check"] id="backward"
def gradient_after_doubling_twice():
    """`a.grad` after `backward(c)`, where b = a + a and c = b + b"""
    a, _, c = double_twice()
    backward(c)
    return a.grad


def gradients_of_a_product_and_a_sum(x, y):
    """the gradients of x and y after `backward(t)`, where p = x * y and t = p + x, at x = {x}, y = {y}"""
    x, y = Value(x), Value(y)
    backward(x * y + x)
    return x.grad, y.grad


def gradients_of_two_ways(x, y):
    """the gradients of a, b, d and c after `backward(c)`, where d = a * b and c = a + d, at a = {x}, b = {y}"""
    a, b = Value(x), Value(y)
    d = a * b
    c = a + d
    backward(c)
    return a.grad, b.grad, d.grad, c.grad


def gradient_at_the_foot_of_a_tower(height):
    """the gradient of a value that was doubled {height} times"""
    bottom, top = tower(height)
    backward(top)
    return bottom.grad


def gradient_at_the_start_of_a_chain(length):
    """the gradients of the first value and of `one`, after a chain of {length} sums `end + one`"""
    start = end = Value(1.0)
    one = Value(1.0, name="one")
    for _ in range(length):
        end = end + one
    backward(end)
    return start.grad, one.grad


x, y = random.uniform(1.0, 3.0), random.uniform(4.0, 6.0)
expect(gradients_of_a_product_and_a_sum, x, y, gives=(y + 1.0, x))
expect(gradient_after_doubling_twice, gives=4.0)
expect(gradients_of_two_ways, x, y, gives=(1.0 + y, x, 1.0, 1.0))
expect(gradient_at_the_foot_of_a_tower, 60, gives=2.0**60)
expect(gradient_at_the_start_of_a_chain, 20_000, gives=(1.0, 20_000.0))

# %% [markdown]
# How long does your engine take for the 20,000 ops?

# %%
end = Value(1.0)
one = Value(1.0, name="one")
began = time.perf_counter()
for _ in range(20_000):
    end = end + one
backward(end)
print(f"{1000 * (time.perf_counter() - began):.0f} milliseconds, forward and backward")

# %% [markdown]
# ## They add up over time, too
#
# minigrad adds to `.grad` as your engine does, with `+=`. It does not ask whether what is there is old. So a
# second backward adds to the first:

# %%
x = mg.tensor(3.0, requires_grad=True)
(x * 10.0).backward()
print(x.grad)  # tensor(10.)
(x * 10.0).backward()
print(x.grad)  # tensor(20.)
x.grad = None

# %% [markdown]
# This is on purpose. Lesson 6 uses it, to split a large batch into small ones. But it is also the most common
# mistake of all: whoever trains a net and forgets to clear the gradients follows a mix of all the old ones.
# The last line clears one.
#
# ## Watch minigrad do it
#
# The engine of minigrad works as yours does: one pass counts, the other keeps a list of what is ready.

# %%
a = mg.tensor(3.0, requires_grad=True)
b = a + a
c = b + b
c.backward()
print(a.grad)  # tensor(4.)

# %% [markdown]
# Look at its graph. On the lesson's page, press **Show it here** above, and the graph stands beside the text.
# From a notebook or an editor, type `minigrad lesson run 2` in a terminal: the browser opens at the newest
# step, which is this one:
#
# 1. There are two edges from `a` to the first **Add**, and two from there to the second. None of them may be
#    left out.
# 2. Press **home**, then **→** until gradients appear. While backward runs, the box in the corner of the
#    graph shows the engine: which node *runs*, which are *ready*, and which still *wait*, with a count such
#    as 1/2: one of two gradients has come.
# 3. Click the first **Add**. The panel on the right lists what arrived there, line by line, with a plus sign
#    and the sum.
# 4. Click `a`. Its **.grad** is a sum as well.
#
# ## Summary
#
# - Where a value is used more than once, its gradients add up. `a + a` uses `a` twice.
# - A value may hand on its gradient only when all of it has arrived. Otherwise the result is wrong, or the
#   work doubles with each op.
# - A topological order keeps that promise: count the uses, then go on with what waits for nobody.
# - Graphs are deep, so an engine uses loops, not recursion.
# - `.grad` is added to, never replaced. Clear it yourself.
#
# ## Two open questions
#
# 1. Your list `ready` often holds several values. Does it matter which of them speaks first? Try
#    `ready.pop(0)`, and think of rounding: is (a + b) + c always the same number as a + (b + c)?
# 2. Suppose you want the gradient of one value only, deep in the graph. Which of the others need not speak at
#    all?
