# ---
# title: Forward gear
# goal: Carry slopes along with the values, and choose the direction that costs less.
# minutes: 45
# seconds: 20
# explorer: Beside each value stands its tangent: how fast it moves. They flow the same way, forward.
# ---

# %% [markdown]
# # Forward gear
#
# Backward is wonderful if there are many inputs and *one* result: a million weights, one loss, one walk back.
# But you turn one knob on a machine with a thousand dials. **Must I walk back from every single dial?**
#
# In the forward gear each value carries its tangent: how fast it moves as `x` does. Drag `x`, and read from
# the top.
#
# ```figure
# forward
# x = 0.5 from -2 to 2
# double = x * 2
# bent = tanh(double)
# y = bent * x
# show tangent of y = slope
# show slope by trying = measured
# ```
#
# At the end of this lesson you can
#
# - compute a slope without going back, and without remembering anything,
# - build the table of all slopes by columns or by rows, and say which is cheaper,
# - get second slopes by driving both gears at once.
#
# You need lessons 1 and 3. Lesson 10 helps at the end.

# %%
import math
from typing import NamedTuple

import minigrad as mg
import minigrad.autograd.forward_ad as forward_ad
from minigrad import events
from minigrad.classroom import at_most, expect

mg.manual_seed(0)

# %% [markdown]
# ## A number that knows how fast it moves
#
# In lesson 1 we multiplied slopes along a chain, and said: from the back is better. But nothing keeps us from
# starting at the front. Then we carry another number with us. At every place it answers the question
#
# > If the input moves by 1 a second, how fast does the value *here* move?
#
# This number is called the **tangent** of the value; for `y` we write $\dot y$ (say "y dot"). The pair of the
# two is a **dual number**.


# %%
class Dual(NamedTuple):
    value: float
    tangent: float

    def __mul__(self, other):
        return multiply(self, other)

    def __add__(self, other):
        return Dual(self.value + other.value, self.tangent + other.tangent)


# %% [markdown]
# The sum is simple: speeds add, like those of a train and of somebody who walks in it.
#
# ### Exercise: the product
#
# A rectangle has the sides `a` and `b`, and both of them grow. How fast does its *area* grow? There are two
# parts: `a` grows along the whole side `b`, and `b` grows along the whole side `a`.
#
# Write `multiply(a, b)` for two duals. It returns the dual of the product.


# %% tags=["exercise"] id="multiply" plays="y = a * b; gives y, y.tangent"
def multiply(a, b):
    ### BEGIN SOLUTION
    return Dual(a.value * b.value, a.tangent * b.value + a.value * b.tangent)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="multiply"
# The value is the product of the values. The tangent is a sum of two products.

# %% [markdown] tags=["hint"] id="multiply"
# `a` grows with `a.tangent`, along the side `b.value`. The other part is the same with `a` and `b` exchanged.

# %% tags=["check"] id="multiply"
import random

expect(multiply, Dual(3.0, 1.0), Dual(5.0, 0.0), gives=Dual(15.0, 5.0))
expect(multiply, Dual(3.0, 0.0), Dual(5.0, 1.0), gives=Dual(15.0, 3.0))
a, b, c, d = (random.uniform(1.0, 3.0) for _ in range(4))
expect(multiply, Dual(a, b), Dual(c, -d), gives=Dual(a * c, b * c - a * d))
expect(multiply, Dual(4.0, 1.0), Dual(4.0, 1.0), gives=Dual(16.0, 8.0))

# %% [markdown]
# Look at the last one: $4 \cdot 4$, and both sides are the same moving number. You get 8, the slope of
# $x^2$ at
# 4. Nobody had to count how often a value is used, and there is no order to think of. **Going forward, it all
# comes by itself.**
#
# ### Exercise: tanh, forward
#
# The slope of tanh is $1 - y^2$, where $y$ is its output. Write `tanh(x)`; it takes a dual and returns one.


# %% tags=["exercise"] id="tanh" plays="y = tanh(x); gives y, y.tangent"
def tanh(x):
    y = math.tanh(x.value)
    ### BEGIN SOLUTION
    return Dual(y, (1.0 - y * y) * x.tangent)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="tanh"
# The output moves as fast as the input, times the slope of tanh.

# %% [markdown] tags=["hint"] id="tanh"
# The result is `Dual(y, ...)`, and the tangent is `(1.0 - y * y)` times `x.tangent`.

