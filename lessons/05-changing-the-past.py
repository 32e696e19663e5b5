# ---
# title: Changing the past
# goal: Know when a tensor may be changed in place, read the error when it may not, and write the check behind it.
# minutes: 40
# seconds: 15
# explorer: The red line leads from the op that changed y to the op that had saved it; the badges count versions.
# view: sel=n1
# ---

# %% [markdown]
# # Changing the past
#
# Sooner or later everyone meets this message: *one of the variables needed for gradient computation has been
# modified by an inplace operation*. **What is wrong with changing a number, and how did anybody notice?**
#
# A rule looks at `x` once more on the way back. Change `x` in between by `change`, and see which slope it
# computes.
#
# ```figure
# x = 1.5 from -1 to 3
# change = 0.5 from -1 to 1
# y = x * x
# show the slope = slope
# show what backward would compute = 2 * (x + change)
# ```
#
# At the end of this lesson you can
#
# - read that message word by word, and find the two lines that quarrel,
# - write the check that raises it,
# - repair the three places where it comes from most often.
#
# You need lesson 4: a node saves what stands in its rule.

# %%
import math
import warnings

import minigrad as mg
from minigrad.classroom import expect

mg.manual_seed(0)

# %% [markdown]
# ## Two ways to add one
#
# These two lines look alike.
#
# - `y = y + 1` computes a *new* tensor and calls it `y`. The old one is still what it was.
# - `y += 1` writes into the memory that is already there. The old numbers are gone. This is called *in
#   place*. So are `y[0] = 5`, and all methods whose names end in an underscore, such as `y.mul_(2)`.

# %%
w = mg.tensor([1.0, 2.0], requires_grad=True)

y = mg.exp(w)
y = y + 1
y.sum().backward()
print(w.grad)  # tensor([2.7183, 7.3891])

w.grad = None
y = mg.exp(w)
y += 1
try:
    y.sum().backward()
except RuntimeError as error:
    print(error)

# %% [markdown]
# The rule of exp is $\bar x = \bar y \cdot y$. Its node saved `y`, the output. Then `y += 1` changed it. When
# the node looks again, it finds 3.7183 where it had left 2.7183. The slope would be wrong by 1.
#
# Now read the message from left to right:
#
# | it says | it means |
# | --- | --- |
# | `[minigrad.FloatTensor [2]]` | two numbers in float32: that is the tensor that was changed |
# | `output 0 of ExpBackward0` | who had made it: exp |
# | `is at version 1; expected version 0` | it was changed once since it was saved |
# | `ExpBackward0 saved it as 'out'` | who needs it as it was: exp again, for its own rule |
#
# It does not say *which line* changed it. The explorer does; see the end of this lesson.
#
# ## Versions
#
# How did minigrad notice? Does it compare all the numbers? That would be slow. It counts. Each piece of memory
# has a counter, its **version**. It begins at 0, and each change in place adds 1.

# %%
x = mg.tensor([1.0, 2.0, 3.0])
print(x._version)  # 0
x += 1
x.mul_(2)
print(x._version)  # 2
x = x + 1  # a new tensor, with new memory
print(x._version)  # 0

# %% [markdown]
# A node that saves a tensor notes the version beside it. When backward takes it out again, it compares two
# integers. That is the whole check.
#
# ### Exercise: the check
#
# Write the class `Note`, which does what a node does. `Note(tensor)` saves a tensor and its version. `get()`
# returns the tensor. But if it has been written to since, be it with the same numbers, `get()` raises a
# `RuntimeError` whose text is `is at version 1; expected version 0`, with the two versions in place of 1 and 0.


# %% tags=["exercise"] id="note"
class Note:
    def __init__(self, tensor):
        self.tensor = tensor
        self.version = tensor._version

    def get(self):
        ### BEGIN SOLUTION
        now = self.tensor._version
        if now != self.version:
            raise RuntimeError(f"is at version {now}; expected version {self.version}")
        return self.tensor
        ### END SOLUTION


# %% [markdown] tags=["hint"] id="note"
# `self.version` is what the version was. What is it now?

