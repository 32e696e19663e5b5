# ---
# title: Your own op
# goal: Write an op with a backward of its own that is stable, and right to second order.
# minutes: 50
# seconds: 15
# explorer: LogSumExp is one node, with your formulas on its card. What ran inside it is in the box "no gradient".
# view: sel=n9
# ---

# %% [markdown]
# # Your own op
#
# Two numbers, 1000 and 1000. Add up their exponentials and take the logarithm. On paper that is
# $\log(2 e^{1000}) = 1000 + \log 2$, about 1000.69. The computer says: infinity. And its gradient is no number
# at all. **How do I teach minigrad an op that it does not have, or one that I know better than it does?**
#
# Here are $\log(e^a + e^3)$ and its slope. Drag `a` far to the right: one of the two ways ends in infinity.
#
# ```figure
# a = 2 from -5 to 1000
# largest = relu(a - 3) + 3
# rest = exp(a - largest) + exp(3 - largest)
# y = largest + log(rest)
# show as it is written = log(exp(a) + exp(3))
# show with the largest taken out = y
# ```
#
# At the end of this lesson you can
#
# - write an op with a forward and a backward of your own,
# - keep exponentials from overflowing, forward and backward,
# - say why an op can have right slopes and wrong slopes of slopes, and write one in which both are right.
#
# You need lesson 3: VJPs. And one word that lesson 4 explains: the *node*, the note that minigrad makes of each op,
# saves until backward what its rule will ask for.

# %%
import math

import minigrad as mg
from minigrad.autograd import gradcheck, gradgradcheck
from minigrad.classroom import expect
from minigrad.nn import functional as F

mg.manual_seed(0)

x = mg.tensor([1000.0, 1000.0], requires_grad=True)
y = mg.log(mg.exp(x).sum())
y.backward()
print(y.item(), x.grad.tolist())  # inf [nan, nan]

# %% [markdown]
# $e^{1000}$ has 435 digits. A float32 ends at 39 digits, so `exp` says *infinity*, and from there on everything
# is lost. In backward, infinity is divided by infinity.
#
# ## The shape of an op
#
# An op of your own is a class. It has two methods, and you never make an object of it. You call it by `apply`.


# %%
class Square(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)  # put away what the rule will ask for
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors  # and take it out again
        return grad * 2.0 * x  # a gradient for each input of forward


x = mg.tensor([3.0, -1.0], requires_grad=True)
y = Square.apply(x)
print(y.grad_fn.name())  # SquareBackward
y.sum().backward()
print(x.grad.tolist())  # [6.0, -2.0]

# %% [markdown]
# `forward` runs as if under `no_grad()`: nothing of what happens in there is written down. The whole op becomes
# *one* node. `ctx` belongs to that node. It is where the node keeps its things. `backward` gets the gradient of
# the output, and returns the gradient of each input: a VJP, as in lesson 3.
#
# Who tells you whether it is right? `gradcheck` does. It measures all slopes by trying, as you did in lesson 1,
# and compares. It wants `float64`, as differences lose half of the digits. (Lesson 9 is about it.)

# %%
point = mg.tensor([3.0, -1.0], dtype=mg.float64, requires_grad=True)
print(gradcheck(Square.apply, point))  # True

# %% [markdown]
# ### Exercise: a cube
#
# Write `Cube`, for $y = x^3$. Its slope is $3 x^2$.


# %% tags=["exercise"] id="cube" plays="y = x ** 3; y.grad = times; gradient gives x.grad; Cube.apply( gives y"
class Cube(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ### BEGIN SOLUTION
        ctx.save_for_backward(x)
        return x * x * x
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad):
        ### BEGIN SOLUTION
        (x,) = ctx.saved_tensors
        return grad * 3.0 * x * x
        ### END SOLUTION


# %% [markdown] tags=["hint"] id="cube"
# Take `Square` for a pattern. Forward saves `x` and returns the cube.

