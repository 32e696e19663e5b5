# ---
# title: Two moons
# goal: Build a net from modules, train it with an Adam of your own, and see which of its units are dead.
# minutes: 55
# seconds: 40
# explorer: Each module has a frame, and e folds it. In the first ReLU a column is all zeros: a dead unit.
# view: sel=n2
# ---

# %% [markdown]
# # Two moons
#
# Two half circles of points reach into one another. No straight line separates them, however long it learns.
# **What must be added to a line, so that it can bend? And how do you see what goes on inside?**
#
# Two bends make a hill. Drag `x`: where a unit gives 0, its gradient is 0 too, and it learns nothing.
#
# ```figure
# x = 0.5 from -3 to 3
# left = relu(x + 1)
# right = relu(x - 1)
# score = left - 2 * right
# show slope = slope
# show what left sends back = left_to_x
# show what right sends back = right_to_x
# ```
#
# At the end of this lesson you can
#
# - build a net from *modules*, and say what a module is good for,
# - write Adam, the optimiser that nearly everyone uses, and say what it does differently,
# - train a net that untangles two spirals, and find units in it that have died.
#
# You need lesson 6: the loop that trains.

# %%
import time

import minigrad as mg
from minigrad import nn
from minigrad.classroom import expect, mostly
from minigrad.nn import functional as F
from minigrad.utils.data import moons, spirals

mg.manual_seed(0)
points, labels = moons(200, noise=0.1).tensors
print(tuple(points.shape), tuple(labels.shape))  # (200, 2) (200,)

# %% [markdown]
# Each point has two coordinates, and a label, 0 or 1. The net gives each point one number, its *score*. If it
# is above 0, the net says 1. To train it we need a loss. Sigmoid makes a probability of the score; the loss is
# small where the right label got a high one. minigrad has both in one op,
# `F.binary_cross_entropy_with_logits`, as it is exact in this way even for large scores (lesson 8).
#
# Here is the training loop of lesson 6, and a map that shows in the terminal what a net says everywhere.


# %%
def train(net, optimizer, points, labels, steps):
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.binary_cross_entropy_with_logits(net(points).squeeze(1), labels.float())
        loss.backward()
        optimizer.step()


def accuracy(net, points, labels):
    """Which share of the points gets the right label."""
    with mg.no_grad():
        right = (net(points).squeeze(1) > 0) == (labels > 0)
    return right.float().mean().item()


def draw(net, points, labels, width=56, height=18):
    """A map of what the net says, light for 1 and dark for 0, and the points on it."""
    (left, bottom), (right, top) = ([f(axis).item() for axis in points.T] for f in (mg.min, mg.max))
    x, y = mg.linspace(left, right, width), mg.linspace(top, bottom, height)
    with mg.no_grad():
        says = net(mg.stack([x.repeat(height), y.repeat_interleave(width)], dim=1)).reshape(height, width) > 0
    rows = [["░" if one else " " for one in row] for row in says.tolist()]
    for (px, py), label in zip(points.tolist(), labels.tolist(), strict=True):
        column, row = (px - left) / (right - left) * (width - 1), (top - py) / (top - bottom) * (height - 1)
        rows[round(row)][round(column)] = "●" if label else "○"
    print("\n".join("".join(row) for row in rows))


line = nn.Linear(2, 1)
train(line, mg.optim.Adam(line.parameters(), lr=0.1), points, labels, 100)
print(f"a line: {accuracy(line, points, labels):.1%} right")
draw(line, points, labels)

# %% [markdown]
# The line does its best, and the tips of both moons lie on the wrong side.
#
# ## Why two lines are still one line
#
# `nn.Linear(2, 1)` computes $x W^\top + b$. The first idea is to put a second one behind it. But a line of a
# line is a line: $(x W_1^\top + b_1) W_2^\top + b_2$ is $x (W_2 W_1)^\top$ plus something that does not depend
# on `x`. Here is the one layer that says the same as two:

