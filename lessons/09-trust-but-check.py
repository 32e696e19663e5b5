# ---
# title: Trust, but check
# goal: Find a wrong gradient by measuring, look into backward with hooks, and trace a NaN to its line.
# minutes: 45
# seconds: 15
# explorer: Press n: it leads to where the first infinity or NaN appears, and to its line. From there on all is red.
# view: sel=n4
# ---

# %% [markdown]
# # Trust, but check
#
# A wrong result of a program is often plain to see. A wrong gradient is not. The net still learns, only a bit
# worse than it could, and nobody ever knows. **How do I find out whether a gradient is right? And if
# something in it turns to NaN, where did that begin?**
#
# A push of 10 to the power `p`, and how wrong the measured slope of the sine is then. Where is it best?
#
# ```figure
# p = -5 from -15 to -1
# push = 10 ** p
# tried = (sin(1 + push) - sin(1 - push)) / (2 * push)
# wrong = abs(tried - cos(1)) + 1e-17
# digits = -log(wrong) / log(10)
# show push = push
# show slope by trying = tried
# show digits that are right = digits
# ```
#
# At the end of this lesson you can
#
# - write a check of gradients, and say how far it can be trusted,
# - choose points at which a check finds the mistake, and raises no false alarm,
# - look at gradients on their way, change them there, and find the first NaN.
#
# You need lesson 1, where you measured a slope, and lesson 8.

# %%
import math
import warnings

import minigrad as mg
from minigrad.autograd import gradcheck
from minigrad.classroom import expect

mg.manual_seed(0)

# %% [markdown]
# ## How small a push?
#
# To measure a slope, push the input to both sides and divide. In lesson 1 you saw the error fall with a smaller
# push, and then rise. Now we want to know *why*, because every check rests on it. Take `exp` at 0.7:


# %%
def error_of(push, dtype):
    x = mg.tensor(0.7, dtype=dtype)
    measured = (mg.exp(x + push) - mg.exp(x - push)).item() / (2 * push)
    return abs(measured - math.exp(0.7))


for digits in range(1, 14):
    push = 10.0**-digits
    one, other = error_of(push, mg.float64), error_of(push, mg.float32)
    print(f"push 1e-{digits:02}   float64 {one:.0e}   float32 {other:.0e}")

# %% [markdown]
# Two errors are at work, and they pull in opposite directions.
#
# - The slope changes on the way. That error falls with the *square* of the push.
# - Numbers are rounded. A float64 keeps 16 digits, so the difference is wrong in the 16th, and dividing by a
#   small push makes that large. This error *rises* as the push falls.
#
# In float64 they meet near 1e-6, and the best slope has about eleven right digits. In float32 there are only seven
# digits to begin with, and the best slope has about four.

# %% [markdown] tags=["predict"] id="square" answer="10000" within="200"
# The push falls from 0.1 to 0.001, to one hundredth. How many times as small does the error of float64 become?
#
# ---
# About **10,000** times, the square of 100. (Not exactly, as there are still smaller terms.)

# %%
print(f"{error_of(1e-1, mg.float64) / error_of(1e-3, mg.float64):.0f}")  # 10005

# %% [markdown]
# That is why `gradcheck` pushes by 1e-6 and asks for float64. It warns you if it gets anything else.
#
# ### Exercise: measure a gradient
#
# Write `measured_gradient(function, x, push)`. `function` takes a tensor and returns one number, as a tensor.
# Your function returns the gradient at `x`, measured: it pushes one element after the other to both sides, and
# leaves the rest alone. `x` itself must be as it was in the end. It is given flat, with one dimension.


# %% tags=["exercise"] id="measured"
def measured_gradient(function, x, push=1e-6):
    gradient = mg.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        ### BEGIN SOLUTION
        right, left = x.clone(), x.clone()
        right[i] += push
        left[i] -= push
        gradient[i] = (function(right) - function(left)) / (2 * push)
        ### END SOLUTION
    return gradient


# %% [markdown] tags=["hint"] id="measured"
# Make a copy of `x` for each side: `right = x.clone()`. Then `right[i] += push` changes one element of the
# copy.

# %% [markdown] tags=["hint"] id="measured"
# `gradient[i] = (function(right) - function(left)) / (2 * push)`, with `left` made in the same way.


# %% tags=["check"] id="measured"
def product_of_all(x):
    return x.prod()


