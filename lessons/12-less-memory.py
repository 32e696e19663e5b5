# ---
# title: Less memory
# goal: Throw values away, compute them again, and train a net that did not fit.
# minutes: 40
# seconds: 30
# explorer: The curve of bytes saved for backward, and the pieces that run a second time while it goes back.
# ---

# %% [markdown]
# # Less memory
#
# A net with twice as many layers remembers twice as much. One day it is too much: the program ends with
# "out of memory". **Must I buy a larger machine?**
#
# A net of 64 layers, cut into segments of `k`. Drag `k`: what must be kept is smallest somewhere in
# between.
#
# ```figure
# k = 4 from 1 to 64
# checkpoints = 64 / k
# kept = checkpoints + k
# show checkpoints = checkpoints
# show values of one segment = k
# show kept in all = kept
# ```
#
# No. You can pay in time. What was computed once can be computed again, so it need not be remembered.
#
# At the end of this lesson you can
#
# - measure what a backward costs in memory,
# - write a backward that remembers only a few values, and computes the others again,
# - say how many to remember, and keep within a budget,
# - avoid the trap that lies in random numbers.
#
# You need lesson 4: an op saves what its rule asks for, until backward has come by.

# %%
import math
import time
import tracemalloc

import minigrad as mg
from minigrad import events
from minigrad.classroom import at_most, expect
from minigrad.utils.checkpoint import checkpoint

# %% [markdown]
# ## The bill
#
# Here is a deep program: 64 layers, one after the other. To keep it simple, each of them is a sine. The input
# is a tensor of a quarter of a million numbers, which is exactly 1 MiB. Python can tell how much memory a
# function needed at its highest.

# %%
LAYERS = [mg.sin] * 64
x = mg.linspace(0.0, 1.0, 2**18)


def run(layers, x):
    for layer in layers:
        x = layer(x)
    return x


def gradient(layers, x):
    """The plain way: forward through all layers, then back."""
    x = x.detach().requires_grad_()
    return mg.autograd.grad(run(layers, x).sum(), x)[0]


def peak(function, *arguments):
    """What it gave back, and how many MiB it held at its highest."""
    tracemalloc.start()
    try:
        result = function(*arguments)
        return result, tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


# %% [markdown] tags=["predict"] id="plain" answer="65" within="2"
# The rule of the sine asks for its input. There are 64 layers, and each input has 1 MiB. How many MiB does
# `gradient` hold at its highest?
#
# ---
# About **65**: the inputs of 64 sines, and what is just being computed.

# %%
gradient(LAYERS[:1], x)  # once before: what is used for the first time is imported, and that takes memory too
wanted, most = peak(gradient, LAYERS, x)
print(f"{most:.0f} MiB")  # 65 MiB

# %% [markdown]
# Without a gradient it needs next to nothing, because each value is forgotten as soon as the next one is
# there:

# %%
with mg.no_grad():
    print(f"{peak(run, LAYERS, x)[1]:.0f} MiB")  # 2 MiB

# %% [markdown]
# ## Remember a few, compute the rest again
#
# Think of a hiker who wants to walk back on exactly the path that she came. She could leave a stone at each
# step. Or she leaves a *cairn* every now and then. On the way back, she goes from cairn to cairn: down to the
# one before, up again to see how the path ran, and this time she notes each step.
#
# The cairns are called **checkpoints**. Cut the layers into segments.
#
# - *Forward:* run without recording (`no_grad`). Keep only the value at the start of each segment.
# - *Backward:* take the last segment. Run it once more from its checkpoint, this time recording. Go back
#   through it, with the gradient that arrived at its end. That gives the gradient at its start, and its graph
#   can be forgotten. Then the segment before it, and so on.
#
# ### Exercise: segments
#
# The first half is given. Write the second: go through the `kept` pairs from the last to the first.
# `mg.autograd.grad(out, start, grad)` sends `grad` back from `out`, and returns a tuple with the gradient of
# `start`.


