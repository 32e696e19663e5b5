# ---
# title: Slopes of slopes
# goal: Differentiate a gradient, and let the curvature say how far to step.
# minutes: 50
# seconds: 20
# explorer: The frame "graph of the gradient": backward has become ops, with gradients of their own.
# ---

# %% [markdown]
# # Slopes of slopes
#
# You stand on a hillside in fog, and you know the slope under your feet. So you know which way is down. But
# **how far should I go?** One metre, or a thousand?
#
# The ring is where one step of Newton leads: the slope divided by the slope of the slope. Drag `x`.
#
# ```figure
# x = 2.4 from -0.5 to 3
# y = x ** 4 / 4 - x ** 2 + 1
# mark x - slope / curvature
# show slope = slope
# show slope of the slope = curvature
# show x after Newton's step = x - slope / curvature
# ```
#
# The slope cannot tell you. It says how steep it is *here*, and nothing about how soon that changes. What you
# want to know is the slope of the slope.
#
# At the end of this lesson you can
#
# - differentiate a gradient, as often as you like,
# - find the bottom of a valley in five steps where plain descent needs many thousands,
# - say how large a learning rate may be, for a function with a hundred thousand inputs.
#
# You need lessons 1 and 3, and from school: the slope of $x^3$ is $3x^2$.

# %%
import math

import minigrad as mg
from minigrad import events
from minigrad.classroom import at_most, expect

mg.manual_seed(0)

# %% [markdown]
# ## A gradient is a result, too
#
# minigrad can find the slope of any program made of its ops. And what is backward? A program made of ops:
# products, sums, a $1 - y^2$ here and there. So backward has slopes as well. We only have to ask that it be
# *written down* while it runs, as forward is. The words for that are `create_graph=True`.

# %% [markdown] tags=["predict"] id="cube" answer="12"
# $x^3$ is 8 at $x = 2$, and its slope $3x^2$ is 12 there. How large is the slope of the slope?
#
# ---
# **12** again. The slope is $3x^2$; the slope of that is $6x$, which is 12 at 2.

# %%
x = mg.tensor(2.0, requires_grad=True)
y = x**3
(slope,) = mg.autograd.grad(y, x, create_graph=True)
(slope_of_slope,) = mg.autograd.grad(slope, x)
print(y.item(), slope.item(), slope_of_slope.item())  # 8.0 12.0 12.0

# %% [markdown]
# Three numbers: the value, its slope, and the slope of the slope.
#
# `autograd.grad(y, x)` is backward that *returns* the gradient, where `y.backward()` puts it into `x.grad`.
# It returns a tuple, one gradient for each input, hence the comma after `slope`.
#
# Everybody forgets `create_graph=True` once. This is what it looks like:

# %%
(forgotten,) = mg.autograd.grad(x**3, x)
try:
    mg.autograd.grad(forgotten, x)
except RuntimeError as error:
    print(str(error).partition(" and")[0])  # element 0 of tensors does not require grad

# %% [markdown]
# The number 12 came back, but nobody wrote down how it was made. For minigrad it is a constant like any
# other.
#
# ### Exercise: as often as you like
#
# Write `derivative(function, at, times)`. It returns, as a Python number, the slope of the slope of the slope
# of `function` at `at`, `times` times over. With `times=0` it returns the value of the function.


# %% tags=["exercise"] id="derivative"
def derivative(function, at, times):
    x = mg.tensor(at, dtype=mg.float64, requires_grad=True)
    result = function(x)
    ### BEGIN SOLUTION
    for _ in range(times):
        (result,) = mg.autograd.grad(result, x, create_graph=True)
    return result.item()
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="derivative"
# Replace `result` by its own gradient, `times` times, in a loop.

# %% [markdown] tags=["hint"] id="derivative"
# `(result,) = mg.autograd.grad(result, x, create_graph=True)` is the whole body of the loop. At the end,
# `result.item()` is the number.


# %% tags=["check"] id="derivative"
def cube(x):
    return x * x * x