# %%
first, second = nn.Linear(2, 16), nn.Linear(16, 1)
with mg.no_grad():
    both_in_one = points @ (second.weight @ first.weight).T + first.bias @ second.weight.T + second.bias
    difference = (second(first(points)) - both_in_one).abs().max().item()
print(difference < 1e-5)  # True

# %% [markdown]
# Something must stand between them that is *not* straight. `relu` is the simplest: it lets through what is
# above 0 and makes 0 of the rest. So each of the 16 units is a line with a bend, in a place that it learns.
# Sixteen bends can go around a moon.
#
# ## Modules
#
# The net has four tensors now: two weights, two biases. A larger one has hundreds. Somebody must hand them all
# to the optimiser. That is what a **module** is for: it holds parameters, and other modules, and can list them
# all. You write two methods. `__init__` makes the parts, and `forward` says how they are put together. Whatever
# is stored as `self.something`, and is a module, is found.

# %% [markdown] tags=["predict"] id="parameters" answer="337"
# A net goes from 2 numbers to 16, from 16 to 16, and from 16 to 1. Each of the three layers has a weight for
# each pair of input and output, and a bias for each output. How many numbers does it learn?
#
# ---
# (2 · 16 + 16) + (16 · 16 + 16) + (16 · 1 + 1) = 48 + 272 + 17 = **337**.

# %%
print(sum(each.numel() for a, b in ((2, 16), (16, 16), (16, 1)) for each in nn.Linear(a, b).parameters()))

# %% [markdown]
# ### Exercise: a net
#
# Write `Net(width)`. It has three `nn.Linear` layers, called `first`, `middle` and `last`, from 2 to `width`,
# to `width`, and to 1. Behind `first` and behind `middle` stands an `nn.ReLU`, called `bend` and `bend_again`.
# Behind `last` stands none: a score may be negative. `forward(x)` returns the score.


# %% tags=["exercise"] id="net"
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        ### BEGIN SOLUTION
        self.first = nn.Linear(2, width)
        self.bend = nn.ReLU()
        self.middle = nn.Linear(width, width)
        self.bend_again = nn.ReLU()
        self.last = nn.Linear(width, 1)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        x = self.bend(self.first(x))
        x = self.bend_again(self.middle(x))
        return self.last(x)
        ### END SOLUTION


# %% [markdown] tags=["hint"] id="net"
# In `__init__`: `self.first = nn.Linear(2, width)`, `self.bend = nn.ReLU()`, and so on, five lines.

# %% [markdown] tags=["hint"] id="net"
# In `forward`, a module is called like a function: `x = self.bend(self.first(x))`. Then the same with `middle`
# and `bend_again`. At the end, `return self.last(x)`.


# %% tags=["check"] id="net"
def parameters_of_your_net(width):
    """the names and shapes of the parameters of `Net({width})`"""
    return {name: tuple(each.shape) for name, each in Net(width).named_parameters()}


def score_where_all_weights_are(value, x):
    """`Net(3)(x)` for x = {x}, when every weight and bias is {value}"""
    net = Net(3)
    with mg.no_grad():
        for parameter in net.parameters():
            parameter.fill_(value)
        return net(mg.tensor(x))


def modules_of_your_net():
    """the names and kinds of the modules of `Net(4)`"""
    return {name: type(each).__name__ for name, each in Net(4).named_children()}


def score_of(width, weights, x):
    """`Net({width})(x)` with given weights, for x = {x}"""
    net = Net(width)
    with mg.no_grad():
        of_layers = [part for layer in (net.first, net.middle, net.last) for part in (layer.weight, layer.bias)]
        for parameter, values in zip(of_layers, weights, strict=True):
            parameter.copy_(values)
        return net(mg.tensor(x))