# %% [markdown] tags=["hint"] id="note"
# If `self.tensor._version != self.version`, then
# `raise RuntimeError(f"is at version {self.tensor._version}; expected version {self.version}")`. Otherwise
# return the tensor.


# %% tags=["check"] id="note"
def do_nothing(tensor):
    """changes nothing"""


def add_one_to_a_copy(tensor):
    """adds 1 to a copy of it"""
    copy = tensor.clone()
    copy += 1


def compute_a_new_one(tensor):
    """computes tensor + 1 and leaves it as it is"""
    tensor = tensor + 1


def add_one(tensor):
    """tensor += 1"""
    tensor += 1


def multiply_by_one(tensor):
    """tensor.mul_(1.0)"""
    tensor.mul_(1.0)


def double_twice(tensor):
    """tensor.mul_(2).mul_(2)"""
    tensor.mul_(2).mul_(2)


def change_the_first_row_of_a_reshaped_one(tensor):
    """tensor.reshape(3, 1)[0] = 9.0"""
    tensor.reshape(3, 1)[0] = 9.0


def what_your_note_says(before, change):
    """what `Note(tensor).get()` gives or raises, for a tensor changed {before} times before, after `{change}`"""
    tensor = mg.tensor([1.0, 2.0, 3.0])
    for _ in range(before):
        tensor.mul_(1.0)
    note = Note(tensor)
    change(tensor)
    try:
        found = note.get()
        return found.tolist() if isinstance(found, mg.Tensor) else ("returned", found)
    except RuntimeError as error:
        return str(error)


def the_same_tensor():
    """whether `Note(tensor).get()` gives the tensor itself, not a copy"""
    tensor = mg.tensor([1.0, 2.0, 3.0])
    return Note(tensor).get() is tensor


before = mg.randint(2, 9, (1,)).item()
expect(what_your_note_says, 1, do_nothing, gives=[1.0, 2.0, 3.0])
expect(what_your_note_says, before, do_nothing, gives=[1.0, 2.0, 3.0])
expect(what_your_note_says, 1, add_one_to_a_copy, gives=[1.0, 2.0, 3.0])
expect(what_your_note_says, 1, compute_a_new_one, gives=[1.0, 2.0, 3.0])
expect(what_your_note_says, before, add_one, gives=f"is at version {before + 1}; expected version {before}")
expect(what_your_note_says, 3, multiply_by_one, gives="is at version 4; expected version 3")
expect(what_your_note_says, 1, double_twice, gives="is at version 3; expected version 1")
expect(what_your_note_says, 1, change_the_first_row_of_a_reshaped_one, gives="is at version 2; expected version 1")
expect(the_same_tensor, gives=True)

# %% [markdown]
# ## Views: two names for one memory
#
# The last check was a strange one. It changed *another* tensor, the reshaped one, and yet your note saw it.
#
# Reshaping does not copy. Nor do `x[0]`, `x[1:3]`, `x.mT`, or `x.view(...)`. They give a **view**: a tensor
# of its own, with a shape of its own, that looks at the same memory. Whoever writes through the one changes
# the other. And as the counter belongs to the memory, all views share it.

# %%
table = mg.tensor([[1.0, 2.0], [3.0, 4.0]])
row = table[1]
column = table.mT[1]
copy = table[1].clone()

# %% [markdown] tags=["predict"] id="views" answer="40"
# `row` is now multiplied by 10, in place. Which number stands at the end of `column`?
#
# ---
# **40**. `column` is the second column, [2, 4]; its 4 lies in the second row as well. It is the same place in
# the memory. And all three, the table and its two views, are now at version 1. The copy has memory of its
# own.

# %%
row.mul_(10.0)
print(column.tolist())  # [2.0, 40.0]
print(table._version, row._version, column._version, copy._version)  # 1 1 1 0

# %% [markdown]
# What does backward make of that? It goes on being right. Here `x` is `2 * w`. A view of `x` is changed. That
# changes `x`, so minigrad rewrites the history of `x`:

# %%
w = mg.tensor([1.0, 2.0], requires_grad=True)
x = 2.0 * w
first = x[:1]
first.mul_(10.0)
print(x)  # tensor([20.,  4.], grad_fn=<CopySlices>)
x.sum().backward()
print(w.grad)  # tensor([20.,  2.])

