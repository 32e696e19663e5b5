# ---
# title: Graduating
# goal: Run the same file on PyTorch, get the same losses, and know what is the same inside.
# minutes: 35
# seconds: 60
# explorer: The graph of a small net. PyTorch has made the same one: its names stand on every node.
# ---

# %% [markdown]
# # Graduating
#
# The world trains its nets with PyTorch. You have learnt with minigrad. **How much of it do I have to learn
# anew?**
#
# The program that you will watch in both libraries. Drag `x`: what would change if another library computed
# it?
#
# ```figure
# x = 0.5 from -2 to 2
# scaled = x * 3
# bent = tanh(scaled)
# y = bent + x
# show slope by trying = measured
# show slope by the rule of each op = slope
# ```
#
# Let us find out, and not just believe it: in this lesson you write the model of lesson 14 in such a way
# that it does not know which library it runs on. Then you run it on both, from the same weights, and
# compare the losses, step by step.
#
# At the end of this lesson you can
#
# - take a program from minigrad to PyTorch, and back,
# - carry trained weights over,
# - look into PyTorch's graph, and recognise it.
#
# You need lesson 14. And you need PyTorch (`pip install torch`) if you want to see it with your own eyes.
# Without it, the lesson runs as well, and says what it leaves out.

# %%
import math

import minigrad as mg
from minigrad.classroom import expect

LEFT_OUT = ""
try:
    import torch
except ImportError as error:
    torch = None
    LEFT_OUT = f"left out, because PyTorch is not here: {error}"

libraries = [mg] if torch is None else [mg, torch]
print(LEFT_OUT or f"PyTorch {torch.__version__} is here")

# %% [markdown]
# ## One name
#
# Most programs begin with `import torch`. Here we hand the library over as an argument, and call it `t`. So
# `t.tensor`, `t.nn.Linear` and `t.optim.AdamW` are one thing or the other. The neuron of lesson 1, once for
# all:


# %% [markdown] tags=["predict"] id="slope" answer="1.26" within="0.01"
# This is $\tanh(3 w - 5)$ at $w = 2$. What slope will PyTorch find?
#
# ---
# **1.26**, the number that you measured in lesson 1. It is a property of the program, and of no library.


# %%
def neuron(t):
    w = t.tensor(2.0, requires_grad=True)
    y = t.tanh(w * 3.0 - 5.0)
    y.backward()
    return round(y.item(), 2), round(w.grad.item(), 2)


for t in libraries:
    print(t.__name__, neuron(t))  # minigrad (0.76, 1.26)

# %% [markdown]
# ### Exercise: attention, for either
#
# Write the attention of lesson 14 once more, with `t` in the place of `mg`. The scores of the future become
# $-\infty$ before the softmax. Useful: `t.ones(n, n, dtype=t.bool).triu(1)`, `masked_fill`, `t.softmax`.


# %% tags=["exercise"] id="attention" plays="scores = q @ k.T; weights = softmax(scores); out = weights @ v; attention gives out"
def attention(t, q, k, v):
    length, size = q.shape[-2:]
    ### BEGIN SOLUTION
    future = t.ones(length, length, dtype=t.bool).triu(1)
    scores = (q @ k.mT / math.sqrt(size)).masked_fill(future, -math.inf)
    return t.softmax(scores, dim=-1) @ v
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="attention"
# First the scores: `q @ k.mT / math.sqrt(size)`. Then `.masked_fill(future, -math.inf)`.

# %% [markdown] tags=["hint"] id="attention"
# It ends with `t.softmax(scores, dim=-1) @ v`. If your answer of lesson 14 is at hand: write `t` for `mg`.


# %% tags=["check"] id="attention"
def library(name):
    """minigrad or PyTorch"""
    return mg if name == "minigrad" else torch


def attention_on(name, q, k, v):
    """`attention(t, q, k, v)` with t = {name}, for random q, k, v"""
    t = library(name)
    return attention(t, t.tensor(q), t.tensor(k), t.tensor(v)).tolist()