expect(
    parameters_of_your_net,
    4,
    gives={
        "first.weight": (4, 2),
        "first.bias": (4,),
        "middle.weight": (4, 4),
        "middle.bias": (4,),
        "last.weight": (1, 4),
        "last.bias": (1,),
    },
)
kinds = {"first": "Linear", "bend": "ReLU", "middle": "Linear", "bend_again": "ReLU", "last": "Linear"}
expect(modules_of_your_net, gives=kinds)
expect(score_where_all_weights_are, 1.0, [[1.0, 1.0], [-2.0, 0.0]], gives=mg.tensor([[31.0], [4.0]]))
expect(score_where_all_weights_are, -1.0, [[-3.0, 0.0]], gives=mg.tensor([[-1.0]]))
weights = [mg.randn(3, 2), mg.randn(3), mg.randn(3, 3), mg.randn(3), mg.randn(1, 3), mg.randn(1)]
xs = mg.randn(5, 2)
hidden = mg.relu(mg.relu(xs @ weights[0].T + weights[1]) @ weights[2].T + weights[3])
expect(score_of, 3, weights, xs.tolist(), gives=hidden @ weights[4].T + weights[5], within=1e-4)

# %%
net = Net(16)
train(net, mg.optim.Adam(net.parameters(), lr=0.02), points, labels, 100)
print(f"your net: {accuracy(net, points, labels):.1%} right")
draw(net, points, labels)

# %% [markdown]
# ## Adam
#
# Why did we take `Adam`, and not the descent of lesson 6? Its step is the slope times the rate. If one
# parameter has slopes of 1,000, and another of 0.001, then no rate fits both. **Adam** asks for each parameter:
# how large are *your* slopes, as a rule? And it divides by that. So all parameters walk about equally fast.
#
# It keeps two running means for each parameter. In each `m` there is the mean of the slopes, in each `v` the
# mean of their squares. With $g$ for the new gradient, and with $\beta_1 = 0.9$ and $\beta_2 = 0.999$:
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\, g \qquad\qquad v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2$$
#
# Both begin with 0, and so they are too small at first. In step $t$ (counted from 1) one divides that away:
#
# $$\hat m = \frac{m}{1 - \beta_1^t} \qquad\qquad \hat v = \frac{v}{1 - \beta_2^t} \qquad\qquad
# w \leftarrow w - \text{rate} \cdot \frac{\hat m}{\sqrt{\hat v} + \varepsilon}$$
#
# $\varepsilon = 10^{-8}$ only keeps it from dividing by 0.

# %% [markdown] tags=["predict"] id="first-step" answer="0.02" within="0.0001"
# The rate is 0.02, and the very first slope is 1,000. How far does Adam move the parameter in its first step?
#
# ---
# By **0.02**. In step 1 the corrections make $\hat m = g$ and $\hat v = g^2$. So $\hat m / \sqrt{\hat v}$ is
# 1,000 / 1,000. With a slope of 0.001 the step would be as long. The rate of Adam *is* a distance.

# %%
w = mg.tensor(5.0, requires_grad=True)
(1000.0 * w).backward()
mg.optim.Adam([w], lr=0.02).step()
print(f"{5.0 - w.item():.4f}")  # 0.0200

# %% [markdown]
# ### Exercise: your own Adam
#
# Write the method `step`. `self.t` counts the steps; the lists `self.means` and `self.squares` have a tensor
# for each parameter. Change them in place, and the parameter as well.


# %% tags=["exercise"] id="adam"
class Adam:
    def __init__(self, parameters, rate, betas=(0.9, 0.999), epsilon=1e-8):
        self.parameters = list(parameters)
        self.rate, self.betas, self.epsilon = rate, betas, epsilon
        self.t = 0
        self.means = [mg.zeros(parameter.shape) for parameter in self.parameters]
        self.squares = [mg.zeros(parameter.shape) for parameter in self.parameters]

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    @mg.no_grad()
    def step(self):
        self.t += 1
        first, second = self.betas
        for parameter, mean, square in zip(self.parameters, self.means, self.squares, strict=True):
            ### BEGIN SOLUTION
            mean.mul_(first).add_((1 - first) * parameter.grad)
            square.mul_(second).add_((1 - second) * parameter.grad.square())
            usual = (square / (1 - second**self.t)).sqrt() + self.epsilon
            parameter -= self.rate * mean / (1 - first**self.t) / usual
            ### END SOLUTION


