# ---
# title: One number, one slope
# goal: Find the slope of a program one op at a time, and check it.
# minutes: 40
# seconds: 15
# explorer: Values walk down in blue, gradients walk back up in orange; Tanh shows its rule with your numbers in it.
# view: sel=n3
# ---

# %% [markdown]
# # One number, one slope
#
# A program takes a number and gives back another. **If I make the input a little larger, does the result go
# up or down, and how fast?**
#
# Drag `w`, and compare: the slope by trying, and the slope that this lesson teaches you to compute.
#
# ```figure
# w = 2 from -1 to 4
# product = w * 3
# total = product - 5
# y = tanh(total)
# show slope by trying, 0.01 to both sides = measured
# show slope by the rule of each op = slope
# ```
#
# The answer is one number, the *slope*. Everything that learns by gradients is built on it: to make the error
# of a net smaller, you must know which way each of its numbers should move.
#
# At the end of this lesson you can
#
# - measure a slope by trying,
# - compute the same slope exactly, by going through the program backwards,
# - read what minigrad shows you while it does the same.
#
# You need Python's functions and a little school algebra. No calculus: the two rules you need are given.

# %%
import math

import minigrad as mg
from minigrad.classroom import expect

# %% [markdown]
# ## Try it
#
# Here is the program, a single artificial neuron. It multiplies its weight `w` by 3 and takes 5 away. Then it
# squashes what is left into the range from -1 to 1, with tanh.


# %%
def neuron(w):
    product = w * 3.0
    total = product - 5.0
    return math.tanh(total)


print(f"{neuron(2.0):.6f}")  # 0.761594
print(f"{neuron(2.001):.6f}")  # 0.762851

# %% [markdown]
# We made `w` larger by 0.001, and the result grew by about 0.00126. It grew 1.26 times as much as we pushed.
# So the slope of this program at `w = 2` is about 1.26.
#
# That is all a slope is: **how much the result moves, for each unit that the input moves**, when it moves
# only a little.
#
# Pushing to one side has a flaw: the slope changes on the way. Push to *both* sides by the same amount, and
# most of that error cancels. The slope is then the change of the result, divided by the whole width,
# `2 * push`.
#
# ### Exercise: measure a slope
#
# Write `slope(function, x, push)`: call `function` a little to the right of `x` and a little to the left, and
# divide.


# %% tags=["exercise"] id="slope"
def slope(function, x, push=1e-5):
    ### BEGIN SOLUTION
    return (function(x + push) - function(x - push)) / (2 * push)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="slope"
# Call it twice: `function(x + push)` and `function(x - push)`. What is the difference of the two results?

# %% [markdown] tags=["hint"] id="slope"
# The two places are `2 * push` apart, so the difference is divided by `2 * push`. Mind the parentheses:
# `a / 2 * push` is `(a / 2) * push`.


# %% tags=["check"] id="slope"
import random


def three_times(x):
    return 3.0 * x


def square(x):
    return x * x


def cube(x):
    return x * x * x


expect(slope, three_times, 7.0, gives=3.0)
expect(slope, square, 5.0, gives=10.0)
x, push = random.uniform(1.0, 3.0), random.uniform(0.1, 0.5)
expect(slope, cube, x, push, gives=3.0 * x * x + push * push)
expect(slope, neuron, 2.0, gives=1.2599230)

# %% [markdown]
# Smaller pushes should be better, then? Look:

# %%
exact = 3.0 * (1.0 - math.tanh(1.0) ** 2)
for digits in (1, 3, 5, 7, 9, 11, 13, 15):
    measured = slope(neuron, 2.0, 10.0**-digits)
    print(f"push 1e-{digits:02}   slope {measured:.9f}   wrong by {abs(measured - exact):.0e}")

# %% [markdown]
# The error falls at first, and then it *rises* again. With a push of 1e-15 the two results are almost the
# same number. A computer keeps about 16 digits of each; the difference of two nearly equal numbers has only
# the last few of them left.
#
# Measuring has a second flaw, which weighs more. It runs the whole program twice for *each* input. A net with
# a million weights would have to run two million times to learn which way to go, once.
#
# So we keep measuring for what it is good at, checking, and look for a better way.
#
# ## Slopes multiply
#
# Look into the neuron again. It takes three small steps, and we call each of them an *op*:
#
# | op | what it does | value at `w = 2` |
# | --- | --- | --- |
# | multiply | `product = w * 3` | 6 |
# | subtract | `total = product - 5` | 1 |
# | tanh | `result = tanh(total)` | 0.7616 |
#
# Think of three gear wheels in a row. If the second turns 3 times as fast as the first, and the third 0.42
# times as fast as the second, then the third turns 3 × 0.42 = 1.26 times as fast as the first. **Slopes along
# a chain multiply.** This is called the *chain rule*, and the whole course rests on it.
#
# Here the multiplication has slope 3. The subtraction has slope 1: it shifts a number, and a shifted number
# moves as fast as before. And tanh at 1 has slope 0.42:

# %%
print(f"{slope(math.tanh, 1.0):.4f}")  # 0.4200
print(f"{3.0 * 1.0 * slope(math.tanh, 1.0):.4f}")  # 1.2599
print(f"{slope(neuron, 2.0):.4f}")  # 1.2599

# %% [markdown]
# ## Going backwards
#
# We could multiply from the front or from the back. From the back is better, as soon as a program has more
# inputs than results, and you will see why at the end of this lesson.
#
# Going backwards, we carry one number with us. At every place it answers the same question:
#
# > If the value *here* moved a little, how fast would the final result move?
#
# This number is called the **gradient** of that value. The gradient of `y` is written $\bar y$ (say "y bar").
# At the very end it is 1, because the result moves exactly as fast as itself.
#
# Each op needs one rule: *given the gradient of my output, what are the gradients of my inputs?* It is always
# the gradient that arrived, times the op's own slope. The op need not know what comes after it. The number
# that arrives already says everything about that.
#
# ### Exercise: the rule of multiplication
#
# For $y = a \cdot b$: if `a` moves by 1, `y` moves by `b`. So the slope for `a` is `b`. And for `b`?
#
# Write `mul_backward(a, b, grad)`. Here `grad` is $\bar y$, the gradient that arrived. Return a pair: the
# gradient of `a`, and the gradient of `b`.


# %% tags=["exercise"] id="mul" plays="y = a * b; y.grad = grad; gives a.grad, b.grad"
def mul_backward(a, b, grad):
    ### BEGIN SOLUTION
    return grad * b, grad * a
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="mul"
# Try numbers. 2 · 10 = 20, and 3 · 10 = 30. The first factor moved by 1; how far did the product move?

# %% [markdown] tags=["hint"] id="mul"
# Each input's slope is the *other* input. Multiply each by `grad`, and return both, with a comma between
# them.


# %% tags=["check"] id="mul"
def check_mul(a, b, grad):
    """Against measured slopes: `grad` times how the product moves with each of its factors."""
    wanted = grad * slope(lambda moved: moved * b, a), grad * slope(lambda moved: a * moved, b)
    expect(mul_backward, a, b, grad, gives=wanted)


check_mul(2.0, 10.0, 1.0)
check_mul(random.uniform(1.0, 3.0), random.uniform(-9.0, -4.0), random.uniform(0.2, 0.8))
check_mul(0.0, 7.0, -2.0)

# %% [markdown]
# ### Exercise: the rule of tanh
#
# The slope of $y = \tanh x$ is $1 - y^2$. It is 1 in the middle, where tanh is steepest, and almost 0 far
# out, where tanh is flat.
#
# Notice that the rule asks for the *output* `y`, and not for `x`. The output was computed on the way forward,
# so nothing has to be computed twice. Write `tanh_backward(y, grad)`; it returns the gradient of `x`.


# %% tags=["exercise"] id="tanh" plays="y = tanh(x); y.grad = grad; gives x.grad"
def tanh_backward(y, grad):
    ### BEGIN SOLUTION
    return grad * (1.0 - y * y)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="tanh"
# The gradient that arrived, times the op's own slope. The slope is given in the text.

# %% [markdown] tags=["hint"] id="tanh"
# There is no tanh in the answer: `y` is a tanh already.

# %% tags=["check"] id="tanh"
for x, grad in ((0.0, 1.0), (1.0, 1.0), (random.uniform(-1.0, -0.3), random.uniform(2.0, 3.0)), (4.0, -3.0)):
    expect(tanh_backward, math.tanh(x), grad, gives=grad * slope(math.tanh, x))

# %% [markdown]
# ### Exercise: the whole neuron, backwards
#
# Now the neuron has three inputs: $y = \tanh(w \cdot x + b)$. Walk back from the end, where the gradient is
# 1, and return the gradients of `w`, `x` and `b`. Use the two rules that you have written.
#
# The sum hands its gradient on unchanged, to both its inputs: whichever of them moves, the sum moves as far.


# %% tags=["exercise"] id="neuron" plays="product = w * x; total = product + b; y = tanh(total); gives w.grad, x.grad, b.grad"
def neuron_backward(w, x, b):
    product = w * x
    total = product + b
    y = math.tanh(total)
    grad_y = 1.0
    ### BEGIN SOLUTION
    grad_total = tanh_backward(y, grad_y)
    grad_product, grad_b = grad_total, grad_total
    grad_w, grad_x = mul_backward(w, x, grad_product)
    return grad_w, grad_x, grad_b
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="neuron"
# The last op comes first: `grad_total = tanh_backward(y, grad_y)`.

# %% [markdown] tags=["hint"] id="neuron"
# The sum has two inputs, `product` and `b`. Both get `grad_total`. Then ask `mul_backward` for the gradients
# of `w` and `x`.