def library_of_the_result(name):
    """the library of the tensor that `attention(t, q, k, v)` gives with t = {name}"""
    t = library(name)
    return type(attention(t, *(t.ones(2, 2) for _ in range(3)))).__module__.split(".")[0]


for t in libraries:
    for shape in ((5, 3), (2, 2, 3, 4)):
        q, k, v = 2.0 * mg.randn(*shape), 2.0 * mg.randn(*shape), mg.randn(*shape)
        wanted = mg.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).tolist()
        expect(attention_on, t.__name__, q.tolist(), k.tolist(), v.tolist(), gives=wanted, within=1e-4)
    expect(library_of_the_result, t.__name__, gives=t.__name__)

# %% [markdown]
# ## The model
#
# This is the net of lesson 14, with `t`. A class must know the class that it derives from, so the classes
# stand inside a function. In a program of its own, there would be `import torch` at the top, and no
# function.

# %%
LETTERS, LENGTH, WIDTH, HEADS, BLOCKS = 29, 16, 32, 4, 2


def gpt(t):
    nn = t.nn

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.queries, self.keys, self.values = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))
            self.mixed = nn.Linear(WIDTH, WIDTH)

        def forward(self, x):
            q, k, v = (
                each(x).unflatten(-1, (HEADS, WIDTH // HEADS)).transpose(-3, -2)
                for each in (self.queries, self.keys, self.values)
            )
            return self.mixed(attention(t, q, k, v).transpose(-3, -2).flatten(-2))

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.looking = nn.Sequential(nn.LayerNorm(WIDTH), Attention())
            self.thinking = nn.Sequential(
                nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH)
            )

        def forward(self, x):
            x = x + self.looking(x)
            return x + self.thinking(x)

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.letter, self.place = nn.Embedding(LETTERS, WIDTH), nn.Embedding(LENGTH, WIDTH)
            self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
            self.scores = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, LETTERS))

        def forward(self, given):
            x = self.letter(given) + self.place(t.arange(given.shape[-1]))
            return self.scores(self.blocks(x))

    return GPT()


mg.manual_seed(0)
net = gpt(mg)
state = net.state_dict()
print(len(state), "tensors, the first is", next(iter(state)))  # 32 tensors, the first is letter.weight

# %% [markdown]
# ### Exercise: carry the weights over
#
# The two libraries throw different dice, so two fresh nets are not equal. We need the same weights in both.
# The *state* of a module is a dictionary: name → tensor. Both libraries give the same names, as they come
# from your own attributes.
#
# Write `carried(state, t)`: the same dictionary, with tensors of the library `t`. Both know NumPy:
# `tensor.detach().numpy()` goes out, `t.tensor(array)` comes in.


# %% tags=["exercise"] id="carried"
def carried(state, t):
    ### BEGIN SOLUTION
    return {name: t.tensor(value.detach().numpy()) for name, value in state.items()}
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="carried"
# Go through `state.items()`, and make a new dictionary with the same names.

# %% [markdown] tags=["hint"] id="carried"
# `{name: t.tensor(value.detach().numpy()) for name, value in state.items()}`.


# %% tags=["check"] id="carried"
def carried_values(name, values):
    """`carried(state, t)` with t = {name}, for a state with the values {values}; its library, and its values"""
    t = library(name)
    there = carried({key: mg.tensor(value, requires_grad=True) for key, value in values.items()}, t)
    kinds = sorted({type(each).__module__.split(".")[0] for each in there.values()})
    return kinds, {key: value.tolist() for key, value in there.items()}


def carried_back(name):
    """the first tensor of the net's state, carried to {name} and back"""
    return next(iter(carried(carried(state, library(name)), mg).values())).tolist()