# %% [markdown]
# `x` was made by a product; now it says that it was made by **CopySlices**: the old `x`, with a slice of it
# replaced by something new. The gradients follow: 20 for the number that went through both products, and 2
# for the other. So changing a tensor in place is *not* forbidden. Backward is right as long as **nobody had
# saved the old numbers**. And if somebody had, there is an error and not a wrong result.
#
# ## Behind its back
#
# There is a way around the check. `.data` gives you the memory with a counter of its own. You find it in old
# programs, often as `w.data -= ...`. Say that we have computed a loss, and somebody clears `y` in order to
# use its memory again:

# %%
w = mg.tensor(1.0, requires_grad=True)
y = mg.sigmoid(w)
loss = 3.0 * y
loss.backward()
print(f"{w.grad.item():.4f}")  # 0.5898

w.grad = None
y = mg.sigmoid(w)
loss = 3.0 * y
y.data.zero_()

# %% [markdown] tags=["predict"] id="behind" answer="0"
# The rule of the sigmoid is $\bar x = \bar y \cdot y (1 - y)$, from its saved output. Which gradient will `w`
# get now?
#
# ---
# **0**. The saved output is 0 now, and 3 · 0 · (1 − 0) = 0. The right one is 0.5898. There is no error, and
# no warning: a net would simply not learn, and you would look for days.

# %%
loss.backward()
print(w.grad.item())  # 0.0

# %% [markdown]
# So don't use `.data`. `.detach()` gives the same numbers without a graph, and it *shares the counter*. If you
# suspect that something is written behind your back (by NumPy, for example, on the same memory), turn on
# `set_detect_anomaly`. It looks at the numbers themselves, so it is slow, but it sees everything:

# %%
with warnings.catch_warnings(), mg.autograd.set_detect_anomaly(True):
    warnings.simplefilter("ignore")  # it warns as well, at length; here the error says enough
    y = mg.sigmoid(w)
    loss = 3.0 * y
    y.data.zero_()
    try:
        loss.backward()
    except RuntimeError as error:
        print(error)

# %% [markdown]
# ## Three repairs
#
# Each of the next three exercises gives you a program that fails, as it is often written. First see what it
# says. Then ask: *who had saved it, and why?*
#
# ### Exercise: a gate
#
# `gate` squashes its input with a sigmoid, makes it a little larger, and cuts off what is above 1. Write
# `good_gate`. It computes the same, and backward works. Change as little as you can.


# %%
def gate(x):
    y = mg.sigmoid(x)
    y *= 1.2
    y.clamp_(max=1.0)
    return y


x = mg.tensor([0.0, 3.0], requires_grad=True)
try:
    gate(x).sum().backward()
except RuntimeError as error:
    print(str(error).partition("expected")[2].partition(" Hint")[0])


# %% tags=["exercise"] id="gate" plays="y = sigmoid(x); louder = y * 1.2; gate = min(louder, 1); gate.grad = times; gradient gives x.grad; good_gate( gives gate"
def good_gate(x):
    y = mg.sigmoid(x)
    ### BEGIN SOLUTION
    y = y * 1.2
    return y.clamp(max=1.0)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="gate"
# SigmoidBackward0 had saved `y`, its output. Which line writes over it first?

# %% [markdown] tags=["hint"] id="gate"
# `y = y * 1.2` makes a new tensor. Then `y.clamp(max=1.0)`, without the underscore, is safe in any case.
# (What about `clamp_` after the product? Try it, and look at the first open question.)


# %% tags=["check"] id="gate"
def gradient_of_your_gate(start, weights):
    """the gradient at x = {start} of the sum of `good_gate(x)` times {weights}"""
    x = mg.tensor(start, dtype=mg.float64, requires_grad=True)
    (good_gate(x) * mg.tensor(weights, dtype=mg.float64)).sum().backward()
    return x.grad.tolist()