# %% tags=["check"] id="tanh"
at, speed = random.uniform(0.5, 1.0), random.uniform(2.0, 3.0)
expect(tanh, Dual(0.0, 1.0), gives=Dual(0.0, 1.0))
expect(tanh, Dual(1.0, 0.0), gives=Dual(math.tanh(1.0), 0.0))
expect(tanh, Dual(-at, speed), gives=Dual(math.tanh(-at), speed / math.cosh(at) ** 2))

# %% [markdown]
# Here is the neuron of lesson 1, $\tanh(w \cdot 3 - 5)$ at $w = 2$. There you measured its slope, and then
# walked back for it.

# %% [markdown] tags=["predict"] id="neuron" answer="1.26" within="0.01" plays="w = 2; x = 3; b = -5; product = w * x; total = product + b; y = tanh(total); asks y.tangent"
# The weight moves with speed 1. The product then moves with speed 3, the sum with speed 3. tanh has slope
# 0.42 at 1. How fast does the result move?
#
# ---
# $3 \cdot 1 \cdot 0.42 =$ **1.26**: the same three numbers as in lesson 1, multiplied from the front.

# %%
w, x, b = Dual(2.0, 1.0), Dual(3.0, 0.0), Dual(-5.0, 0.0)
y = tanh(w * x + b)
print(f"value {y.value:.4f}, tangent {y.tangent:.2f}")  # value 0.7616, tangent 1.26

# %% [markdown]
# One run, and value and slope are there together. Nothing was written down, and nothing saved: when the
# result is there, all else may be forgotten. Backward, in contrast, has to remember every value that a rule
# will ask for (lesson 4).
#
# And the price? We said that `w` moves, and `x` and `b` stand still. For the slope along `x` we have to run
# again, with another input moving. **One run for each input.**
#
# ## With tensors: the JVP
#
# Let a whole tensor move. Its tangent has one number for each of its elements: a *direction*. What comes
# out is how the outputs move. In the language of lesson 3 that is the Jacobian times a column, a
# **Jacobian-vector product**, or **JVP**. Backward is a row times the Jacobian, a VJP.
#
# | | starts with | one run gives | Jacobian by |
# | --- | --- | --- | --- |
# | forward, JVP | a direction of the inputs | how *all outputs* move | columns |
# | backward, VJP | a gradient of the outputs | the gradient of *all inputs* | rows |
#
# ### Exercise: the JVP of a matrix product
#
# $Y = A B$, and both matrices move. Write `matmul_jvp(a, b, tangent_a, tangent_b)`; it returns $\dot Y$. It
# is the rectangle again.


# %% tags=["exercise"] id="matmul-jvp" plays="c = a @ b; gives c.tangent"
def matmul_jvp(a, b, tangent_a, tangent_b):
    ### BEGIN SOLUTION
    return tangent_a @ b + a @ tangent_b
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="matmul-jvp"
# Two parts: `a` moves while `b` stands still, and the other way round. Each is a matrix product.

# %% [markdown] tags=["hint"] id="matmul-jvp"
# Nothing has to be transposed. In `tangent_a @ b`, the tangent stands where `a` stood.


# %% tags=["check"] id="matmul-jvp"
def check_matmul(rows, inner, columns):
    a, b = mg.randn(rows, inner), mg.randn(inner, columns)
    tangents = mg.randn(rows, inner), mg.randn(inner, columns)
    _, wanted = mg.func.jvp(lambda a, b: a @ b, (a, b), tangents)
    expect(matmul_jvp, a, b, *tangents, gives=wanted, within=1e-4)


check_matmul(2, 3, 4)
check_matmul(3, 3, 3)
check_matmul(1, 5, 2)

# %% [markdown]
# `mg.func.jvp(function, inputs, tangents)` is minigrad's forward gear. It gives back two things: the value,
# and its tangent.
#
# ## The whole table
#
# Sometimes one does want the whole Jacobian. To get column $j$, let input $j$ move with speed 1, and the
# others stand still. For row $i$, send a gradient back that is 1 at output $i$ and 0 elsewhere. Here is the
# table by rows:


# %%
def by_rows(function, x):
    value, pull_back = mg.func.vjp(function, x)
    return mg.stack([pull_back(unit)[0] for unit in mg.eye(len(value))])