# %% [markdown] tags=["hint"] id="adam"
# First the two running means: `mean.mul_(first).add_((1 - first) * parameter.grad)`. The squares in the same
# way, with `second`, and with `parameter.grad.square()`.

# %% [markdown] tags=["hint"] id="adam"
# Don't correct `mean` and `square` in place: the next step wants them uncorrected. Use
# `mean / (1 - first**self.t)` and `square / (1 - second**self.t)` in the last line.

# %% [markdown] tags=["hint"] id="adam"
# $\varepsilon$ is added to the root, not under it: `(square / (1 - second**self.t)).sqrt() + self.epsilon`.


# %% tags=["check"] id="adam"
def steps_with_yours(count, rate, betas, epsilon, scales):
    """w after {count} steps of `Adam([w], {rate}, {betas}, {epsilon})` from 1, on the loss (scales * w * w).sum() with
    scales = {scales}"""
    w = mg.ones(len(scales), dtype=mg.float64, requires_grad=True)
    optimizer = Adam([w], rate, betas, epsilon)
    optimizer.means, optimizer.squares = [mg.zeros_like(w)], [mg.zeros_like(w)]
    for _ in range(count):
        optimizer.zero_grad()
        (mg.tensor(scales, dtype=mg.float64) * w.square()).sum().backward()
        optimizer.step()
    return w.detach()


def steps_with_adam(count, rate, betas, epsilon, scales):
    w = mg.ones(len(scales), dtype=mg.float64, requires_grad=True)
    optimizer = mg.optim.Adam([w], lr=rate, betas=betas, eps=epsilon)
    for _ in range(count):
        optimizer.zero_grad()
        (mg.tensor(scales, dtype=mg.float64) * w.square()).sum().backward()
        optimizer.step()
    return w.detach()


def five_steps_with(make_optimizer):
    """On a loss whose slopes differ a million times from parameter to parameter, and change on the way."""
    scales = mg.tensor([1000.0, 1.0, 0.001])
    w = mg.tensor([1.0, 1.0, 1.0], requires_grad=True)
    optimizer = make_optimizer([w])
    for _ in range(5):
        optimizer.zero_grad()
        (scales * w.square()).sum().backward()
        optimizer.step()
    return w.detach()


def your_adam(parameters):
    return Adam(parameters, 0.3)


scale = 1.0 + mg.rand(1).item()
for count, rate, betas, epsilon, scales in (
    (1, 0.3, (0.9, 0.999), 1e-8, [1000.0, scale, 0.001]),
    (5, 0.3, (0.9, 0.999), 1e-8, [1000.0, scale, 0.001]),
    (5, 0.05, (0.5, 0.9), 1e-8, [1000.0, scale, 0.001]),
    (3, 0.1, (0.8, 0.9), 0.5, [1.0, scale, 0.01]),
):
    wanted = steps_with_adam(count, rate, betas, epsilon, scales)
    expect(steps_with_yours, count, rate, betas, epsilon, scales, gives=wanted, within=1e-7)

# %% [markdown]
# The same numbers as `mg.optim.Adam`. Look at them:

# %%
print([round(value, 4) for value in five_steps_with(your_adam).tolist()])

# %% [markdown]
# Slopes that differ a million times, and all three parameters took the same way, to the fourth digit.
#
# ### Exercise: two spirals
#
# Now a hard one: two arms that wind around one another, one and a half times. Write
# `learn_spirals(points, labels)`. It returns a net of yours that knows at least 97 % of *new* points of the same
# spirals, and it may take 30 seconds. Use `Net`, `train`, and your `Adam`. You choose the width, the rate, and
# the number of steps.