some = mg.tensor([0.0, 3.0, -1.0])
expect(good_gate, some, gives=mg.tensor([0.6, 1.0, 0.3227297]))
expect(gradient_of_your_gate, [0.0, 3.0, -2.0], [1.0, 1.0, 1.0], gives=[0.3, 0.0, 0.1259923024843], within=1e-6)
start = mg.rand(2, dtype=mg.float64) - 0.5
slopes = (1.2 * mg.sigmoid(start) * (1.0 - mg.sigmoid(start))).tolist()
expect(gradient_of_your_gate, start.tolist(), [2.0, -3.0], gives=[2.0 * slopes[0], -3.0 * slopes[1]])

# %% [markdown]
# ### Exercise: a step
#
# A net learns by changing its weights, and weights are leaves: they were not made by any op. Changing a leaf
# in place is an error of its own, whether somebody has saved it or not. How could the change be written into
# the graph? `w` after the step would be made from `w` before it, and so it would be no leaf any more.


# %%
def step(w, rate):
    w -= rate * w.grad


w = mg.tensor([1.0, 2.0], requires_grad=True)
(w * w).sum().backward()
try:
    step(w, 0.1)
except RuntimeError as error:
    print(error)

# %% [markdown]
# Write `good_step`. It changes `w` itself, in place, and it returns nothing. The change is not a part of the
# program that one wants to differentiate. So say that nobody need write it down.


# %% tags=["exercise"] id="step"
def good_step(w, rate):
    ### BEGIN SOLUTION
    with mg.no_grad():
        w -= rate * w.grad
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="step"
# The message says it: `Change it under no_grad()`.

# %% [markdown] tags=["hint"] id="step"
# The same line as in `step`, in a block `with mg.no_grad():`.


# %% tags=["check"] id="step"
def after_three_steps(start, rate):
    """the leaf w after three calls of `good_step(w, {rate})` on the loss w * w, from {start}; whether it is a leaf
    and requires a gradient"""
    w = mg.tensor(start, requires_grad=True)
    for _ in range(3):
        w.grad = None
        (w * w).sum().backward()
        good_step(w, rate)
    return w.tolist(), w.is_leaf, w.requires_grad


expect(after_three_steps, [1.0, 2.0], 0.25, gives=([0.125, 0.25], True, True))
a, rate = round(mg.rand(1).item() + 1.0, 3), round(0.1 + 0.2 * mg.rand(1).item(), 3)
left = a * (1 - 2 * rate) ** 3
expect(after_three_steps, [a, -a], rate, gives=([left, -left], True, True), within=1e-5)

# %% [markdown]
# ### Exercise: a table of states
#
# A recurrent net computes each state from the one before. In NumPy one would reserve a table and fill it:


# %%
def states(w, start, steps):
    table = mg.zeros(steps + 1)
    table[0] = start
    for t in range(steps):
        table[t + 1] = mg.tanh(table[t] * w)
    return table


w = mg.tensor(0.5, requires_grad=True)
try:
    states(w, 1.0, 3).sum().backward()
except RuntimeError as error:
    print(str(error).partition("which")[2].partition(" Hint")[0])

# %% [markdown]
# The product saves `table[t]`, for the rule for `w`. That is a *view*: it shares the counter with the whole
# table. The next line writes into *another* place of the table. The numbers that were saved have not changed
# at all! But the counter knows of no places. It is careful: it may raise an error where there is no harm, and
# never the other way round.
#
# Write `good_states`, which computes the same without a table to write into. `mg.stack` makes one tensor from
# a list of tensors.


# %% tags=["exercise"] id="states"
def good_states(w, start, steps):
    state = mg.tensor(start, dtype=w.dtype)
    ### BEGIN SOLUTION
    states = [state]
    for _ in range(steps):
        state = mg.tanh(state * w)
        states.append(state)
    return mg.stack(states)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="states"
# Keep the states in a Python list. It begins with the first state.

# %% [markdown] tags=["hint"] id="states"
# In the loop: `state = mg.tanh(state * w)`, then append it. Each state is a tensor of its own, and nobody
# writes over it. At the end, `mg.stack(states)`.


# %% tags=["check"] id="states"
def slope_of_the_sum_of_states(at, steps):
    """the slope of `good_states(w, 1.0, {steps}).sum()` at w = {at}"""
    w = mg.tensor(at, dtype=mg.float64, requires_grad=True)
    good_states(w, 1.0, steps).sum().backward()
    return w.grad.item()