# %% [markdown]
# ### Exercise: by columns
#
# Write `by_columns(function, x)`, for an `x` of shape (n,). `mg.eye(n)` has the n unit directions as its
# rows.


# %% tags=["exercise"] id="by-columns"
def by_columns(function, x):
    ### BEGIN SOLUTION
    columns = [mg.func.jvp(function, (x,), (unit,))[1] for unit in mg.eye(len(x))]
    return mg.stack(columns, dim=1)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="by-columns"
# For each `unit` in `mg.eye(len(x))`: run `mg.func.jvp(function, (x,), (unit,))`, and keep the second of the
# two things that it returns.

# %% [markdown] tags=["hint"] id="by-columns"
# `mg.stack(columns, dim=1)` puts them side by side. Without `dim=1` they would lie on top of each other, as
# rows, and your table would be tilted.


# %% tags=["check"] id="by-columns"
def three_to_two(x):
    return mg.stack([x[0] * x[1], mg.sin(x[2])])


def two_to_three(x):
    return mg.stack([x[0] * x[1], mg.sin(x[0]), x[1] ** 2])


def runs_backward(size):
    """whether `by_columns` of a function with {size} inputs ran any gradient rule"""
    heard = []
    stop = events.listen(lambda event: heard.append(event) if isinstance(event, events.BackwardStarted) else None)
    try:
        by_columns(mg.sin, mg.ones(size))
    finally:
        stop()
    return len(heard) > 0


at = mg.tensor([2.0, 5.0, 0.0])
expect(by_columns, three_to_two, at, gives=mg.tensor([[5.0, 2.0, 0.0], [0.0, 0.0, 1.0]]))
some = mg.randn(2)
a, b = some.tolist()
expect(by_columns, two_to_three, some, gives=mg.tensor([[b, a], [math.cos(a), 0.0], [0.0, 2.0 * b]]), within=1e-5)
expect(by_columns, mg.exp, mg.zeros(2), gives=mg.eye(2))
expect(runs_backward, 3, gives=False)

# %% [markdown]
# ## The cost meter
#
# Which of them is cheaper? Let us not guess, but count. minigrad tells everyone who listens about each op
# that it runs, of the program and of the gradients alike:


# %%
def ops_run(function, *arguments):
    """How many ops run while `function` is called."""
    heard = []
    stop = events.listen(lambda event: heard.append(1) if isinstance(event, events.NodeRecorded) else None)
    try:
        function(*arguments)
    finally:
        stop()
    return len(heard)


weights = [mg.randn(100, 100) / 10 for _ in range(3)]
tall, wide = mg.randn(100, 1), mg.randn(1, 100)


def one_knob(x):
    """1 input, 100 outputs: a knob and its dials."""
    return mg.tanh(weights[1] @ mg.tanh(weights[0] @ mg.tanh(tall @ x)))


def one_loss(x):
    """100 inputs, 1 output: a net and its loss."""
    return wide @ mg.tanh(weights[1] @ mg.tanh(weights[0] @ x))


def funnel(x):
    """100 inputs, 10 outputs."""
    return (weights[1] @ mg.tanh(weights[0] @ x))[:10]


jobs = {"one_knob": (one_knob, mg.randn(1)), "one_loss": (one_loss, mg.randn(100)), "funnel": (funnel, mg.randn(100))}
for name, (function, x) in jobs.items():
    columns, rows = ops_run(by_columns, function, x), ops_run(by_rows, function, x)
    print(f"{name:9}   by columns {columns:5} ops   by rows {rows:5} ops")

# %% [markdown]
# ### Exercise: choose the gear
#
# Write `jacobian(function, x)`: the whole table, in whichever way is cheaper. To find out how many outputs
# there are, you may call the function once. The check looks at your meter.


# %% tags=["exercise"] id="jacobian"
def jacobian(function, x):
    ### BEGIN SOLUTION
    outputs = len(function(x))
    return by_columns(function, x) if len(x) < outputs else by_rows(function, x)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="jacobian"
# By columns, the function runs once for each *input*. By rows, one goes back once for each *output*.

# %% [markdown] tags=["hint"] id="jacobian"
# Compare `len(x)` with `len(function(x))`, and call the one or the other.


# %% tags=["check"] id="jacobian"
def your_jacobian(name, x):
    """`jacobian({name}, x)` for a random x"""
    return jacobian(jobs[name][0], x)


def ops_of_your_jacobian(name):
    """how many ops run in `jacobian({name}, x)`"""
    return ops_run(jacobian, *jobs[name])