def cubes(x):
    return (x * x * x).sum()


def what_is_left_of_x():
    """x after `measured_gradient(function, x, 0.5)`, for x = [1, 2, 5]"""
    x = mg.tensor([1.0, 2.0, 5.0], dtype=mg.float64)
    measured_gradient(product_of_all, x, 0.5)
    return x


point = mg.tensor([1.0, 2.0, 5.0], dtype=mg.float64)
expect(what_is_left_of_x, gives=point)
expect(measured_gradient, product_of_all, point, gives=mg.tensor([10.0, 5.0, 2.0], dtype=mg.float64))
some, push = mg.rand(4, dtype=mg.float64) + 1.0, 0.1 + 0.2 * mg.rand(1).item()
expect(measured_gradient, cubes, some, push, gives=3.0 * some * some + push * push)

# %% [markdown]
# That is the heart of `gradcheck`. The rest is care: it takes functions of many inputs and outputs, tells you
# *which* element is furthest off, and looks for the op that is to blame.
#
# ## Where to look
#
# A check looks at one point. What it does not look at, it cannot find. Here is an op that lets a little
# through below 0, a tenth. Its author made a slip:


# %%
class Leaky(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return mg.where(x > 0, x, 0.1 * x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return mg.where(x > 0, grad, 0.01 * grad)


def passes(op, points):
    x = mg.tensor(points, dtype=mg.float64, requires_grad=True)
    return gradcheck(op, x, raise_exception=False)


print(passes(Leaky.apply, [0.5, 1.0, 2.0]))  # True
print(passes(Leaky.apply, [0.5, 1.0, -2.0]))  # False

# %% [markdown]
# It passes at three points, all of them above 0. So: **look on both sides of every kink.** But not *at* a kink.
# Relu is right, and yet:

# %%
print(passes(mg.relu, [0.0]))  # False

# %% [markdown]
# At 0 the push to the right sees a slope of 1, the one to the left sees 0, and the measured slope is 0.5.
# There is no right slope at a kink. minigrad says 0, by agreement. That was a false alarm.
#
# ### Exercise: the wrong one of five
#
# Here are five ops. Each is correct forward, and one of them is wrong backward. Write `wrong_ones(ops)`. It
# takes a dictionary of ops by name, and returns the list of the names of those that fail `gradcheck`. You
# choose the points. They must be good for ops that have their kinks at -1, at 0 or at 1, and that are wrong
# only *somewhere* between -3 and 3.


# %%
def an_op(forward, slope):
    """An op that goes element by element, from its function and its slope."""

    class Made(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return forward(x)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * slope(x)

    return Made.apply


FIVE = {
    "softsign": an_op(lambda x: x / (1 + x.abs()), lambda x: 1 / (1 + x.abs()) ** 2),
    "hardtanh": an_op(lambda x: x.clamp(-1, 1), lambda x: (x.abs() < 1).to(x.dtype)),
    "swish": an_op(lambda x: x * mg.sigmoid(x), lambda x: mg.sigmoid(x) * (1 + x * (1 - mg.sigmoid(x)))),
    "gauss": an_op(lambda x: mg.exp(-x * x), lambda x: -2 * x * mg.exp(-x * x)),
    "shrink": an_op(lambda x: x.sign() * mg.relu(x.abs() - 1), lambda x: (x > 1).to(x.dtype)),
}


# %% tags=["exercise"] id="wrong-ones"
def wrong_ones(ops):
    ### BEGIN SOLUTION
    points = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]
    return [name for name, op in ops.items() if not passes(op, points)]
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="wrong-ones"
# `passes(op, points)` is True or False. Return the names for which it is False.

# %% [markdown] tags=["hint"] id="wrong-ones"
# The kinks cut the line into four pieces: below -1, from -1 to 0, from 0 to 1, above 1. You need a point in
# each, and none on -1, 0 or 1.


# %% tags=["check"] id="wrong-ones"
def spoilt(where):
    """The slope of 2 * x, but 3 in one piece of the line."""
    low, high = where
    return lambda x: mg.where((x > low) & (x < high), 3.0, 2.0)


def wrong_ones_among(pieces):
    """`wrong_ones` of four ops 2 * x, whose slope is 3 where the name says {pieces}"""
    ops = {
        name: an_op(lambda x: 2.0 * x, spoilt(where) if where else lambda x: 2.0 + 0.0 * x)
        for name, where in pieces.items()
    }
    return wrong_ones(ops)


def wrong_ones_of(*names):
    """`wrong_ones` of minigrad's own ops, which are all right"""
    return wrong_ones({name: getattr(mg, name) for name in names})


LINE = {"left": (-9.0, -1.0), "near left": (-1.0, 0.0), "near right": (0.0, 1.0), "right": (1.0, 9.0)}
right = dict.fromkeys(LINE)
expect(wrong_ones_among, right, gives=[])
for name in ("right", "left", "near right", "near left"):
    expect(wrong_ones_among, {**right, name: LINE[name]}, gives=[name])
expect(wrong_ones_among, {**LINE, "near left": None, "near right": None}, gives=["left", "right"])
expect(wrong_ones_of, "relu", "tanh", "abs", gives=[])

# %%
print(wrong_ones(FIVE))

# %% [markdown]
# There it is. Its slope forgets the left side: it should ask for `x.abs() > 1`. To know more, let gradcheck
# raise its error. The last lines are written for people:

# %%
try:
    gradcheck(FIVE["shrink"], mg.tensor([-2.0, 2.0], dtype=mg.float64, requires_grad=True))
except RuntimeError as error:
    print(str(error).partition("In words: ")[2])

# %% [markdown]
# ## Hooks: a look at what passes by
#
# `.grad` is kept for leaves only. What of the gradients on their way? A **hook** is a function of yours that is
# called with the gradient when it comes by. `tensor.register_hook(hook)` puts it there. Here we hang one on each
# layer of a chain of twelve sigmoids and note how long the gradient is:


# %%
def lengths_on_the_way(squash, layers=12):
    x = mg.linspace(-1.0, 1.0, 20).requires_grad_()
    lengths = []
    y = x
    for _ in range(layers):
        y = squash(y)
        y.register_hook(lambda grad: lengths.append(grad.norm().item()))
    y.sum().backward()
    return lengths


for layer, length in enumerate(lengths_on_the_way(mg.sigmoid)):
    print(f"{12 - layer:2} {length:9.1e} {'█' * max(0, round(4 * math.log10(length) + 28))}")

# %% [markdown]
# The bars are logarithmic: the gradient shrinks to about a quarter with each layer. The slope of a sigmoid is
# 0.25 at most, and slopes along a chain multiply. The first layers hear next to nothing. This is the
# *vanishing gradient*, and it kept deep nets from learning for twenty years.
#
# ## Hooks that change something
#
# If a hook *returns* a tensor, that takes the gradient's place. The opposite trouble is the exploding gradient:
# one bad example, and a step throws the whole net away. A remedy is to **clip**: if the gradient is longer than
# a limit, make it as long as the limit, in the same direction.
#
# ### Exercise: a hook that clips
#
# Write `clip(tensor, limit)`. It hangs a hook on `tensor` that clips, and returns what `register_hook` returns:
# a handle, whose method `remove` takes the hook away again. The length of a tensor is `grad.norm()`.


# %% tags=["exercise"] id="clip" plays="y = f(w); the gradient of w gives w.grad"
def clip(tensor, limit):
    ### BEGIN SOLUTION
    def shorten(grad):
        length = grad.norm()
        return grad * (limit / length) if length > limit else grad

    return tensor.register_hook(shorten)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="clip"
# Define a function in the function: `def shorten(grad):`. Hang it up with `tensor.register_hook(shorten)`, and
# return what comes back.

# %% [markdown] tags=["hint"] id="clip"
# In the hook: if `grad.norm()` is above the limit, return `grad * (limit / grad.norm())`. Otherwise return
# `grad` as it is.


# %% tags=["check"] id="clip"
def clipped_gradient(slopes, limit, remove=False):
    """the gradient of w, whose slopes are {slopes}, after `clip(w, {limit})`; the hook removed: {remove}"""
    w = mg.zeros(len(slopes), requires_grad=True)
    handle = clip(w, limit)
    if remove:
        handle.remove()
    (w * mg.tensor(slopes)).sum().backward()
    return w.grad


def clipped_on_the_way():
    """the gradient of w, when `clip(middle, 5.0)` hangs on middle = 2 * w, at which [30, 40] arrives"""
    w = mg.tensor([1.0, 1.0], requires_grad=True)
    middle = 2.0 * w
    clip(middle, 5.0)
    (middle * mg.tensor([30.0, 40.0])).sum().backward()
    return w.grad


expect(clipped_gradient, [30.0, 40.0], 5.0, gives=mg.tensor([3.0, 4.0]))
expect(clipped_gradient, [0.3, 0.4], 5.0, gives=mg.tensor([0.3, 0.4]))
expect(clipped_gradient, [0.0, 0.0], 5.0, gives=mg.tensor([0.0, 0.0]))
expect(clipped_gradient, [30.0, 40.0], 5.0, True, gives=mg.tensor([30.0, 40.0]))
some, limit = mg.randn(3) + 5.0, 1.0 + mg.rand(1).item()
expect(clipped_gradient, some.tolist(), limit, gives=some * (limit / some.norm()), within=1e-5)
expect(clipped_on_the_way, gives=mg.tensor([6.0, 8.0]))

# %% [markdown]
# ## The first NaN
#
# *NaN*, not a number, is what 0 / 0 gives, and infinity times 0. And whatever touches a NaN turns into NaN. So
# when you see it, it is everywhere. The question is where it *began*.
#
# Three balls are joined by springs that want to be one long. Two balls happen to lie in the same place.


# %%
def distance(a, b):
    return mg.sqrt((a - b).square().sum())


def stretch(balls):
    """How far the springs are from their length, squared."""
    total = 0.0
    for i, j in ((0, 1), (1, 2), (2, 0)):
        total = total + (distance(balls[i], balls[j]) - 1.0) ** 2
    return total


start = [[0.0, 0.0], [0.0, 0.0], [0.6, 0.8]]
balls = mg.tensor(start, requires_grad=True)
loss = stretch(balls)
loss.backward()
print(loss.item())  # 1.0
print(balls.grad.tolist())  # [[nan, nan], [nan, nan], [0.0, 0.0]]

# %% [markdown]
# The loss is healthy. Only backward breaks. Nobody who looks at the loss alone would see it coming, until the
# next step has put NaN into every ball.
#
# `detect_anomaly` looks at every gradient as it is made. At the first NaN it stops, and names the op and the
# line that made it, in *forward*:


# %%
def first_nan(function, x):
    """What detect_anomaly says about backward; None if it has nothing to say."""
    with warnings.catch_warnings(), mg.autograd.set_detect_anomaly(True):
        warnings.simplefilter("ignore")  # it warns as well, at length; here the error says enough
        try:
            function(x).backward()
        except RuntimeError as error:
            return str(error)


print(first_nan(stretch, mg.tensor(start, requires_grad=True)))

# %% [markdown]
# The line is the one with the root in it. The op that it names, `PowBackward0`, is the square under the root (a
# square is a power). Read the line backwards. The slope of the root is $1 / (2 \sqrt{x})$. At 0 that is
# infinite. That is not a NaN yet. Next comes the square of `a - b`, whose slope there is 0. And infinity times 0
# is NaN.
#
# So treat 0 apart? That is what everybody tries first:


# %%
def hopeful_distance(a, b):
    squared = (a - b).square().sum()
    return mg.where(squared > 0, mg.sqrt(squared), 0.0)


# %% [markdown] tags=["predict"] id="where" answer="1"
# At two equal points `where` takes the 0, and the root is not used. Is the gradient of `a` still NaN? Say 1 for
# yes, and 0 for no.
#
# ---
# **1**: it is. The root was computed all the same, and `where` sends it a gradient: 0, as it was not used. The
# rule of the root multiplies that by its slope, infinity. Zero times infinity is NaN once more.

# %%
a = mg.tensor([1.0, 2.0], requires_grad=True)
hopeful_distance(a, mg.tensor([1.0, 2.0])).backward()
print(int(a.grad.isnan().any()))  # 1

# %% [markdown]
# ### Exercise: mend it
#
# Write `safe_distance(a, b)`. It gives the exact distance, and the right gradient wherever there is one. At two
# equal points the distance is 0, and the gradient is 0, without a NaN. No small number is added anywhere. The
# root must never *see* a 0.


# %% tags=["exercise"] id="safe" plays="squared = sum((a - b) ** 2); distance = sqrt(squared); distance( gives distance, a.grad"
def safe_distance(a, b):
    squared = (a - b).square().sum()
    ### BEGIN SOLUTION
    apart = squared > 0
    harmless = mg.where(apart, squared, 1.0)
    return mg.where(apart, mg.sqrt(harmless), 0.0)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="safe"
# `where` *behind* the root was too late. Put one in front of it: what may the root see in place of 0, so that
# its slope is finite?

# %% [markdown] tags=["hint"] id="safe"
# `harmless = mg.where(squared > 0, squared, 1.0)` goes into the root. And behind the root stands the `where`
# that you know already. It takes two of them.


# %% tags=["check"] id="safe"
def gradient_of_your_distance(a, b):
    """`safe_distance(a, b)` and the gradient of a, for a = {a} and b = {b}"""
    a = mg.tensor(a, dtype=mg.float64, requires_grad=True)
    found = safe_distance(a, mg.tensor(b, dtype=mg.float64))
    found.backward()
    return found.item(), a.grad.tolist()


def nodes_that_give_a_nan(a, b):
    """the nodes that give a NaN on the way back from `safe_distance(a, b)`, for a = {a} and b = {b}"""
    found = safe_distance(mg.tensor(a, requires_grad=True), mg.tensor(b))
    nodes, bad = [found.grad_fn], set()
    for node in nodes:
        nodes += [each for each, _ in node.next_functions if each is not None and each not in nodes]

        def look(gives, _, node=node):
            bad.update(node.name() for each in gives if each is not None and each.isnan().any())

        node.register_hook(look)
    found.backward()
    return sorted(bad)


some, other = mg.randn(3, dtype=mg.float64), mg.randn(3, dtype=mg.float64)
far = (some - other).norm()
expect(gradient_of_your_distance, [3.0, 4.0], [0.0, 0.0], gives=(5.0, [0.6, 0.8]))
expect(gradient_of_your_distance, some.tolist(), other.tolist(), gives=(far.item(), ((some - other) / far).tolist()))
expect(gradient_of_your_distance, [3.0, 4.0], [3.0, 4.0], gives=(0.0, [0.0, 0.0]))
expect(nodes_that_give_a_nan, [3.0, 4.0], [3.0, 4.0], gives=[])
expect(gradient_of_your_distance, [3e-9, 4e-9], [0.0, 0.0], gives=(5e-9, [0.6, 0.8]), within=1e-12)

# %% [markdown]
# Remember the pattern. It is needed for the logarithm, for roots, and for every division, and it is known as
# the *double where*.
#
# ## Watch minigrad do it
#
# Two balls in the same place, a hook that looks on, and the first NaN. (`look` begins a new step in the
# explorer's recording, so that this graph stands alone.)

# %%
mg.observe.look()
a = mg.tensor([1.0, 2.0], requires_grad=True)
b = mg.tensor([1.0, 2.0], requires_grad=True)
apart = a - b
apart.register_hook(lambda grad: print("the hook saw", grad.tolist()))
long = mg.sqrt(apart.square().sum())
loss = (long - 1.0) ** 2
loss.backward()

# %% [markdown]
# Look at its graph. On the lesson's page, press **Show it here** above, and the graph stands beside the text.
# From a notebook or an editor, type `minigrad lesson run 9` in a terminal: the browser opens at the newest
# step, which is this one:
#
# 1. Press **n**. It takes you to the moment and the node where the first NaN or infinity appears, and the line
#    of the source is marked. Is it a NaN, or an infinity?
# 2. **Sqrt** says *inf*: it was the one that made it. Now press **→** again and again. Which op turns infinity
#    into NaN? Search for `nan` in the field above to light up all of it.
# 3. Click the **Sub**. Under **Hooks** stands the hook that you hung there, and the gradient that it saw.
# 4. The numbers beside the orange edges are the gradients, or their lengths. Follow them up: -2, infinity, NaN.
#
# ## Summary
#
# - Measured slopes have two errors. With a push of 1e-6 and float64 both are small.
# - A check sees only the points that it is given: on both sides of each kink, and never on it.
# - A hook sees a gradient on its way, and what it returns takes its place.
# - A NaN spreads. `detect_anomaly` names the op and the line where it began.
# - 0 times infinity is NaN. Keep the 0 away from the root, not only its result.
#
# ## Two open questions
#
# 1. A net has a million inputs. How could you check its gradient with two runs, along *one* direction? What can
#    such a check miss, and how likely is that?
# 2. `clip` shortens each gradient for itself. Optimisers often shorten *all* of them by the same factor. What is
#    the difference, and when does it matter? (`nn.utils.clip_grad_norm_` does the latter.)