at = mg.randn(1).item()
expect(derivative, mg.exp, 0.0, 0, gives=1.0)
expect(derivative, mg.exp, 1.0, 6, gives=math.e)
expect(derivative, mg.sin, at, 1, gives=math.cos(at))
expect(derivative, mg.sin, at, 2, gives=-math.sin(at))
expect(derivative, cube, 2.0, 2, gives=12.0)
expect(derivative, cube, 2.0, 3, gives=6.0)

# %% [markdown]
# ## How far, then?
#
# Walk down a bowl, $f(x) = x^2 - 6x$. Its bottom is at 3. At 10 the slope is $2 \cdot 10 - 6 = 14$. The slope
# of the slope is 2: with every unit that you walk, the slope falls by 2. So after $14 / 2 = 7$ units it is 0,
# and where the slope is 0, there is the bottom:
#
# $$x_{\text{new}} = x - \frac{\text{slope}}{\text{slope of the slope}}$$
#
# That is **Newton's method**. In a bowl of this shape one step is enough. In any other valley the slope of
# the slope changes on the way, so the step does not quite hit, but the next one starts much closer:

# %%


def valley_of_one(x):
    return mg.exp(x) - 2.0 * x  # lowest where exp(x) = 2, at 0.693147...


place = 0.0
for step in range(1, 6):
    place -= derivative(valley_of_one, place, 1) / derivative(valley_of_one, place, 2)
    print(f"step {step}: {place:.15f}   wrong by {abs(place - math.log(2)):.0e}")

# %% [markdown]
# Look at the errors. From the second step on, each is about the *square* of the one before it: the number of
# correct digits doubles. Nothing that knows the slope alone can do that.
#
# ## Two numbers: the Hessian
#
# Here is a valley with two inputs, long and curved like a river's. It is called Rosenbrock's valley, and
# methods have been tried on it since 1960. Its lowest point is (1, 1).


# %%
def river(p):
    x, y = p
    return (1.0 - x) ** 2 + 100.0 * (y - x * x) ** 2


p = mg.tensor([-1.2, 1.0], dtype=mg.float64, requires_grad=True)
optimizer = mg.optim.SGD([p], lr=0.001)
for step in range(1, 1001):
    optimizer.zero_grad()
    river(p).backward()
    optimizer.step()
    if step in (10, 100, 1000):
        print(f"{step:4} steps: ({p[0].item():+.3f}, {p[1].item():+.3f})")

# %% [markdown]
# A thousand steps, and still far from (1, 1). The slope points across the valley, from wall to wall, and the
# small learning rate that the steep walls demand is far too small for the flat floor.
#
# With two inputs the gradient has two numbers. Each of them has a slope for each of the two inputs: four
# slopes of slopes. The table of them is called the **Hessian**. Its row $i$ is the gradient of the $i$-th
# number of the gradient:
#
# $$H_{ij} = \frac{\partial \bar p_i}{\partial p_j}$$
#
# ### Exercise: the Hessian
#
# Write `hessian(function, p)`. It returns the gradient at `p`, and the Hessian, a tensor of shape (n, n).
# `mg.stack` makes a table from a list of rows.
#
# One thing needs care. Backward lets go of what the graph had saved (lesson 4). You go through the same graph
# once for each row, so it has to be kept: `retain_graph=True`.


# %% tags=["exercise"] id="hessian"
def hessian(function, p):
    p = p.detach().requires_grad_()
    (gradient,) = mg.autograd.grad(function(p), p, create_graph=True)
    ### BEGIN SOLUTION
    rows = [mg.autograd.grad(each, p, retain_graph=True)[0] for each in gradient]
    return gradient.detach(), mg.stack(rows)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="hessian"
# `for each in gradient:` gives you its numbers one by one. Each is a tensor with a graph behind it.

# %% [markdown] tags=["hint"] id="hessian"
# One row is `mg.autograd.grad(each, p, retain_graph=True)[0]`. Collect them in a list, and return
# `gradient.detach(), mg.stack(rows)`.


# %% tags=["check"] id="hessian"
def skew(p):
    return p[0] * p[1] ** 2 + mg.exp(p[2])


