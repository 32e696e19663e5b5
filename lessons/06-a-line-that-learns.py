# ---
# title: A line that learns
# goal: Write gradient descent by hand, split a batch without changing the result, and catch a forgotten zero_grad.
# minutes: 45
# seconds: 15
# explorer: Two backwards add up in w.grad and b.grad. What ran under no_grad has a box of its own.
# view: sel=t1
# ---

# %% [markdown]
# # A line that learns
#
# Here are twenty points that nearly lie on a line. You could lay a ruler through them. **How does a program
# find the line, if all it can do is ask for slopes?**
#
# The error of a line with slope `w`. The ring is where one step against the slope leads. Drag `rate`: when
# is a step too long?
#
# ```figure
# w = 0.5 from -1 to 4
# rate = 0.1 from 0 to 0.6
# error = (2 * w - 3) ** 2
# mark w - rate * slope
# show slope = slope
# show w after the step = w - rate * slope
# ```
#
# At the end of this lesson you can
#
# - write the loop that trains a line, and with the same five lines any net,
# - say what `zero_grad` and `no_grad` are for, and recognise a program in which one of them is missing,
# - train with a batch that does not fit into your memory.
#
# You need lessons 1 and 3. Two things come from lessons in between, and are said here again: a second backward *adds*
# to `.grad`, and a leaf may be changed in place only under `no_grad()`.

# %%
import minigrad as mg
from minigrad.classroom import expect

mg.manual_seed(0)
x = mg.linspace(-1.0, 1.0, 20)
y = 2.0 * x - 0.5 + 0.1 * mg.randn(20)
print([round(value, 2) for value in y.tolist()[:5]])

# %% [markdown]
# ## How wrong is a line?
#
# A line is two numbers: how steep it is, `w`, and how high it is at 0, `b`. At each point the line says
# $w \cdot x + b$, and the point says $y$. Take the difference, square it, and take the mean over all points:
# the **loss**. It is large for a bad line, and 0 only for one that hits every point.


# %%
def loss_of(w, b, x, y):
    return (w * x + b - y).square().mean()


w = mg.tensor(0.0, requires_grad=True)
b = mg.tensor(0.0, requires_grad=True)
loss = loss_of(w, b, x, y)
loss.backward()
print(f"loss {loss.item():.4f}")  # loss 1.8435
print(f"w.grad {w.grad.item():.4f}, b.grad {b.grad.item():.4f}")  # w.grad -1.5449, b.grad 0.9306

# %% [markdown]
# We began with a flat line at 0. The slopes say: if `w` grows, the loss falls; if `b` grows, the loss rises. So
# move each of them a little against its slope. That is all:
#
# > **Gradient descent**: $w \leftarrow w - \text{rate} \cdot \bar w$, and again, and again.
#
# The step must not be written into the graph; it is no part of the line. And `w` is a leaf, which may be
# changed only where nobody writes anything down (lesson 5). Both say: do it in a block `with mg.no_grad():`.
#
# ### Exercise: descend
#
# Write `descend(w, b, x, y, steps, rate)`. In each step: compute the loss, go backward, move `w` and `b` in
# place under `no_grad()`, and clear both gradients (`w.grad = None`) for the next step. It returns nothing.
# It changes `w` and `b`.


# %% tags=["exercise"] id="descend"
def descend(w, b, x, y, steps, rate):
    for _ in range(steps):
        ### BEGIN SOLUTION
        loss_of(w, b, x, y).backward()
        with mg.no_grad():
            w -= rate * w.grad
            b -= rate * b.grad
        w.grad = b.grad = None
        ### END SOLUTION


# %% [markdown] tags=["hint"] id="descend"
# Four lines: `loss_of(...)` and `backward()`, then the block with `no_grad()`, in it `w -= ...` and `b -= ...`,
# and then the gradients are set to `None`.

# %% [markdown] tags=["hint"] id="descend"
# In the block: `w -= rate * w.grad`. Write `-=`: with `w = w - ...` you would make a new tensor, and the `w`
# that was handed to you would stay where it was.


# %% tags=["check"] id="descend"
def where_you_end(x, y, steps, rate):
    """w, b and w.grad after `descend(w, b, x, y, {steps}, {rate})` from 0 and 0, with x = {x} and y = {y}"""
    w, b = (mg.tensor(0.0, dtype=mg.float64, requires_grad=True) for _ in range(2))
    x, y = mg.tensor(x, dtype=mg.float64), mg.tensor(y, dtype=mg.float64)
    descend(w, b, x, y, steps, rate)
    return w.item(), b.item(), w.grad, b.grad