# %% tags=["check"] id="neuron"
def run_neuron(w, x, b):
    return math.tanh(w * x + b)


def check_neuron(w, x, b):
    """Each slope measured, by moving one input and leaving the others where they are."""
    grad_w = slope(lambda moved: run_neuron(moved, x, b), w)
    grad_x = slope(lambda moved: run_neuron(w, moved, b), x)
    grad_b = slope(lambda moved: run_neuron(w, x, moved), b)
    expect(neuron_backward, w, x, b, gives=(grad_w, grad_x, grad_b))


check_neuron(2.0, 3.0, -5.0)
check_neuron(random.uniform(-0.9, -0.5), random.uniform(0.2, 0.4), random.uniform(0.5, 1.0))
check_neuron(0.0, 1.0, 0.0)

# %% [markdown]
# You went through the program once, backwards, and came home with *three* slopes. Measuring would have run it
# six times. With a million inputs it is still one walk back. That is why we start from the end.
#
# ## Watch minigrad do it
#
# minigrad does what you have just done. While your program runs forward, it writes down which op made which
# value. On `backward()` it walks back along its notes, asks each op for its rule, and puts the gradient of
# each input into `.grad`.

# %% [markdown] tags=["predict"] id="slope-of-x" answer="0.84" within="0.005" plays="w = 2; x = 3; b = -5; product = w * x; total = product + b; y = tanh(total); asks x.grad"
# At `w = 2`, `x = 3`, `b = -5` the slope of tanh is 0.42, and so the gradient of `w` is 0.42 · 3 = 1.26. What
# is the gradient of `x`, to two digits?
#
# ---
# **0.84**. The slope for `x` is the other factor, `w`, and 0.42 · 2 = 0.84.

# %%
w = mg.tensor(2.0, requires_grad=True)
x = mg.tensor(3.0, requires_grad=True)
b = mg.tensor(-5.0, requires_grad=True)

y = mg.tanh(w * x + b)
y.backward()

print(f"y {y.item():.4f}")  # y 0.7616
print(f"w.grad {w.grad.item():.4f}")  # w.grad 1.2599
print(f"x.grad {x.grad.item():.4f}")  # x.grad 0.8399
print(f"b.grad {b.grad.item():.4f}")  # b.grad 0.4200

# %% [markdown]
# See it happen. On the lesson's page, the graph stands beside the text once the cell above has run. From a
# notebook or an editor, type `minigrad lesson run 1` in a terminal: the browser shows it.
#
# 1. Press **home**, then **→** again and again. Values appear in blue from top to bottom: forward. Then
#    gradients appear in orange from bottom to top: backward. The first of them is the 1 at the end.
# 2. Click **Tanh**. The panel on the right shows its formula and its rule, $\bar x = \bar y \odot (1 - y^2)$,
#    with the numbers of this run put in. (The sign $\odot$ means: multiply, element by element. Here there is
#    one element.)
# 3. Click **Mul**. It sent two gradients, one to `w` and one to `x`. Which input's value is in which rule?
# 4. Look for the purple marks: an op *saved* what its rule will ask for. Tanh saved its output, as yours
#    asked for it. Mul saved both its inputs. Add saved nothing; do you see why?
#
# ## What a slope is good for
#
# The slope says that the result grows if `w` grows. Make the result smaller, then: move `w` a little
# *against* its slope.

# %% [markdown] tags=["predict"] id="one-step" answer="0.5525" within="0.06"
# We move `w` by 0.1 times its slope, to the left. The slope is 1.26, and the result is 0.76 now. About what
# will it be?
#
# ---
# **0.55**. The step is 0.126, and 1.26 times that is 0.16, so you may have said 0.60. It fell a little further,
# as the slope grows on the way: tanh is steeper nearer to its middle. A slope is a promise for *small* steps.

# %%
moved = 2.0 - 0.1 * w.grad.item()
print(f"w {moved:.4f}")  # w 1.8740
print(f"result {neuron(2.0):.4f} before, {neuron(moved):.4f} after")  # result 0.7616 before, 0.5525 after

# %% [markdown]
# A program that does this many times *learns*. That is lesson 6.
#
# ## Summary
#
# - A slope says how fast the result moves when an input moves a little.
# - Measuring costs two runs for every input and loses digits. It is the right tool for checking.
# - Slopes along a chain multiply.
# - Going backwards, we carry the gradient: how fast the *final result* moves with the value here. It starts
#   as 1.
# - Each op has one rule: the gradient that arrived, times its own slope. It knows nothing of the ops around
#   it.
#
# ## Two open questions
#
# 1. Set `b` to 5 instead of -5. The sum is then 11, and tanh is flat there. What are the three gradients now,
#    and what would a net learn from them?
# 2. We walked from the end to the start. You could also walk from the start to the end, and carry "how fast
#    does the value here move with `w`?" When would that be the better way?