corner = mg.tensor([-1.2, 1.0], dtype=mg.float64)
table = mg.tensor([[1330.0, 480.0], [480.0, 200.0]], dtype=mg.float64)
expect(hessian, river, corner, gives=(mg.tensor([-215.6, -88.0], dtype=mg.float64), table))
a, b, c = mg.rand(3).tolist()
gradient = mg.tensor([b * b, 2.0 * a * b, math.exp(c)])
table = mg.tensor([[0.0, 2.0 * b, 0.0], [2.0 * b, 2.0 * a, 0.0], [0.0, 0.0, math.exp(c)]])
expect(hessian, skew, mg.tensor([a, b, c]), gives=(gradient, table), within=1e-5)

# %% [markdown]
# Both tables are the same above and below the diagonal. That is no accident: how the slope along `x` changes
# with `y` is how the slope along `y` changes with `x`, wherever the function is smooth.
#
# ### Exercise: Newton in five steps
#
# With many inputs, "slope divided by slope of the slope" becomes: solve $H s = g$ for the step $s$, and go to
# $p - s$. Write `newton(function, start, steps)`; it returns where it ends. Use your `hessian`, and
# `mg.linalg.solve(matrix, vector)`.


# %% tags=["exercise"] id="newton"
def newton(function, start, steps):
    p = start
    ### BEGIN SOLUTION
    for _ in range(steps):
        gradient, curvature = hessian(function, p)
        p = p - mg.linalg.solve(curvature, gradient)
    return p
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="newton"
# In each step: ask `hessian` for the gradient and the matrix at `p`; then replace `p`.

# %% [markdown] tags=["hint"] id="newton"
# `p = p - mg.linalg.solve(curvature, gradient)`. The loop repeats this `steps` times.


# %% tags=["check"] id="newton"
def bowl(p):
    return ((p - 7.0) ** 2).sum() + (p[0] * p[1])


def quartic(p):
    return (p**4).sum()


start = mg.tensor([0.0, 0.0], dtype=mg.float64)
expect(newton, bowl, start, 1, gives=mg.full((2,), 14.0 / 3.0).double())
expect(newton, river, start, 0, gives=start)
some = mg.rand(2, dtype=mg.float64) + 1.0
expect(newton, quartic, some, 1, gives=some * 2.0 / 3.0, within=1e-9)
expect(newton, quartic, some, 3, gives=some * 8.0 / 27.0, within=1e-9)
expect(newton, river, start, 5, gives=mg.ones(2).double(), within=1e-9)

# %%
p = mg.tensor([-1.2, 1.0], dtype=mg.float64)
for step in range(1, 7):
    p = newton(river, p, 1)
    print(f"step {step}: ({p[0].item():+.6f}, {p[1].item():+.6f})   height {river(p).item():.0e}")

# %% [markdown]
# Newton jumps across the valley and even climbs for a moment, in step 2. Then it has the shape of the floor,
# and lands. (A warning, which you should try out: Newton looks for a place where the slope is 0. A summit is
# such a place, too.)
#
# ## A hundred thousand inputs
#
# A net with 100,000 weights has a Hessian of 100,000 × 100,000 numbers. In double precision that is 80
# gigabytes, and it takes 100,000 backwards. Nobody does that.
#
# Remember lesson 3. The Jacobian was far too large as well, and the way out was not to build it: what one
# needs is only what it does to a vector. Here it is the same. We want $H v$, the **Hessian-vector product**:
# how the gradient changes when we walk in the direction $v$.
#
# And it costs one more backward. Look at the number $g \cdot v$, the gradient times a fixed direction, summed
# up. Its gradient is, in place $j$,
#
# $$\sum_i \frac{\partial g_i}{\partial p_j} v_i = (H v)_j$$
#
# since the Hessian is the same above and below the diagonal.
#
# ### Exercise: a product with the Hessian, without the Hessian
#
# Write `hvp(function, p, v)`. It returns $H v$ at `p`: a gradient, then a sum of products, then a gradient.


# %% tags=["exercise"] id="hvp" plays="y = function(p); slope = grad(y, p); dot = sum(slope * v); hvp( gives p.grad"
def hvp(function, p, v):
    p = p.detach().requires_grad_()
    ### BEGIN SOLUTION
    (gradient,) = mg.autograd.grad(function(p), p, create_graph=True)
    return mg.autograd.grad((gradient * v).sum(), p)[0]
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="hvp"
# The first line of the answer stands in `hessian`. Which of the two gradients needs `create_graph=True`?