# %% [markdown] tags=["hint"] id="cube"
# Backward returns `grad * 3.0 * x * x`. Don't forget `grad`: it says what comes after your op.


# %% tags=["check"] id="cube"
def gradient_through(op, start, weights):
    """the gradient at x = {start} of the sum of `{op}(x)` times {weights}"""
    x = mg.tensor(start, dtype=mg.float64, requires_grad=True)
    (op(x) * mg.tensor(weights, dtype=mg.float64)).sum().backward()
    return x.grad.tolist()


def second_slopes(op, start):
    """the slope of the slope of `{op}(x)` at x = {start}"""
    x = mg.tensor(start, dtype=mg.float64, requires_grad=True)
    (slope,) = mg.autograd.grad(op(x).sum(), x, create_graph=True)
    if not slope.requires_grad:
        return "your backward gives a constant: no slope of the slope"
    (second,) = mg.autograd.grad(slope.sum(), x)
    return second.tolist()


expect(Cube.apply, mg.tensor([2.0, -1.0]), gives=mg.tensor([8.0, -1.0]))
expect(gradient_through, Cube.apply, [2.0, -1.0, 0.0], [1.0, 1.0, 1.0], gives=[12.0, 3.0, 0.0])
expect(gradient_through, Cube.apply, [2.0, -1.0, 0.0], [10.0, 0.5, 1.0], gives=[120.0, 1.5, 0.0])
some, weights = mg.randn(3, dtype=mg.float64), mg.randn(3, dtype=mg.float64)
wanted = (weights * 3.0 * some * some).tolist()
expect(gradient_through, Cube.apply, some.tolist(), weights.tolist(), gives=wanted)
expect(second_slopes, Cube.apply, [2.0, -1.0, 0.0], gives=[12.0, -6.0, 0.0])

# %% [markdown]
# ## An op may have settings
#
# `forward` may take more than tensors: a number, a list, a name. Such an input has no gradient, so `backward`
# returns `None` in its place. What is no tensor is simply stored on `ctx`.
#
# And `backward` is *yours*. It may return something else than the slope, if you have a reason. Here is one. In
# some nets a part should learn ten times as slowly as the rest, and another part should learn the *opposite*.
# For that one puts an op in between which does nothing in forward, and multiplies the gradient in backward.
#
# ### Exercise: scale the gradient
#
# Write `ScaleGradient`, to be called as `ScaleGradient.apply(x, factor)`. Forward returns a copy of `x`
# (`x.clone()`). Backward multiplies the gradient by `factor`.


# %% tags=["exercise"] id="scale" plays="y = copy(x); y.grad = times; sum gives x.grad; ScaleGradient gives y"
class ScaleGradient(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ### BEGIN SOLUTION
        ctx.factor = factor
        return x.clone()
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad):
        ### BEGIN SOLUTION
        return grad * ctx.factor, None
        ### END SOLUTION


# %% [markdown] tags=["hint"] id="scale"
# `ctx.factor = factor` in forward; in backward it is still there.

# %% [markdown] tags=["hint"] id="scale"
# Forward has two inputs beside `ctx`, so backward returns two things: `grad * ctx.factor, None`.


# %% tags=["check"] id="scale"
def scaled(factor):
    def op(x):
        return ScaleGradient.apply(x, factor)

    op.__name__ = f"ScaleGradient with factor {factor}"
    return op


def scaled_values(factor, start):
    """`ScaleGradient.apply(x, {factor})` for x = {start}"""
    return ScaleGradient.apply(mg.tensor(start), factor)


def scaled_gradient(factor, start, weights):
    """the gradient at x = {start} of the sum of `ScaleGradient.apply(x, {factor})` times {weights}"""
    x = mg.tensor(start, dtype=mg.float64, requires_grad=True)
    (ScaleGradient.apply(x, factor) * mg.tensor(weights, dtype=mg.float64)).sum().backward()
    return x.grad.tolist()