# %% tags=["exercise"] id="spirals"
def learn_spirals(points, labels):
    mg.manual_seed(1)
    ### BEGIN SOLUTION
    net = Net(24)
    train(net, Adam(net.parameters(), 0.02), points, labels, 200)
    return net
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="spirals"
# Begin as we did with the moons: `net = Net(16)`, 100 steps at a rate of 0.02. Look at the accuracy and at the
# map, and then change one thing at a time.

# %% [markdown] tags=["hint"] id="spirals"
# The arms need more bends than the moons did. A width between 24 and 32, and some hundred steps, will do. A much
# wider net is not better: its steps take longer.

# %%
mg.manual_seed(0)
spiral, arms = spirals(300, noise=0.02, turns=1.5).tensors
new_spiral, new_arms = spirals(300, noise=0.02, turns=1.5).tensors


# %% tags=["check"] id="spirals"
def what_your_net_says(points, labels, new_points):
    """what the net of `learn_spirals` says of the new points, 0 or 1, if it took at most 30 seconds"""
    began = time.perf_counter()
    trained = learn_spirals(points, labels)
    if time.perf_counter() - began > 30.0:
        return "too slow"
    with mg.no_grad():
        return (trained(new_points).squeeze(1) > 0).to(mg.int64).tolist()


mg.manual_seed(0)
spiral, arms = spirals(300, noise=0.02, turns=1.5).tensors
mg.seed()
new_spiral, new_arms = spirals(300, noise=0.02, turns=1.5).tensors
expect(what_your_net_says, spiral, arms, new_spiral, gives=mostly(new_arms.to(mg.int64).tolist(), 0.97))

# %%
draw(learn_spirals(spiral, arms), spiral, arms, width=56, height=24)

# %% [markdown]
# ## Dead units
#
# A relu lets through what is above 0. What if a unit is below 0 for *every* point? It always says 0. So its
# slope is 0 at every point as well, and no gradient comes through it to its weights. They never change again.
# The unit is **dead**, and it stays dead.
#
# How does one see that? Not by the loss. Look at what the units say, at a whole batch of it:

# %%
mg.manual_seed(0)
net = Net(16)
train(net, mg.optim.Adam(net.parameters(), lr=0.3), points, labels, 100)  # far too large a rate

with mg.no_grad():
    before = net.first(points)
    hidden = net.bend(before)

low, high = before.min().item(), before.max().item()
for count, edge in zip(mg.histc(before, 12).tolist(), mg.linspace(low, high, 13).tolist(), strict=False):
    print(f"from {edge:6.1f} {'█' * round(count / 20)}")
print(f"{(before < 0).float().mean().item():.0%} are below 0")

# %% [markdown]
# ### Exercise: find the dead
#
# `hidden` has a row for each point and a column for each unit. Write `dead_units(hidden)`. It returns the list
# of the numbers of those columns in which everything is 0.


# %% tags=["exercise"] id="dead"
def dead_units(hidden):
    ### BEGIN SOLUTION
    dead = (hidden == 0).all(dim=0)
    return [unit for unit, is_dead in enumerate(dead.tolist()) if is_dead]
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="dead"
# `hidden == 0` is a table of True and False. `.all(dim=0)` goes down each column and says whether all of it is
# True.

# %% [markdown] tags=["hint"] id="dead"
# `enumerate((hidden == 0).all(dim=0).tolist())` gives you pairs of a number and True or False.


# %% tags=["check"] id="dead"
def dead_of_random(alive, units):
    """`dead_units` of a random table with {units} columns, of which only {alive} are alive"""
    return dead_units(mg.relu(mg.rand(20, units) + 0.1) * mg.tensor([float(unit in alive) for unit in range(units)]))


expect(dead_units, mg.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]), gives=[0])
expect(dead_units, mg.tensor([[3.0, 0.0, 0.0, 0.5]]), gives=[1, 2])
expect(dead_units, mg.ones(4, 4), gives=[])
alive = sorted(set(mg.randint(0, 7, (3,)).tolist()))
expect(dead_of_random, alive, 7, gives=[unit for unit in range(7) if unit not in alive])
expect(dead_of_random, [], 5, gives=[0, 1, 2, 3, 4])