# %% [markdown] tags=["hint"] id="hvp"
# `(gradient * v).sum()` is one number with a graph behind it. Return its gradient with respect to `p`.


# %% tags=["check"] id="hvp"
def wide_bowl(p):
    """0.5 * (s * p * p).sum(), where s is 1 everywhere, and 50 in the last place"""
    scales = mg.ones(len(p))
    scales[-1] = 50.0
    return 0.5 * (scales * p * p).sum()


def ends_of_a_wide_product(many, value):
    """the first and last number of `hvp(wide_bowl, p, v)` of {many} inputs, with p of ones and v full of {value}"""
    found = hvp(wide_bowl, mg.ones(many), mg.full((many,), value))
    return found[0].item(), found[-1].item()


def backward_runs(many):
    """how often `hvp(wide_bowl, p, v)` goes backward, for {many} inputs"""
    heard = []
    stop = events.listen(lambda event: heard.append(1) if isinstance(event, events.BackwardStarted) else None)
    try:
        hvp(wide_bowl, mg.ones(many), mg.ones(many))
    finally:
        stop()
    return len(heard)


corner = mg.tensor([-1.2, 1.0], dtype=mg.float64)
a, b = mg.randn(2, dtype=mg.float64).tolist()
expect(hvp, river, corner, mg.tensor([1.0, 0.0], dtype=mg.float64), gives=mg.tensor([1330.0, 480.0]).double())
direction = mg.tensor([a, b], dtype=mg.float64)
wanted = mg.tensor([1330.0 * a + 480.0 * b, 480.0 * a + 200.0 * b], dtype=mg.float64)
expect(hvp, river, corner, direction, gives=wanted)
expect(backward_runs, 40, gives=at_most(3))
expect(ends_of_a_wide_product, 100_000, 2.0, gives=(2.0, 100.0), within=1e-4)

# %% [markdown]
# ## How large may a learning rate be?
#
# Descend into a bowl of curvature $\lambda$ with learning rate $\eta$. The slope at $x$ is $\lambda x$, so a
# step leads from $x$ to $x - \eta \lambda x = (1 - \eta \lambda) x$. You come closer only if
# $|1 - \eta \lambda| < 1$. That is so as long as
#
# $$\eta < \frac{2}{\lambda}$$
#
# A function with many inputs has a curvature in each direction. The *largest* of them sets the limit. To find
# it, take any direction $v$ and replace it again and again by $H v$, made as long as 1. Each time, the
# direction of the largest curvature grows more than the others, until it is all that is left. The length of
# $H v$ is then the curvature. This is called *power iteration*.
#
# A function to try it on, with two curvatures, 10 and 1:


# %%
def two_curvatures(p):
    return 0.5 * (10.0 * p[0] ** 2 + p[1] ** 2)


# %% [markdown]
# ### Exercise: the sharpest curvature
#
# Write `sharpest(function, p, rounds)`. Start from `v`, which is given. In each round, compute $H v$, keep
# its length `(product * product).sum().sqrt()`, and divide by it. Return the last length as a Python number.


# %% tags=["exercise"] id="sharpest"
def sharpest(function, p, rounds):
    v = mg.ones(p.shape, dtype=p.dtype)
    v = v / (v * v).sum().sqrt()
    ### BEGIN SOLUTION
    for _ in range(rounds):
        product = hvp(function, p, v)
        length = (product * product).sum().sqrt()
        v = product / length
    return length.item()
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="sharpest"
# Three lines in a loop: the product, its length, the new `v`.

# %% [markdown] tags=["hint"] id="sharpest"
# `product = hvp(function, p, v)`, then `length = (product * product).sum().sqrt()`, then
# `v = product / length`. After the loop, `length.item()`.


# %% tags=["check"] id="sharpest"
def three_curvatures(p):
    return 0.5 * (3.0 * p[0] ** 2 + 9.0 * p[1] ** 2 + p[2] ** 2) + 7.0 * p[0]


def one_curvature(p):
    return 0.5 * 4.0 * (p * p).sum()