def two_factors():
    """the gradients of x and y, when x goes through the factor 2 and then y through the factor 3"""
    x, y = (mg.tensor(1.0, requires_grad=True) for _ in range(2))
    (ScaleGradient.apply(x, 2.0) + ScaleGradient.apply(y, 3.0)).backward()
    return x.grad.item(), y.grad.item()


def x_after_its_copy_is_set_to_0(factor):
    """x, after the result of `ScaleGradient.apply(x, {factor})` was set to 0 in place: a copy leaves it as it was"""
    x = mg.tensor([2.0, -1.0])
    ScaleGradient.apply(x, factor).zero_()
    return x


expect(scaled_values, 0.1, [2.0, -1.0], gives=mg.tensor([2.0, -1.0]))
expect(x_after_its_copy_is_set_to_0, 0.1, gives=mg.tensor([2.0, -1.0]))
expect(scaled_gradient, 0.1, [2.0, -1.0], [1.0, 5.0], gives=[0.1, 0.5])
factor = -1.0 - mg.rand(1).item()
expect(scaled_gradient, factor, [2.0, -1.0], [1.0, 5.0], gives=[factor, 5.0 * factor])
expect(two_factors, gives=(2.0, 3.0))

# %% [markdown]
# gradcheck does not like it. It is right, and it even says where to look:

# %%
try:
    gradcheck(scaled(0.1), point)
except RuntimeError as error:
    print(str(error).partition("In words: ")[2])

# %% [markdown]
# ## Exponentials that do not explode
#
# Back to $y = \log \sum_i e^{x_i}$. One takes out the largest number, $m$:
#
# $$\log \sum_i e^{x_i} = \log \Big( e^m \sum_i e^{x_i - m} \Big) = m + \log \sum_i e^{x_i - m}$$
#
# Now every exponent is 0 or less, so nothing overflows. At least one of them is exactly 0, so the sum is at
# least 1, and the logarithm is harmless, too.
#
# And the rule? If $x_i$ moves, the sum moves by $e^{x_i}$, and the logarithm by that over the sum. The sum is
# $e^y$. So the slope is $e^{x_i} / e^y$, and that is
#
# $$\bar x_i = \bar y \; e^{x_i - y}$$
#
# Nothing overflows here either: $y$ is at least as large as every $x_i$. (These slopes are all positive, and
# their sum is 1. You may know them by the name *softmax*.)

# %% [markdown] tags=["predict"] id="equal" answer="0.25"
# Four numbers, all equal to 1000. What is the slope of each?
#
# ---
# **0.25**. They are all alike, and their sum is 1. (And $y$ is $1000 + \log 4$, so that
# $e^{x_i - y} = e^{-\log 4} = 1/4$.)

# %%
print(mg.softmax(mg.full((4,), 1000.0), 0).tolist())

# %% [markdown]
# ### Exercise: a stable logsumexp
#
# Write `LogSumExp`. It works along the last dimension: a row of `x` becomes one number. Save `x` and `y`, and
# nothing else. You need `x.amax(-1, keepdim=True)` for the largest of each row, and `.unsqueeze(-1)`, which
# makes a column of a list of numbers, so that it broadcasts against `x`.


# %% tags=["exercise"] id="logsumexp" plays="y = logsumexp(x); y.grad = times; gradient gives x.grad; LogSumExp.apply( gives y"
class LogSumExp(mg.autograd.Function):
    formula = r"\log \sum_i e^{x_i}"  # the explorer shows it on the op's card

    @staticmethod
    def forward(ctx, x):
        largest = x.amax(-1, keepdim=True)
        ### BEGIN SOLUTION
        y = largest.squeeze(-1) + mg.exp(x - largest).sum(-1).log()
        ctx.save_for_backward(x, y)
        return y
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad):
        r"\bar y \; e^{x - y}"
        ### BEGIN SOLUTION
        x, y = ctx.saved_tensors
        return grad.unsqueeze(-1) * mg.exp(x - y.unsqueeze(-1))
        ### END SOLUTION