def still_its_own(name):
    """a weight of the state, after its copy from `carried(state, t)` with t = {name} was set to 0"""
    own = {"weight": mg.ones(2)}
    carried(own, library(name))["weight"].zero_()
    return own["weight"].tolist()


for t in libraries:
    values = {"weight": mg.randn(2, 3).tolist(), "bias": mg.randn(2).tolist()}
    expect(carried_values, t.__name__, values, gives=([t.__name__.split(".")[0]], values), within=1e-6)
    expect(carried_back, t.__name__, gives=next(iter(state.values())).tolist())
    expect(still_its_own, t.__name__, gives=[1.0, 1.0])

# %% [markdown]
# ### Exercise: the loop
#
# Write `train(t, net, batches)`. For each pair (given, wanted) of numbers, do a step with the optimiser,
# and note the loss. Return the list of losses. The five lines are always the same: loss, clear, backward,
# step, note. `t.nn.functional.cross_entropy` wants the scores as (questions, letters), so flatten the first
# two dimensions.


# %% tags=["exercise"] id="train"
def train(t, net, batches):
    optimizer = t.optim.AdamW(net.parameters(), lr=3e-3)
    losses = []
    for given, wanted in batches:
        given, wanted = t.tensor(given), t.tensor(wanted)
        ### BEGIN SOLUTION
        loss = t.nn.functional.cross_entropy(net(given).flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        ### END SOLUTION
    return losses


# %% [markdown] tags=["hint"] id="train"
# The loss is `t.nn.functional.cross_entropy(net(given).flatten(0, 1), wanted.flatten())`.

# %% [markdown] tags=["hint"] id="train"
# Then `optimizer.zero_grad()`, `loss.backward()`, `optimizer.step()`, and `losses.append(loss.item())`.


# %% tags=["check"] id="train"
def losses_of_a_table(name, rounds, table):
    """the losses of `train(t, net, batches)` with t = {name}, for a net that looks up its scores in the table {table},
    and {rounds} times the batch given = [[0, 1, 2]], wanted = [[1, 2, 3]]"""
    t = library(name)
    net = t.nn.Embedding(4, 4)
    net.weight.data.copy_(t.tensor(table))
    return train(t, net, [([[0, 1, 2]], [[1, 2, 3]])] * rounds)


def losses_by_hand(rounds, table):
    net = mg.nn.Embedding(4, 4)
    net.weight.data.copy_(mg.tensor(table))
    optimizer = mg.optim.AdamW(net.parameters(), lr=3e-3)
    losses = []
    for _ in range(rounds):
        loss = mg.nn.functional.cross_entropy(net(mg.tensor([0, 1, 2])), mg.tensor([1, 2, 3]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


for t in libraries:
    table = mg.randn(4, 4).tolist()
    for rounds in (1, 20):
        expect(losses_of_a_table, t.__name__, rounds, table, gives=losses_by_hand(rounds, table), within=1e-4)

# %% [markdown]
# ## The race
#
# The same weights, the same batches, 40 steps. Each step builds on all that came before. If one rule of one
# op, or one line of the optimiser, were different, the losses would drift apart.


# %%
def manual():
    import re
    from pydoc_data.topics import topics

    return re.sub("[^a-z.,]+", " ", " ".join(topics.values()).lower())[:100_000]


text = manual()
number_of = {letter: number for number, letter in enumerate(" ,.abcdefghijklmnopqrstuvwxyz")}
numbers = [number_of[letter] for letter in text]

mg.manual_seed(1)
batches = []
for _ in range(40):
    starts = mg.randint(0, len(numbers) - LENGTH, (8,)).tolist()
    pieces = [numbers[start : start + LENGTH + 1] for start in starts]
    batches.append(([piece[:-1] for piece in pieces], [piece[1:] for piece in pieces]))

losses = {}
for t in libraries:
    net = gpt(t)
    net.load_state_dict(carried(state, t))
    losses[t.__name__] = train(t, net, batches)

for step in (0, 9, 19, 29, 39):
    print(f"step {step + 1:2}", "   ".join(f"{name} {each[step]:.5f}" for name, each in losses.items()))
if torch is None:
    print(LEFT_OUT)
else:
    apart = max(abs(a - b) for a, b in zip(losses["minigrad"], losses["torch"], strict=True))
    print(f"at most {apart:.0e} apart")
    expect(abs, apart, gives=0.0, within=1e-2)

# %% [markdown]
# They agree to about the last digit that these numbers have: both keep 7 digits, and add up in a different
# order. (Trained on for hours, two such runs would drift apart, as two runs on two different computers do.)
#
# ## The same graph
#
# PyTorch has no explorer, but it has the graph. Each result has a `grad_fn`, the node that made it, and
# each node knows its `next_functions`: pairs of a node, where backward goes on, and a number. Where a
# constant stands, the node is None.
#
# ### Exercise: walk
#
# Write `nodes(result)`: the names of all nodes that `result` was made with, each node once, sorted.
# `node.name()` is its name. You have done this in lesson 2, with `parents`.


# %% tags=["exercise"] id="nodes"
def nodes(result):
    found = {result.grad_fn}  # a set: each node once
    to_visit = [result.grad_fn]
    ### BEGIN SOLUTION
    while to_visit:
        for node, _ in to_visit.pop().next_functions:
            if node is not None and node not in found:
                found.add(node)
                to_visit.append(node)
    return sorted(node.name() for node in found)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="nodes"
# `while to_visit:` take a node from the list, and look at each pair in its `next_functions`.

# %% [markdown] tags=["hint"] id="nodes"
# A node that is None, or that is in `found` already, is left out. Every other one goes into `found` and
# onto the list. At the end: `sorted(node.name() for node in found)`.


# %% tags=["check"] id="nodes"
def nodes_of(name, program):
    """`nodes` of {program}, with t = {name}"""
    t = library(name)
    w, b = t.tensor(2.0, requires_grad=True), t.tensor(-5.0, requires_grad=True)
    result = {
        "tanh(w * 3 + b)": lambda: t.tanh(w * 3.0 + b),
        "c * c with c = w + w": lambda: (w + w) * (w + w),
        "b * b with b = w + w": lambda: (lambda twice: twice * twice)(w + w),
        "w * b + w * b": lambda: w * b + w * b,
    }[program]()
    return sorted(each.removeprefix("torch::autograd::") for each in nodes(result))


def your_list(name):
    """`nodes` of tanh(w * b), in the order in which it comes"""
    t = library(name)
    w, b = t.tensor(2.0, requires_grad=True), t.tensor(-5.0, requires_grad=True)
    return nodes(t.tanh(w * b))


leaf = "AccumulateGrad"
for t in libraries:
    expect(nodes_of, t.__name__, "tanh(w * 3 + b)", gives=[leaf, leaf, "AddBackward0", "MulBackward0", "TanhBackward0"])
    expect(nodes_of, t.__name__, "b * b with b = w + w", gives=[leaf, "AddBackward0", "MulBackward0"])
    wanted = [leaf, "AddBackward0", "AddBackward0", "MulBackward0"]
    expect(nodes_of, t.__name__, "c * c with c = w + w", gives=wanted)
    wanted = [leaf, leaf, "AddBackward0", "MulBackward0", "MulBackward0"]
    expect(nodes_of, t.__name__, "w * b + w * b", gives=wanted)
    leaf_here = leaf if t is mg else f"torch::autograd::{leaf}"
    expect(your_list, t.__name__, gives=sorted([leaf_here, leaf_here, "MulBackward0", "TanhBackward0"]))

# %% [markdown]
# ## What is not the same
#
# Honestly:
#
# | | PyTorch | minigrad |
# | --- | --- | --- |
# | written in | mostly C++ and CUDA | Python, to be read: the core in an afternoon |
# | large matrices, many cores, GPUs | as fast as the hardware allows | as fast as NumPy or CuPy |
# | to see what happens | `grad_fn`, hooks, profilers | the explorer |
# | a compiler, phones, clusters | yes | no |
#
# So do real work there, and come back to look inside. When a gradient is None or NaN and you do not know why,
# write `import minigrad as torch`, make the program small, and *watch* it.
#
# ## Watch PyTorch itself
#
# You need not even change the import. Here is a net as people write it, all in PyTorch, and something is wrong with it:
# the losses fall, but not far. Put your own net in its place later.


# %%
def train(torch):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x, y = torch.randn(32, 2), torch.randn(32, 1)
    for _ in range(4):
        hidden = net[1](net[0](x)).detach()
        loss = torch.nn.functional.mse_loss(net[2](hidden), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# %% [markdown]
# `minigrad.observe` listens to PyTorch, and writes down what its autograd does: the same records as of minigrad.

# %%
if torch is None:
    print(LEFT_OUT)
else:
    from minigrad.observe.diagnosis import diagnose
    from minigrad.observe.torch import TORCH

    records = []
    with mg.observe.Recorder(records.append, values="all", framework=TORCH):
        train(torch)
    print(*[box.title for box in mg.observe.draw(records).picture.ordered()], sep=", ")
    print(*diagnose(records))

# %% [markdown]
# `Affine`, `Tanh`, `MseLoss`: you know every box. And it is said what is wrong, with the line. Take out
# `.detach()`, run both cells again, and nothing is said any more.
#
# Of a program in a file you ask the same in a terminal. The program stays as it is, and comes to the same bits:
#
# ```sh
# minigrad run train.py
# minigrad explain train.py
# minigrad explain train.py net[0].weight
# ```
#
# The first opens the explorer, with the live graph of *your* net in it. The second says what is wrong with its
# training. The third says why one gradient is `None`, or what it is the sum of.
#
# ## Watch it once more

# %%
mg.observe.look()
t = mg
x = t.tensor([[0.5, -1.0], [1.0, 2.0]])
weight = t.tensor([[1.0, -0.5], [0.5, 2.0]], requires_grad=True)
bias = t.tensor([0.1, -0.1], requires_grad=True)
out = t.tanh(x @ weight + bias)
loss = (out * out).mean()
loss.backward()
ops = [name for name in nodes(loss) if "Accumulate" not in name]
print(len(nodes(loss)), "nodes:", *ops)  # 7 nodes: AddBackward0 MeanBackward0 MmBackward0 MulBackward0 TanhBackward0

# %% [markdown]
# Look at its graph. On the lesson's page, press **Show it here** above, and the graph stands beside the text.
# From a notebook or an editor, type `minigrad lesson run 16` in a terminal: the browser opens at the newest
# step, which is this one:
#
# 1. Compare the boxes with the list that was just printed. **Mm**, **Add**, **Tanh**, **Mul**, **Mean**:
#    for each of them there is a node `...Backward0`. If PyTorch is here, write `t = torch` for `t = mg` in the last
#    cell, and run it again. The list stays the same; the graph is minigrad's.
# 2. The two leaves have no box of an op. In the list they are `AccumulateGrad`: the end of the walk, where
#    gradients add up.
# 3. Press **Share**: the picture, or a link to this very moment, is yours to keep.
#
# ## Summary
#
# - The names, the rules and the numbers are PyTorch's. A program moves over by its import.
# - Weights move by `state_dict`, through NumPy.
# - Behind PyTorch's `backward()` is the same graph: nodes, edges, leaves that accumulate.
# - What you have understood here is true there.
# - `minigrad run train.py` shows it: PyTorch's own autograd, in the explorer.
#
# ## Two open questions
#
# 1. You have seen the world's most used autograd from inside, in sixteen lessons. Which of its decisions
#    would you make differently?
# 2. What will you build?