def your_states(at, start, steps):
    """`good_states(w, {start}, {steps})` at w = {at}"""
    with mg.no_grad():
        return good_states(mg.tensor(at, dtype=mg.float64), start, steps)


def in_plain_numbers(at, start, steps):
    states = [start]
    for _ in range(steps):
        states.append(math.tanh(states[-1] * at))
    return states


def measured(at, steps, push=1e-6):
    """The same slope by trying, with Python's own numbers."""
    return (sum(in_plain_numbers(at + push, 1.0, steps)) - sum(in_plain_numbers(at - push, 1.0, steps))) / (2 * push)


at, start = 0.5 + 0.4 * mg.rand(1).item(), 1.0 + mg.rand(1).item()
expect(your_states, 0.5, 1.0, 3, gives=mg.tensor(in_plain_numbers(0.5, 1.0, 3), dtype=mg.float64))
expect(your_states, at, start, 5, gives=mg.tensor(in_plain_numbers(at, start, 5), dtype=mg.float64))
for steps in (1, 3, 10):
    expect(slope_of_the_sum_of_states, at, steps, gives=measured(at, steps), within=1e-6)

# %% [markdown]
# ## When it is good
#
# In place is not a sin. It saves memory, and it is right where nobody had saved the old numbers. A matrix
# product saves its *inputs*; so its output may be changed. The rule of relu asks for its output only; so relu
# may write over its input:

# %%
x = mg.tensor([[1.0, -2.0]])
w = mg.tensor([[0.5, -1.0], [-0.25, 1.0]], requires_grad=True)
hidden = x @ w
hidden.relu_()
hidden.sum().backward()
print(hidden._version, w.grad.tolist())  # 1 [[1.0, 0.0], [-2.0, 0.0]]

# %% [markdown]
# The rule of thumb: write out of place, always. If the memory is short, look at the line and ask who saved
# what. If you guess wrong, the counter tells you.
#
# ## Watch minigrad do it
#
# Once more the first mistake, so that it can be seen. (`look` begins a new step in the explorer's recording,
# so that this graph stands alone.)

# %%
mg.observe.look()
w = mg.tensor([1.0, 2.0], requires_grad=True)
y = mg.exp(w)
y += 1
loss = y.sum()
try:
    loss.backward()
except RuntimeError as error:
    print(type(error).__name__)  # StaleTensorError

# %% [markdown]
# Look at its graph. On the lesson's page, press **Show it here** above, and the graph stands beside the text.
# From a notebook or an editor, type `minigrad lesson run 5` in a terminal: the browser opens at the newest
# step, which is this one:
#
# 1. A red line leads from the op that changed `y` to **Exp**, which had saved it. The bar below says which
#    *lines* quarrel: the one that saved v0, and the one that made it v1. Both are marked in the source on the
#    left.
# 2. Press **home**, then **→**. When Exp runs, it saves its output, and the purple mark `out` says so. One op
#    later the badge says **v1**, and Exp is framed in red and says **stale**. The mistake is visible *before*
#    backward begins.
# 3. Click **Exp**. Under **Saved for backward** it says *stale: it is v1 now*. That is what your `Note` says.
# 4. Press **n**. Wherever you are, this leads to the first thing that went wrong.
#
# ## Summary
#
# - A change in place writes over the old numbers. Some node may have saved them for its rule.
# - Each piece of memory counts its changes: its version. Views share memory and counter.
# - A node notes the version when it saves, and compares when it takes out again. If they differ, it is an
#   error, never a wrong result.
# - `.data` goes around the check, and then the result *is* wrong.
# - The three repairs: compute out of place; change leaves under `no_grad()`; collect in a list and stack.
#
# ## Two open questions
#
# 1. In `good_gate`, may `clamp_` stand after the product? What does the product with a constant save, and
#    what does the rule of clamp need to know? Try it.
# 2. The counter belongs to the whole memory, so `good_states` was needed though no saved number had changed.
#    What would it cost to count for each element?