# %% [markdown] tags=["hint"] id="logsumexp"
# Forward: `mg.exp(x - largest).sum(-1).log()` is the second part. To it comes `largest.squeeze(-1)`, which has
# the same shape. Save `x` and the result, `y`.

# %% [markdown] tags=["hint"] id="logsumexp"
# Backward: `grad` and `y` have one number for each row, and `x` has many. So both are turned to columns:
# `grad.unsqueeze(-1) * mg.exp(x - y.unsqueeze(-1))`.

# %% tags=["check"] id="logsumexp"
expect(LogSumExp.apply, mg.tensor([1000.0, 1000.0]), gives=mg.tensor(1000.6931472))
expect(LogSumExp.apply, mg.tensor([[-1000.0, -1001.0], [0.0, 0.0]]), gives=mg.tensor([-999.6867383, 0.6931472]))
expect(gradient_through, LogSumExp.apply, [1000.0, 1000.0, -1000.0], 3.0, gives=[1.5, 1.5, 0.0])
expect(gradient_through, LogSumExp.apply, [[0.0, 0.0], [1.0, 1.0]], [1.0, -4.0], gives=[[0.5, 0.5], [-2.0, -2.0]])
some, weights = mg.randn(3, 4, dtype=mg.float64), mg.randn(3, dtype=mg.float64)
wanted = (weights.unsqueeze(1) * mg.softmax(some, 1)).tolist()
expect(gradient_through, LogSumExp.apply, some.tolist(), weights.tolist(), gives=wanted)


def second_slope_of_the_square(x):
    """the slope of the slope of y * y at x = {x}, for y = `LogSumExp.apply` of the two numbers x and 0"""
    x = mg.tensor([x], dtype=mg.float64, requires_grad=True)
    y = LogSumExp.apply(mg.cat([x, mg.zeros(1, dtype=mg.float64)]))
    (slope,) = mg.autograd.grad(y * y, x, create_graph=True)
    return mg.autograd.grad(slope, x)[0].item()


for x in (0.0, mg.randn(1).item()):
    y, s = math.log(math.exp(x) + 1.0), 1.0 / (1.0 + math.exp(-x))
    expect(second_slope_of_the_square, x, gives=2.0 * s * s + 2.0 * y * s * (1.0 - s))

# %% [markdown]
# ## Slopes of slopes
#
# Saving `x` and `y` means to compute `exp` once more in backward. Would it not be cheaper to save the slopes
# themselves? They are known in forward. It looks like this, and it is a trap:


# %%
class Trap(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = mg.logsumexp(x, -1)
        ctx.save_for_backward(mg.exp(x - y.unsqueeze(-1)))
        return y

    @staticmethod
    def backward(ctx, grad):
        (slopes,) = ctx.saved_tensors
        return grad.unsqueeze(-1) * slopes


rows = mg.randn(3, 4, dtype=mg.float64, requires_grad=True)
print(gradcheck(Trap.apply, rows))  # True

# %% [markdown]
# The slopes are right. Now ask for the slope of the slope. Take a single number $x$, against a fixed 0, and
# square what comes out: $y = \log(e^x + 1)$ and the result is $y^2$. Let $s$ be the slope of $y$. Then the slope
# of the result is $2 y s$. And *its* slope has two parts, since both $y$ and $s$ move with $x$: $y$ moves by $s$,
# and $s$, which is a sigmoid, moves by $s (1 - s)$. So it is $2 s \cdot s + 2 y \cdot s (1 - s)$. At $x = 0$ we
# have $s = 0.5$ and $y = \log 2 = 0.6931$. That makes $0.5 + 0.3466 = 0.8466$.


# %%
def second_slope(op):
    x = mg.zeros(1, requires_grad=True)
    y = op(mg.cat([x, mg.zeros(1)]))
    (slope,) = mg.autograd.grad(y * y, x, create_graph=True)
    (second,) = mg.autograd.grad(slope, x)
    return second.item()


print(f"{second_slope(Trap.apply):.4f}")  # 0.5000

# %% [markdown]
# It says 0.5, and there was no error. The second part is missing, the one in which $s$ moves. Why? `slopes` was
# computed in *forward*, where nothing is written down. It is neither an input of the op nor an output, so for
# minigrad it fell from the sky: a constant. And a constant does not move.
#
# `x` and `y` are different. `x` is an input and `y` an output. When backward takes them out, both are back in
# their places in the graph. So `exp(x - y)` is written down as made from `x`, and from `y`, which was made from
# `x` by... `LogSumExp`. The rule of your op is used in the rule of your op:

# %% [markdown] tags=["predict"] id="second" answer="0.8466" within="0.001"
# What does `second_slope(LogSumExp.apply)` give, to three digits?
#
# ---
# **0.8466**, the right one, if you saved `x` and `y`. Through `x` the slope $s = e^{x - y}$ moves by
# $s = 0.5$, and through `y` by $-s \cdot s = -0.25$. Together that is $s (1 - s)$.

# %%
print(f"{second_slope(LogSumExp.apply):.4f}")  # 0.8466

# %% [markdown]
# So the rule of thumb is: **save inputs and outputs; compute the rest in backward, with ops that have slopes.**
# (If you don't need second slopes, mark backward with `once_differentiable`. Then asking for them is an error,
# and not a wrong number.)
#
# `gradgradcheck` does for the slopes of slopes what gradcheck does for slopes:

# %%
print(gradgradcheck(LogSumExp.apply, rows))  # True
print(gradgradcheck(Trap.apply, rows, raise_exception=False))  # False

# %% [markdown]
# ### Exercise: out of the trap
#
# Here is another op that falls into it. `Softplus` is $y = \log(1 + e^x)$, and its slope is the sigmoid,
# $s = 1 / (1 + e^{-x})$. Repair it, so that its second slope is right. Forward stays as stable as it is.


# %%
class Softplus(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(mg.sigmoid(x))
        return mg.relu(x) + mg.log(1.0 + mg.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad):
        (slope,) = ctx.saved_tensors
        return grad * slope


# %% tags=["exercise"] id="softplus" plays="y = softplus(x); y.grad = times; gradient gives x.grad"
class GoodSoftplus(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ### BEGIN SOLUTION
        ctx.save_for_backward(x)
        ### END SOLUTION
        return mg.relu(x) + mg.log(1.0 + mg.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad):
        ### BEGIN SOLUTION
        (x,) = ctx.saved_tensors
        return grad * mg.sigmoid(x)
        ### END SOLUTION


# %% [markdown] tags=["hint"] id="softplus"
# What is an input or an output of the op, and enough to compute the slope from?

# %% [markdown] tags=["hint"] id="softplus"
# Save `x`. In backward, `mg.sigmoid(x)` is an op that has slopes itself.


# %% tags=["check"] id="softplus"
expect(gradient_through, GoodSoftplus.apply, [0.0, 1000.0, -1000.0], [1.0, 1.0, 1.0], gives=[0.5, 1.0, 0.0])
some, weights = mg.randn(2, dtype=mg.float64), mg.randn(2, dtype=mg.float64)
slopes = mg.sigmoid(some)
wanted = (weights * slopes).tolist()
expect(gradient_through, GoodSoftplus.apply, some.tolist(), weights.tolist(), gives=wanted)
expect(second_slopes, GoodSoftplus.apply, [0.0, 2.0, -2.0], gives=[0.25, 0.1049935854035065, 0.1049935854035065])
expect(second_slopes, GoodSoftplus.apply, some.tolist(), gives=(slopes * (1.0 - slopes)).tolist())

# %% [markdown]
# ## What it is good for
#
# A net that tells digits apart gives ten scores for each picture. Its loss is called *cross entropy*, the
# negative logarithm of the probability of the right answer, $k$:
#
# $$-\log \frac{e^{x_k}}{\sum_i e^{x_i}} = \log \sum_i e^{x_i} - x_k$$
#
# It is your op, minus one number.
#
# ### Exercise: cross entropy
#
# Write `cross_entropy(scores, labels)`, the mean over all rows. `scores[mg.arange(len(labels)), labels]` picks
# the score of the right answer from each row.


# %% tags=["exercise"] id="cross-entropy" plays="right = pick(scores, labels); all = logsumexp(scores); loss = mean(all - right); gradient gives scores.grad; cross_entropy( gives loss"
def cross_entropy(scores, labels):
    right = scores[mg.arange(len(labels)), labels]
    ### BEGIN SOLUTION
    return (LogSumExp.apply(scores) - right).mean()
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="cross-entropy"
# `LogSumExp.apply(scores)` has one number for each row, as `right` has. Subtract, then take the mean.


# %% tags=["check"] id="cross-entropy"
def gradient_of_your_cross_entropy(scores, labels):
    """the gradient of `cross_entropy(scores, labels)` for scores = {scores}, labels = {labels}"""
    scores = mg.tensor(scores, dtype=mg.float64, requires_grad=True)
    cross_entropy(scores, mg.tensor(labels)).backward()
    return scores.grad


scores, labels = mg.randn(5, 10) * 10.0, mg.randint(0, 10, (5,))
expect(cross_entropy, mg.zeros(2, 10), mg.tensor([0, 9]), gives=2.3025851)
expect(cross_entropy, scores, labels, gives=F.cross_entropy(scores, labels), within=1e-5)
expect(cross_entropy, mg.tensor([[1000.0, -1000.0]]), mg.tensor([1]), gives=2000.0)
few = mg.randn(2, 3, dtype=mg.float64)
wanted = (mg.softmax(few, 1) - mg.tensor([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], dtype=mg.float64)) / 2.0
expect(gradient_of_your_cross_entropy, few.tolist(), [2, 0], gives=wanted)

# %% [markdown]
# ## Watch minigrad do it
#
# Two rows of scores, your op, and the loss. (`look` begins a new step in the explorer's recording, so that this
# graph stands alone.)

# %%
mg.observe.look()
scores = mg.tensor([[1000.0, 998.0, 1001.0], [0.5, -1.0, 0.0]], requires_grad=True)
loss = cross_entropy(scores, mg.tensor([2, 0]))
loss.backward()
print(f"{loss.item():.4f}")  # 0.4766

# %% [markdown]
# Look at its graph. On the lesson's page, press **Show it here** above, and the graph stands beside the text.
# From a notebook or an editor, type `minigrad lesson run 8` in a terminal: the browser opens at the newest
# step, which is this one:
#
# 1. Click **LogSumExp**. It is one node, with its name and your formula on the card. The line below is your
#    rule: it is the text that stands at the top of `backward`.
# 2. The box **no gradient** holds the `exp`, the `sum` and the `log` of your forward. Click it and press **e**.
#    They ran, but they are *not in graph*. Under **Saved for backward** LogSumExp has only `x` and `y`.
# 3. Press **home**, then **→**. In backward your node hands on its gradient in one piece. Which numbers does it
#    send? What is the sum of each row?
#
# ## Summary
#
# - A Function is one node: `forward` computes, `ctx` keeps, `backward` returns a gradient for each input.
# - Inputs that are no tensors get `None`.
# - Take out the largest before you take exponentials.
# - Save inputs and outputs. What was computed in forward has no history, and its second slope is lost.
# - gradcheck and gradgradcheck tell you whether you were right.
#
# ## Two open questions
#
# 1. Rows whose numbers are all $-\infty$ give NaN in your op. Why? What should the answer be, and the gradient?
# 2. `ScaleGradient` lies about its slope on purpose. Which other useful lies can you think of? (What would you
#    let through a step function, whose slope is 0 everywhere?)