def by_hand(x, y, steps, rate):
    """The same with Python's own numbers."""
    w = b = 0.0
    for _ in range(steps):
        off = [w * one + b - other for one, other in zip(x, y, strict=True)]
        w, b = (
            w - rate * 2 * sum(one * other for one, other in zip(off, x, strict=True)) / len(x),
            b - rate * 2 * sum(off) / len(x),
        )
    return w, b, None, None


expect(where_you_end, [1.0, 3.0], [1.0, 7.0], 1, 0.01, gives=(0.22, 0.08, None, None))  # on the line 3 * x - 2
expect(where_you_end, [1.0, 3.0], [1.0, 7.0], 2, 0.01, gives=(0.4148, 0.1496, None, None))
xs, ys = mg.rand(3).tolist(), (mg.rand(3) + 1.0).tolist()
expect(where_you_end, xs, ys, 5, 0.1, gives=by_hand(xs, ys, 5, 0.1))
expect(where_you_end, [1.0, -1.0], [1.0, -5.0], 30, 0.25, gives=(3.0, -2.0, None, None))  # on the same line

# %%
w.grad = b.grad = None
for _ in range(6):
    print(f"line {w.item():+.3f} * x {b.item():+.3f}   loss {loss_of(w, b, x, y).item():.5f}")
    descend(w, b, x, y, 10, 0.3)

# %% [markdown]
# The line goes to its place and stays there. Is it the best one? For a line there is a formula for that,
# *least squares*, which needs no steps:

# %%
steepness = ((x - x.mean()) * (y - y.mean())).sum() / (x - x.mean()).square().sum()
height = y.mean() - steepness * x.mean()
print(f"least squares  {steepness.item():.4f} {height.item():.4f}")  # least squares  2.0966 -0.4653
print(f"your line      {w.item():.4f} {b.item():.4f}")  # your line      2.0966 -0.4653

# %% [markdown]
# The same. So why steps at all? Because there is a formula for a line, but none for a net. The loop is the
# same for both.
#
# ## What piles up
#
# Lesson 2 said that a second backward *adds* to `.grad`. What if nobody clears it?

# %% [markdown] tags=["predict"] id="third" answer="30" plays="v = 1; loss = 10 * v; asks v.grad"
# The loss is `10 * v`, so its slope is always 10. Three backwards run, and nobody clears `v.grad`. What is it
# then?
#
# ---
# **30**: 10 and 10 and 10.

# %%
v = mg.tensor(1.0, requires_grad=True)
for _ in range(3):
    (10.0 * v).backward()
print(v.grad.item())


# %%
def forgetful(w, b, x, y, steps, rate):
    """Gradient descent, without clearing the gradients: the losses on the way."""
    losses = []
    for _ in range(steps):
        loss = loss_of(w, b, x, y)
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
            b -= rate * b.grad
        losses.append(loss.item())
    return losses


w = mg.tensor(0.0, requires_grad=True)
b = mg.tensor(0.0, requires_grad=True)
for step, loss in enumerate(forgetful(w, b, x, y, 60, 0.03)):
    if step % 3 == 0:
        print(f"{step:2} {loss:.3f} {'█' * round(20 * loss)}")

# %% [markdown]
# It swings, and it does not come to rest. Each step follows the sum of *all* gradients since the beginning.
# When the line is at its best place, that sum is large, so it rushes on. It is a pendulum without friction.
#
# The treacherous part: the loss falls at first. If you stop after ten steps, you are content.
#
# ### Exercise: the detector
#
# Three colleagues wrote a training step each. Every one of them takes a list of parameters (leaves), and a
# loss function, and does one step. One of them forgets to clear something. Write `piles_up(step)`, which finds
# out by trying, without reading the code.
#
# The parameters are given, and so is the loss. Its slopes are 2 and 5, wherever you are. Call
# `step(parameters, loss)` twice. Then return a list with the numbers (0 or 1) of those parameters whose second
# step was longer than the first.


# %% tags=["exercise"] id="detector"
def piles_up(step):
    parameters = [mg.tensor(0.0, requires_grad=True) for _ in range(2)]

    def loss():
        return 2.0 * parameters[0] + 5.0 * parameters[1]

    ### BEGIN SOLUTION
    places = [[0.0, 0.0]]
    for _ in range(2):
        step(parameters, loss)
        places.append([parameter.item() for parameter in parameters])
    start, once, twice = places
    return [i for i in range(2) if abs(twice[i] - once[i]) > 1.5 * abs(once[i] - start[i])]
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="detector"
# After the first call, note where each parameter is: `parameter.item()`. After the second call, too. They
# began at 0.