expect(sharpest, two_curvatures, mg.zeros(2), 30, gives=10.0)
expect(sharpest, three_curvatures, mg.randn(3), 40, gives=9.0, within=1e-5)
expect(sharpest, three_curvatures, mg.zeros(3, dtype=mg.float64), 1, gives=math.sqrt((9.0 + 81.0 + 1.0) / 3.0))
expect(sharpest, one_curvature, mg.randn(3), 1, gives=4.0, within=1e-5)
expect(sharpest, river, mg.tensor([-1.2, 1.0], dtype=mg.float64), 30, gives=1506.36698, within=1e-6)

# %% [markdown]
# Is it true? Descend 100 steps into `two_curvatures`, with a learning rate just below the limit and one just
# above.

# %% [markdown] tags=["predict"] id="limit" answer="0.2" within="0.001"
# The two curvatures are 10 and 1. What is the largest learning rate that does not explode?
#
# ---
# $2 / 10 =$ **0.2**. The sharpest direction sets the limit for all of them: along the other one, 2 would
# still be allowed.


# %%
def descend(rate, steps=100):
    p = mg.ones(2, requires_grad=True)
    for _ in range(steps):
        (gradient,) = mg.autograd.grad(two_curvatures(p), p)
        p = (p - rate * gradient).detach().requires_grad_()
    return two_curvatures(p).item()


limit = 2.0 / sharpest(two_curvatures, mg.zeros(2), 30)
print(f"limit {limit:.3f}")  # limit 0.200
print(f"{descend(0.95 * limit):.4f}")  # 0.0000
print(f"{descend(1.05 * limit):.0f}")  # 949515392

# %% [markdown]
# Below the limit the error dies away. Above it, it explodes, though both start at the same place and have the
# same slope. So *that* is why a loss suddenly becomes NaN when the learning rate is too large.
#
# ## Watch minigrad do it
#
# A small case: the cube, its slope, and the slope of its slope, which are 3.375, 6.75 and 9 at 1.5. (`look`
# begins a new step in the explorer's recording, so that this graph stands alone. It does nothing else.)

# %%
mg.observe.look()
x = mg.tensor(1.5, requires_grad=True)
y = x * x * x
(slope,) = mg.autograd.grad(y, x, create_graph=True)
slope.backward()
print(y.item(), slope.item(), x.grad.item())  # 3.375 6.75 9.0

# %% [markdown]
# Look at its graph. On the lesson's page, press **Show it here** above, and the graph stands beside the text.
# From a notebook or an editor, type `minigrad lesson run 10` in a terminal: the browser opens at the newest
# step, which is this one:
#
# 1. On the left are the two products of forward, $x \cdot x$ and $\cdot\, x$. Beside them stands a frame,
#    **∇1 graph of the gradient**. It holds 6 ops: what backward did, written down. Its last **Add** gives
#    `slope`, 6.75.
# 2. Press **home**, then **→**. First the values of the two products appear in blue, then their gradients in
#    orange, as ever. With each orange number a box appears in the frame, and there the same number is *blue*:
#    a gradient is a value, too.
# 3. Go on. The second backward starts at `slope`, and runs up through the frame *and* through the first
#    graph. Click `x`: **.grad** is a sum of 5 contributions. Five times `x` was used on the way to its slope.
# 4. Click a **Mul** in the frame. Its formula is the same as outside. There is only one set of rules, and it
#    is used on itself.
#
# ## Summary
#
# - Backward is a program made of ops. With `create_graph=True` it is written down, and has slopes itself.
# - The slope of the slope, the curvature, says how far to go. Newton's step is the slope divided by it.
# - The Hessian is the table of all slopes of slopes. For large programs nobody builds it.
# - A Hessian-vector product costs one more backward: the gradient of $g \cdot v$.
# - The largest curvature $\lambda$ limits the learning rate: $\eta < 2 / \lambda$.
#
# ## Two open questions
#
# 1. Start `newton` on the function `x**3 - 3 * x` at -0.5 and at 0.5. Where does it end, and is that a
#    bottom? How could you tell from the curvature, and what would you change?
# 2. For `hvp` you went backward twice. Suppose you had a way to go *forward* along a direction, and carry
#    slopes with you. Could you push it through backward? (Lesson 11 has such a way.)