# %% [markdown]
# How many of the 32 units of your net are dead? It depends on the rate. Remember that Adam's rate is a
# distance: at a rate of 1, every weight and every bias moves by about 1, in each of the first steps. Some units
# are thrown so far that they never come back.


# %%
def dead_in(net, points):
    with mg.no_grad():
        hidden = net.bend(net.first(points))
        again = net.bend_again(net.middle(hidden))
    return len(dead_units(hidden)) + len(dead_units(again))


for rate in (0.02, 0.1, 0.3, 1.0):
    mg.manual_seed(0)
    net = Net(16)
    train(net, mg.optim.Adam(net.parameters(), lr=rate), points, labels, 100)
    print(f"rate {rate:4}: {dead_in(net, points):2} of 32 are dead, {accuracy(net, points, labels):.1%} right")

# %% [markdown]
# A few dead units do no harm. But a net of which most is dead is a smaller net, and a bad one. What helps: a
# smaller rate, or a relu that leaks a little below 0, so that there is always a slope (`nn.LeakyReLU`).
#
# ## Watch minigrad do it
#
# A small net with six units in each layer, and twelve points. We kill the third unit by hand: its bias becomes
# -10. (`look` begins a new step in the explorer's recording, so that this graph stands alone.)

# %% [markdown] tags=["predict"] id="dead-gradient" answer="0" plays="x = 1; w = 1; bias = -10; product = w * x; unit = product + bias; bent = relu(unit); asks bias.grad"
# How large is the gradient of the dead unit's bias?
#
# ---
# **0**, exactly. Whatever the loss says, the relu multiplies it by its slope there, and that is 0 for each of
# the points.

# %%
mg.manual_seed(0)
few, which = moons(12, noise=0.05).tensors
small = Net(6)
with mg.no_grad():
    small.first.bias[2] = -10.0

mg.observe.look()
loss = F.binary_cross_entropy_with_logits(small(few).squeeze(1), which.float())
loss.backward()
print([round(value, 3) for value in small.first.bias.grad.tolist()])

# %% [markdown]
# Look at its graph. On the lesson's page, press **Show it here** above, and the graph stands beside the text.
# From a notebook or an editor, type `minigrad lesson run 7` in a terminal: the browser opens at the newest
# step, which is this one:
#
# 1. Each module has a frame with its name: `first`, `bend`, and so on. Click one and press **e**: it folds into
#    one box, and opens again. **⇧ e** folds or opens all of them. In a net of a hundred layers you will want that.
# 2. Click `bend`, or the **Relu** in it. In the table of its value, rows are points and columns are units. The
#    third column is all zeros: there is the dead one.
# 3. Click `first.bias`. In its **.grad** the third number is 0. Now look for others that are 0: has your net
#    been born with a dead unit?
# 4. Go back with **[** to the steps of the training, and watch the value of `bend` from step to step. Of a tensor of
#    more than 4,096 elements the box shows some, in a dashed frame. On the explorer's own page
#    (**Open in the explorer**) the curve **Loss** on the left shows how each of the nets learnt.
#
# ## Summary
#
# - Lines behind lines are one line. It takes a bend between them.
# - A module holds parameters and other modules, and can list them all.
# - Adam divides each step by what is usual for that parameter. So its rate is a distance.
# - A relu that is below 0 for every example is dead: no gradient, no change, for ever. Large rates kill.
# - Look inside. The loss alone does not tell you what your net does.
#
# ## Two open questions
#
# 1. Replace `nn.ReLU` by `nn.Tanh`. Can a tanh unit die? What does it have in its place, far out, and what
#    would you look for?
# 2. Adam keeps two more tensors for each parameter. How much memory does that cost, compared with the mountain
#    of lesson 4? When would it matter?