# %% [markdown] tags=["hint"] id="detector"
# The slopes are the same everywhere, so both steps should be equally long. Where a gradient has piled up, the
# second is twice as long. Compare with 1.5 times the first, since numbers in float32 are rounded.


# %%
def step_of_ada(parameters, loss):
    loss().backward()
    with mg.no_grad():
        for parameter in parameters:
            parameter -= 0.1 * parameter.grad
            parameter.grad = None


def step_of_ben(parameters, loss):
    for parameter in parameters:
        loss().backward()
        with mg.no_grad():
            parameter -= 0.1 * parameter.grad
        parameter.grad = None


def step_of_cleo(parameters, loss):
    optimizer = mg.optim.SGD(parameters, lr=0.1)
    optimizer.zero_grad()
    loss().backward()
    optimizer.step()


# %% tags=["check"] id="detector"
def never_clears(parameters, loss):
    """goes backward, steps, and never clears a gradient"""
    loss().backward()
    with mg.no_grad():
        for parameter in parameters:
            parameter -= 0.1 * parameter.grad


def clears_the_first_one_only(parameters, loss):
    """clears the gradient of the first parameter only"""
    parameters[0].grad = None
    never_clears(parameters, loss)


def clears_the_second_one_only(parameters, loss):
    """clears the gradient of the second parameter only"""
    parameters[1].grad = None
    never_clears(parameters, loss)


def clears_too_early(parameters, loss):
    """clears before it steps, so nothing moves; that is wrong too, but nothing piles up"""
    loss().backward()
    for parameter in parameters:
        parameter.grad = None


def clears_and_goes_in_three_small_steps(parameters, loss):
    """clears all gradients, and takes 0.33 times the slope away three times, which is rounded three times"""
    for parameter in parameters:
        parameter.grad = None
    loss().backward()
    with mg.no_grad():
        for parameter in 3 * parameters:
            parameter -= 0.33 * parameter.grad


def steps_of_one_length(parameters, loss):
    """clears all gradients, and goes up the slope"""
    for parameter in parameters:
        parameter.grad = None
    loss().backward()
    with mg.no_grad():
        for parameter in parameters:
            parameter += 0.7 * parameter.grad


def clears_and_goes_down(parameters, loss):
    """clears all gradients, and takes 0.3 times the slope away"""
    for parameter in parameters:
        parameter.grad = None
    loss().backward()
    with mg.no_grad():
        for parameter in parameters:
            parameter -= 0.3 * parameter.grad


expect(piles_up, never_clears, gives=[0, 1])
expect(piles_up, step_of_ada, gives=[])
expect(piles_up, step_of_cleo, gives=[])
expect(piles_up, clears_the_first_one_only, gives=[1])
expect(piles_up, clears_the_second_one_only, gives=[0])
expect(piles_up, clears_and_goes_in_three_small_steps, gives=[])
expect(piles_up, steps_of_one_length, gives=[])
expect(piles_up, clears_and_goes_down, gives=[])
expect(piles_up, clears_too_early, gives=[])

# %%
for step in (step_of_ada, step_of_ben, step_of_cleo):
    print(step.__name__, piles_up(step))

# %% [markdown]
# It was Ben. He clears what he has moved, and yet his gradients pile up. He goes backward once for *each*
# parameter, and each backward reaches *all* of them: while he moves the second, something new gathers at the
# first.
#
# Cleo writes it as one writes it everywhere: `zero_grad`, backward, `step`. The order of these three is worth
# learning by heart.
#
# ## Piling up on purpose
#
# A batch of 1,000 examples does not fit into your memory; 250 do. Remember the mountain of lesson 4: its
# height grows with the batch. So go backward four times with 250 examples, clear nothing in between, and step
# once. The gradients add up by themselves; that is why they do.
#
# Is the sum the gradient of the whole batch? Almost.

# %% [markdown] tags=["predict"] id="four-means" answer="4"
# The loss is a *mean* over the examples. Four parts of equal size, each with its own mean, go backward one
# after the other. How many times as large as the gradient of the whole batch is what has piled up?
#
# ---
# **4** times. The mean of all is the mean of the four means, and what piled up is their sum.

# %%
w, b = (mg.tensor(0.0, requires_grad=True) for _ in range(2))
loss_of(w, b, x, y).backward()
whole = w.grad.item()

w.grad = b.grad = None
for part in range(0, 20, 5):
    loss_of(w, b, x[part : part + 5], y[part : part + 5]).backward()