# %% tags=["exercise"] id="segments"
def gradient_in_segments(layers, x, size):
    kept = []
    with mg.no_grad():
        for first in range(0, len(layers), size):
            segment = layers[first : first + size]
            kept.append((segment, x))
            x = run(segment, x)
    grad = mg.ones(x.shape)
    ### BEGIN SOLUTION
    for segment, start in reversed(kept):
        start = start.detach().requires_grad_()
        (grad,) = mg.autograd.grad(run(segment, start), start, grad)
    return grad
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="segments"
# `for segment, start in reversed(kept):` and then three things: make `start` a leaf that requires a gradient,
# run the segment from it, send `grad` back.

# %% [markdown] tags=["hint"] id="segments"
# `start = start.detach().requires_grad_()`, then
# `(grad,) = mg.autograd.grad(run(segment, start), start, grad)`. The gradient of one segment's start is the
# gradient of the end of the one before it.


# %% tags=["check"] id="segments"
def square(x):
    return x * x


def running_sum(x):
    return x.cumsum(0)


def chain_of(name):
    return {
        "[square, sin, square]": [square, mg.sin, square],
        "[exp]": [mg.exp],
        "[square, cumsum, sin]": [square, running_sum, mg.sin],
        "64 sines": LAYERS,
    }[name]


def your_gradient(chain, start, size):
    """`gradient_in_segments` of {chain} in segments of {size}, at x = {start}"""
    return gradient_in_segments(chain_of(chain), mg.tensor(start), size)


def mebibytes_in_segments(size):
    """how many MiB `gradient_in_segments(LAYERS, x, {size})` holds at its highest"""
    return peak(gradient_in_segments, LAYERS, x, size)[1]


expect(your_gradient, "[exp]", [0.0, 0.0], 1, gives=mg.ones(2))
some = mg.rand(3) + 0.2
wanted = gradient(chain_of("[square, sin, square]"), some)
for size in (2, 1, 3):
    expect(your_gradient, "[square, sin, square]", some.tolist(), size, gives=wanted, within=1e-5)
wanted = gradient(chain_of("[square, cumsum, sin]"), some)
expect(your_gradient, "[square, cumsum, sin]", some.tolist(), 1, gives=wanted, within=1e-5)
for size in (8, 10):
    expect(your_gradient, "64 sines", some.tolist(), size, gives=gradient(LAYERS, some), within=1e-5)
expect(mebibytes_in_segments, 8, gives=at_most(22.0))

# %%
for size in (1, 2, 4, 8, 16, 32, 64):
    began = time.perf_counter()
    _, most = peak(gradient_in_segments, LAYERS, x, size)
    print(f"segments of {size:2}:  {most:3.0f} MiB   {1000 * (time.perf_counter() - began):.0f} ms")

# %% [markdown]
# The gradients are the same to the last digit: the very same ops ran on the very same numbers. But the
# memory is less than a third, at best. And it is a valley: with short segments there are many checkpoints
# to keep; with long ones, the one segment that is being walked back becomes large.
#
# ### Exercise: the best size
#
# With $n$ layers in segments of $k$, you keep $\lceil n / k \rceil$ checkpoints, and $k$ values of the
# segment under way. ($\lceil\ \rceil$ means: rounded up.) Write `best_size(n)`: the $k$ for which the sum
# is smallest; the smallest such $k$ if there are several.


# %% tags=["exercise"] id="best-size"
def best_size(n):
    ### BEGIN SOLUTION
    return min(range(1, n + 1), key=lambda k: math.ceil(n / k) + k)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="best-size"
# Try every `k` from 1 to `n`, and keep the one with the smallest `math.ceil(n / k) + k`.

# %% [markdown] tags=["hint"] id="best-size"
# `min(range(1, n + 1), key=...)` returns the first of the candidates for which the key is smallest.

# %% tags=["check"] id="best-size"
import random