def square_of_all(x):
    return x * x


for name, (function, x) in jobs.items():
    some = mg.randn(x.shape)
    expect(your_jacobian, name, some, gives=mg.autograd.functional.jacobian(function, some), within=1e-4)
    cheaper = min(ops_run(by_columns, function, x), ops_run(by_rows, function, x))
    expect(ops_of_your_jacobian, name, gives=at_most(cheaper + 10))
expect(jacobian, square_of_all, mg.tensor([1.0, 2.0]), gives=mg.tensor([[2.0, 0.0], [0.0, 4.0]]))

# %% [markdown]
# A rule of thumb: **few inputs, forward; few outputs, backward.** Learning has one output, the loss, and that
# is why the world goes backward.
#
# There is a second bill, memory. Backward keeps what its rules ask for, until it has come by. Forward keeps
# nothing: it can go through a program of a million steps in the memory of one.
#
# ## Both gears at once
#
# In lesson 10, a Hessian-vector product was a gradient of a gradient: backward twice. But what one asks for
# is how the *gradient moves* along a direction. A thing that moves along a direction is a job for the
# forward gear. So push a direction *through* backward:


# %%
def hvp(function, p, v):
    return mg.func.jvp(mg.func.grad(function), (p,), (v,))[1]


def river(p):
    return (1.0 - p[0]) ** 2 + 100.0 * (p[1] - p[0] ** 2) ** 2


moved = hvp(river, mg.tensor([-1.2, 1.0]), mg.tensor([1.0, 0.0]))
print([round(each, 2) for each in moved.tolist()])  # [1330.0, 480.0]

# %% [markdown]
# That is the first column of lesson 10's Hessian: 1330 and 480.
#
# ## Watch the tangents flow
#
# PyTorch's way of writing duals is `make_dual` and `unpack_dual`, and minigrad has it as well. Here is the
# neuron once more. Its weight also requires a gradient, so that we can walk *back* from the tangent at the
# end: that is the slope of the slope.

# %%
mg.observe.look()
weight = mg.tensor(2.0, requires_grad=True)
with forward_ad.dual_level():
    w = forward_ad.make_dual(weight, mg.tensor(1.0))
    product = w * 3.0
    total = product - 5.0
    y = mg.tanh(total)
    tangent = forward_ad.unpack_dual(y).tangent
tangent.backward()

print(f"value {y.item():.4f}")  # value 0.7616
print(f"slope {tangent.item():.4f}")  # slope 1.2599
print(f"slope of the slope {weight.grad.item():.4f}")  # slope of the slope -5.7573

# %% [markdown]
# Look at its graph. On the lesson's page, press **Show it here** above, and the graph stands beside the text.
# From a notebook or an editor, type `minigrad lesson run 11` in a terminal: the browser opens at the newest
# step, which is this one:
#
# 1. Press **home**, then **→**. Each op gives its value in blue: 6, 1, 0.7616. And right after it
#    a second box gives the *tangent*, also in blue: 3, then 3, then 1.260. Both flow the
#    same way, downwards. Not one orange number yet.
# 2. Click the box that says 1.260. Its formula is $g \odot (1 - y^2)$: tanh's rule of lesson 1, fed with a
#    tangent and not with a gradient. The one rule serves both gears, because tanh works on each element
#    alone.
# 3. The second box of the subtraction says **Clone**: it hands the tangent on as it is. Why? (What is the tangent of a
#    constant?)
# 4. Go on with **→**. Now backward starts, at the tangent, and orange numbers go up. On the last edge, into
#    `w`, stands -5.76: the slope of the slope.
#
# ## Summary
#
# - A dual number carries its tangent: how fast it moves when the input moves.
# - Forward mode gives the Jacobian by columns, one run for each input. It keeps nothing.
# - Backward gives it by rows, one walk for each output. It has to remember.
# - Few inputs: forward. Few outputs: backward. For a Hessian-vector product: forward through backward.
#
# ## Two open questions
#
# 1. A function has 1,000 inputs and 1,000 outputs, but inside it, everything goes through a layer of 10
#    numbers. How many runs do you need for the whole Jacobian, if you cut it in two there?
# 2. Send one *random* direction through the forward gear, and multiply the direction by the number that comes
#    out. On average that is the gradient! Why does nobody train large nets so? (Try it with 1,000 inputs.)