print(f"{w.grad.item() / whole:.2f}")  # 4.00

# %% [markdown]
# ### Exercise: micro-batches
#
# Write `micro_batches(w, b, x, y, size)`. It goes through `x` and `y` in parts of at most `size` examples and
# goes backward for each. Afterwards `w.grad` and `b.grad` are those of one large batch, to the last digits.
# The last part may be smaller than the others. How much should it weigh?


# %% tags=["exercise"] id="micro" plays="line = w * x + b; loss = mean((line - y) ** 2); gives w.grad, b.grad"
def micro_batches(w, b, x, y, size):
    w.grad = b.grad = None
    for start in range(0, len(x), size):
        part_of_x, part_of_y = x[start : start + size], y[start : start + size]
        ### BEGIN SOLUTION
        share = len(part_of_x) / len(x)
        (share * loss_of(w, b, part_of_x, part_of_y)).backward()
        ### END SOLUTION


# %% [markdown] tags=["hint"] id="micro"
# Each part's loss is a mean over that part. In the mean over all, a part counts as much as it has examples.

# %% [markdown] tags=["hint"] id="micro"
# Multiply the part's loss by `len(part_of_x) / len(x)` before you go backward. With four equal parts that is
# a quarter, but the last one may have fewer.


# %% tags=["check"] id="micro"
def gradients_in_parts_of(size, x, y):
    """w.grad and b.grad after `micro_batches(w, b, x, y, {size})`, at w = 0.5 and b = -1, for {x}, {y}"""
    w, b = (mg.tensor(start, requires_grad=True) for start in (0.5, -1.0))
    micro_batches(w, b, mg.tensor(x), mg.tensor(y), size)
    return w.grad.item(), b.grad.item()


xs, ys = mg.randn(12), mg.randn(12)
w, b = (mg.tensor(start, requires_grad=True) for start in (0.5, -1.0))
in_one_piece = tuple(gradient.item() for gradient in mg.autograd.grad(loss_of(w, b, xs, ys), (w, b)))
for size in (12, 4, 5, 1):
    expect(gradients_in_parts_of, size, xs.tolist(), ys.tolist(), gives=in_one_piece, within=1e-4)

# %% [markdown]
# Parts of 8 are 8, 8 and 4. Who divides by the number of parts, 3, counts the last four points twice as much as the
# others. How wrong is that?

# %%
w, b = (mg.tensor(start, requires_grad=True) for start in (0.5, -1.0))
in_one_piece = mg.autograd.grad(loss_of(w, b, x, y), w)[0].item()
for start in range(0, 20, 8):
    (loss_of(w, b, x[start : start + 8], y[start : start + 8]) / 3).backward()
print(f"{w.grad.item() / in_one_piece:.2f} times the right one")  # 1.28 times the right one

# %% [markdown]
# By more than a quarter, and there is no error: the net learns a little worse, and nobody notices.
#
# ## With a little run-up
#
# The pendulum had something good about it: it was fast. Give it friction, and it comes to rest. That is
# **momentum**. The optimiser keeps a speed for each parameter. In each step the speed loses a part, and the
# gradient is added to it:
#
# $$v \leftarrow \mu v + \bar w \qquad\qquad w \leftarrow w - \text{rate} \cdot v$$
#
# With $\mu = 0$ that is plain descent, and with $\mu = 1$ it is the pendulum.
#
# ### Exercise: your own optimiser
#
# Write the method `step` of `Descent`. `self.speeds` has a tensor for each parameter, zeros at first. Change
# the parameters and the speeds in place.


# %% tags=["exercise"] id="optimiser"
class Descent:
    def __init__(self, parameters, rate, momentum):
        self.parameters = list(parameters)
        self.rate, self.momentum = rate, momentum
        self.speeds = [mg.zeros(parameter.shape) for parameter in self.parameters]

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    def step(self):
        for parameter, speed in zip(self.parameters, self.speeds, strict=True):
            ### BEGIN SOLUTION
            with mg.no_grad():
                speed.mul_(self.momentum).add_(parameter.grad)
                parameter -= self.rate * speed
            ### END SOLUTION


# %% [markdown] tags=["hint"] id="optimiser"
# All in a block `with mg.no_grad():`. First the speed, then the parameter.

# %% [markdown] tags=["hint"] id="optimiser"
# `speed.mul_(self.momentum)` and `speed.add_(parameter.grad)` change the tensor that is in the list.
# `speed = ...` would make a new one and forget it at once.