expect(best_size, 1, gives=1)
expect(best_size, 64, gives=8)
expect(best_size, 50, gives=5)
expect(best_size, 3, gives=1)
expect(best_size, 12, gives=3)
expect(best_size, 10_000, gives=100)
for n in random.sample(range(20, 400), 6):
    expect(best_size, n, gives=min((-(-n // k) + k, k) for k in range(1, n + 1))[1])

# %% [markdown]
# It is about the square root of $n$. A net of 10,000 layers needs room for 200 values, and not for 10,000.
# And the price is only *one more forward*: every layer runs twice forward and once back, whatever the size
# is.
#
# ## minigrad's checkpoint
#
# Your function works for a chain of layers. In a real program there are many inputs, parameters, and
# branches. For that, minigrad has PyTorch's `checkpoint(function, *inputs, use_reentrant=False)`. It gives
# what `function(*inputs)` gives, but its ops do not save: they leave a slip of paper that says "run me
# again". It can stand anywhere in a program, and `backward()` needs to know nothing of it.
#
# (There are two kinds of it in PyTorch, for historical reasons. `use_reentrant=False` is the newer one.)
#
# ### Exercise: meet the budget
#
# Write `gradient_within(layers, x, size)`: like `gradient`, but each segment of `size` layers goes through
# `checkpoint`. The check has a budget of 20 MiB.


# %% tags=["exercise"] id="budget"
def gradient_within(layers, x, size):
    x = x.detach().requires_grad_()
    out = x
    ### BEGIN SOLUTION
    for first in range(0, len(layers), size):
        out = checkpoint(run, layers[first : first + size], out, use_reentrant=False)
    ### END SOLUTION
    return mg.autograd.grad(out.sum(), x)[0]


# %% [markdown] tags=["hint"] id="budget"
# `run(segment, out)` is an ordinary call. Through a checkpoint it is
# `checkpoint(run, segment, out, use_reentrant=False)`.

# %% [markdown] tags=["hint"] id="budget"
# Cut the segments as in the exercise above: `for first in range(0, len(layers), size)`, and the segment is
# `layers[first : first + size]`. Replace `out` each time.


# %% tags=["check"] id="budget"
def ops_run(function, *arguments):
    """How many ops run while `function` is called (lesson 11)."""
    heard = []
    stop = events.listen(lambda event: heard.append(1) if isinstance(event, events.NodeRecorded) else None)
    try:
        function(*arguments)
    finally:
        stop()
    return len(heard)


def mebibytes(size):
    """how many MiB `gradient_within(LAYERS, x, {size})` holds at its highest"""
    return round(peak(gradient_within, LAYERS, x, size)[1])


def your_gradient_within(start, size):
    """`gradient_within(LAYERS, x, {size})` at x = {start}"""
    return gradient_within(LAYERS, mg.tensor(start), size)


def checkpoints_of_yours(size):
    """how many checkpoints `gradient_within(LAYERS, x, {size})` makes"""
    heard = []
    stop = events.listen(
        lambda event: heard.append(event.node.name()) if isinstance(event, events.NodeRecorded) else None
    )
    try:
        gradient_within(LAYERS, mg.ones(2), size)
    finally:
        stop()
    return heard.count("_KeepInputsBackward")


some = mg.rand(3)
for size in (8, 5):
    expect(your_gradient_within, some.tolist(), size, gives=gradient(LAYERS, some), within=1e-5)
expect(checkpoints_of_yours, 8, gives=8)
expect(checkpoints_of_yours, 5, gives=13)
expect(mebibytes, 8, gives=at_most(20))

# %%
print(f"{mebibytes(8)} MiB")  # 17 MiB
print(f"plain: {ops_run(gradient, LAYERS, x)} ops, with checkpoints: {ops_run(gradient_within, LAYERS, x, 8)} ops")

# %% [markdown]
# ## The trap
#
# Computing something again gives the same result *if it is the same computation*. Dropout is not: it throws
# dice. Look what your own function does with it.


# %%
def dropout(x):
    return mg.nn.functional.dropout(x, 0.5)


ones = mg.ones(6)
for seed in range(3):
    mg.manual_seed(seed)
    print(gradient_in_segments([dropout, dropout], ones, 1).tolist())

# %% [markdown]
# The forward run kept some of the numbers. The second run threw the dice again, and kept *others*. So that
# gradient belongs to a forward that never happened. No error, no warning: the net just learns badly.
#
# The numbers of a computer's dice come from a *state*. Who keeps the state can throw the same numbers again.
#
# ### Exercise: the same dice
#
# Write `twice(function, x)`. It calls the function two times, *with the same random numbers*, and returns
# both results. And after it, the dice must stand where they would stand after *one* call.
# `mg.get_rng_state()` gives you the state, `mg.set_rng_state(state)` sets it.


# %% tags=["exercise"] id="dice"
def twice(function, x):
    ### BEGIN SOLUTION
    state = mg.get_rng_state()
    first = function(x)
    mg.set_rng_state(state)
    return first, function(x)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="dice"
# Take the state *before* the first call. Between the two calls, set it.

# %% [markdown] tags=["hint"] id="dice"
# After the second call the dice stand where they stood after the first, so there is nothing left to do.


# %% tags=["check"] id="dice"
def your_two_results(seed):
    """the two results of `twice(dropout, x)` for an x of 12 ones, after `mg.manual_seed({seed})`"""
    mg.manual_seed(seed)
    first, second = twice(dropout, mg.ones(12))
    return first.tolist(), second.tolist()


def next_dice_after_yours(seed):
    """`mg.rand(3)` after `mg.manual_seed({seed})` and `twice(dropout, x)`"""
    mg.manual_seed(seed)
    twice(dropout, mg.ones(12))
    return mg.rand(3)


def calls_of_yours():
    """how often `twice(function, x)` calls the function"""
    heard = []

    def function(x):
        heard.append(1)
        return x

    twice(function, mg.ones(1))
    return len(heard)


def after_one_call(seed):
    mg.manual_seed(seed)
    once = dropout(mg.ones(12)).tolist()
    return once, mg.rand(3)


for seed in random.sample(range(1000), 2):
    once, then = after_one_call(seed)
    expect(your_two_results, seed, gives=(once, once))
    expect(next_dice_after_yours, seed, gives=then)
expect(calls_of_yours, gives=2)

# %% [markdown]
# minigrad's `checkpoint` does this for you (it is called `preserve_rng_state`, and it is on). But no
# library can do it for a function that reads a file which has changed, or counts how often it is called.
# Whatever goes through a checkpoint should give the same, each time.
#
# ## Watch minigrad do it
#
# Six sines, first plain, then in two segments. The tensors are small enough to be read: three numbers, 12
# bytes.

# %%
mg.observe.look(steps=2)
x = mg.tensor([0.5, 1.0, 1.5], requires_grad=True)
run([mg.sin] * 6, x).sum().backward()
plain = x.grad

mg.observe.look()
x = mg.tensor([0.5, 1.0, 1.5], requires_grad=True)
half = checkpoint(run, [mg.sin] * 3, x, use_reentrant=False)
whole = checkpoint(run, [mg.sin] * 3, half, use_reentrant=False)
whole.sum().backward()
print((x.grad == plain).all())  # tensor(True)

# %% [markdown]
# Look at its graph. On the lesson's page, press **Show it here** above, and the graph stands beside the text.
# From a notebook or an editor, type `minigrad lesson run 12` in a terminal: the browser opens at the newest
# step, which is the one with checkpoints:
#
# 1. The purple line at the bottom is the memory: **saved for backward**. Its **peak** is 24 B: two
#    checkpoints of 12 bytes. Press **[** for the step before, the plain one: there it climbs sine by sine,
#    up to 72 B. Press **]** to come back.
# 2. The two boxes **_KeepInputs** are the cairns. They hold the input of each segment, and nothing else of
#    it is saved.
# 3. Press **home**, then **→** until the first orange numbers appear. In the middle of backward, new *blue*
#    boxes appear at the side: the second segment runs again. Then backward goes on, until it needs the
#    first segment.
# 4. Count the boxes at the side. Each time only two of the three sines ran again. Why not the third? (What
#    does the rule of the sine ask for?)
#
# ## Summary
#
# - Backward's memory grows with the number of ops. Most of it can be computed again.
# - Keep the start of each segment; on the way back, run the segment once more.
# - Segments of about $\sqrt n$ layers need the least: about $2 \sqrt n$ values, for one more forward.
# - `checkpoint(function, *inputs, use_reentrant=False)` does it for any function.
# - What runs twice must give the same twice. Random numbers have a state that can be kept.
#
# ## Two open questions
#
# 1. While a segment runs again, that is itself a forward followed by a backward. So you could put
#    checkpoints *inside* it. How much memory does a program of $n$ layers need, if you go on like this, and
#    how much time?
# 2. A sine can be run backwards only if one remembers its input. But $y = x + 3$ can be *undone*: the input
#    is $y - 3$. Can you think of layers for a net that can all be undone, and what would that save?