# %% tags=["check"] id="optimiser"
def trained_by_yours(rate, momentum, steps, x, y):
    """w and b after {steps} steps of `Descent([w, b], {rate}, {momentum})` from 0 and 0, for {x}, {y}"""
    w, b = (mg.tensor(0.0, requires_grad=True) for _ in range(2))
    optimiser = Descent([w, b], rate, momentum)
    for _ in range(steps):
        optimiser.zero_grad()
        loss_of(w, b, mg.tensor(x), mg.tensor(y)).backward()
        optimiser.step()
    return w.item(), b.item()


def speeds_of_yours():
    """the speeds that `Descent` has kept after two steps with slopes of 2 and 5, and momentum 0.5"""
    parameters = [mg.tensor(0.0, requires_grad=True) for _ in range(2)]
    optimiser = Descent(parameters, 0.1, 0.5)
    for _ in range(2):
        optimiser.zero_grad()
        (2.0 * parameters[0] + 5.0 * parameters[1]).backward()
        optimiser.step()
    return [speed.item() for speed in optimiser.speeds]


def trained_by_sgd(rate, momentum, steps, x, y):
    w, b = (mg.tensor(0.0, requires_grad=True) for _ in range(2))
    optimiser = mg.optim.SGD([w, b], lr=rate, momentum=momentum)
    for _ in range(steps):
        optimiser.zero_grad()
        loss_of(w, b, mg.tensor(x), mg.tensor(y)).backward()
        optimiser.step()
    return w.item(), b.item()


xs, ys = mg.randn(4).tolist(), (mg.randn(4) + 2.0).tolist()
for rate, momentum, steps in ((0.3, 0.0, 1), (0.3, 0.0, 10), (0.05, 0.9, 10)):
    wanted = trained_by_sgd(rate, momentum, steps, xs, ys)
    expect(trained_by_yours, rate, momentum, steps, xs, ys, gives=wanted, within=1e-4)
expect(speeds_of_yours, gives=[3.0, 7.5], within=1e-5)

# %% [markdown]
# That was `mg.optim.SGD`, down to the last digits. The letters stand for *stochastic gradient descent*: one
# follows the gradient of a batch that was drawn by chance, not that of all the data.
#
# ## Watch minigrad do it
#
# One step with two micro-batches, and then a look at how good the line has become. Nothing of that look needs
# a gradient. (`look` begins a new step in the explorer's recording, so that this graph stands alone.)

# %%
w = mg.tensor(0.5, requires_grad=True)
b = mg.tensor(-1.0, requires_grad=True)
x1, y1, x2, y2 = x[:10], y[:10], x[10:], y[10:]

mg.observe.look()
(0.5 * loss_of(w, b, x1, y1)).backward()
(0.5 * loss_of(w, b, x2, y2)).backward()
with mg.no_grad():
    w -= 0.3 * w.grad
    b -= 0.3 * b.grad
    after = loss_of(w, b, x, y)
print(f"loss {after.item():.4f} after the step")

# %% [markdown]
# Look at its graph. On the lesson's page, press **Show it here** above, and the graph stands beside the text.
# From a notebook or an editor, type `minigrad lesson run 6` in a terminal: the browser opens at the newest
# step, which is this one:
#
# 1. Click `w`. The panel on the right has two groups: *backward 1*, and *backward 2: added to what was
#    there*. With a forgotten `zero_grad` you would see the same, from one training step to the next.
# 2. The box **no gradient** holds what ran under `no_grad()`: the step itself, and the last loss. Click it and
#    press **e** to open it. These ops are *not in graph*: they computed, but no gradient goes back there, and
#    nothing was saved.
# 3. Click `w` and then **g**: only the way of the gradient between `w` and the loss is left.
# 4. Go back with **[**, to the steps of your training. On the explorer's own page (**Open in the explorer**) there is a
#    curve of all of them, **Loss**, below the source. Can you tell the pendulum from the others?
#
# ## Summary
#
# - Training is a loop: clear, forward, backward, step. The step goes against the slope, under `no_grad()`.
# - A leaf is changed in place. `w = w - ...` would make another tensor.
# - What is not cleared piles up, and descent becomes a pendulum that never rests.
# - Piling up on purpose makes one large batch of many small ones, if each part is weighed by its share.
# - Momentum is the pendulum with friction.
#
# ## Two open questions
#
# 1. Try `descend` with a rate of 0.9, 1.0 and 1.1. What happens, and how could you know it beforehand?
#    (Lesson 10 answers that with the slope of the slope.)
# 2. `micro_batches` gives the same gradients "to the last digits", not exactly. Where do the last digits
#    differ, and does it matter?
