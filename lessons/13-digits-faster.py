# ---
# title: Digits, faster
# goal: Read handwriting with convolutions, and let several learners share the work.
# minutes: 55
# seconds: 40
# explorer: Two ranks as two lanes with the same net and different pictures; then their gradients are averaged.
# ---

# %% [markdown]
# # Digits, faster
#
# Shift a picture of a 7 by one pixel. You hardly notice. But for a net that looks at pixel 12 and pixel 13,
# it is quite another picture. **How can a net see a stroke wherever it is? And can four computers learn
# four times as fast as one?**
#
# These are two questions, so the lesson has two parts, of 30 and 25 minutes. The page keeps what you have done:
# take the second on another day, if you like.
#
# Drag the number of `ranks` that sum up 100 numbers: in a ring, nobody sends more than twice that.
#
# ```figure
# ranks = 4 from 2 to 32
# share = 100 / ranks
# sent = 2 * (ranks - 1) * share
# show each rank of a ring sends = sent
# show one rank that collects for all sends = 100 * (ranks - 1)
# ```
#
# At the end of this lesson you can
#
# - write a convolution and its gradient, which is a convolution as well,
# - train a net that reads 95 of 100 digits that it has never seen,
# - write the all-reduce, with which many computers train one net.
#
# You need lessons 2, 3 and 7.

# %%
import copy
import shutil
import subprocess
import sys
import time

import minigrad as mg
from minigrad import distributed, events, nn
from minigrad.classroom import expect, mostly
from minigrad.distributed import simulate
from minigrad.nn import functional as F
from minigrad.utils.data import DataLoader, digits, random_split

mg.manual_seed(0)

# %% [markdown]
# ## Part 1: the pictures
#
# 1,797 digits, written by 13 people, 8 by 8 pixels each. They come with minigrad. Four fifths are for
# learning; the rest is the exam.

# %%
learnt, unseen = random_split(digits(), [0.8, 0.2])
((exam, answers),) = DataLoader(unseen, batch_size=len(unseen))
exam = exam.reshape(-1, 1, 8, 8)
print(len(learnt), len(unseen))  # 1438 359

for row in exam[0, 0].tolist():
    print("".join(2 * " ░▒▓█"[round(4 * pixel)] for pixel in row))
print("this is a", answers[0].item())

# %% [markdown]
# ## A window that slides
#
# Take a small table of weights, 3 by 3: the *kernel*. Lay it over the picture, in the upper left corner.
# Multiply each weight with the pixel below it, and add up: one number. Slide it one pixel to the right: the
# next number. And so on, row after row. This is a **convolution**. What comes out is a picture again,
# somewhat smaller:
#
# $$y_{ij} = \sum_{u,v} k_{uv}\, x_{i+u,\, j+v}$$
#
# ### Exercise: slide it
#
# Write `convolve(picture, kernel)` for two tables. An 8 × 8 picture and a 3 × 3 kernel give 6 × 6. You may
# go through the places of the *kernel* (there are few) and add up whole shifted pictures, or through the
# places of the result.


# %% tags=["exercise"] id="convolve" plays="out = slide(picture, kernel); gives out"
def convolve(picture, kernel):
    height = picture.shape[0] - kernel.shape[0] + 1
    width = picture.shape[1] - kernel.shape[1] + 1
    out = mg.zeros(height, width)
    ### BEGIN SOLUTION
    for u in range(kernel.shape[0]):
        for v in range(kernel.shape[1]):
            out = out + kernel[u, v] * picture[u : u + height, v : v + width]
    return out
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="convolve"
# What does the weight `kernel[u, v]` meet, while the window slides? All of `picture[u : u + height, v : v +
# width]`.

# %% [markdown] tags=["hint"] id="convolve"
# Two loops, over `u` and `v`. In them: `out = out + kernel[u, v] * picture[u : u + height, v : v + width]`.


# %% tags=["check"] id="convolve"
def check_convolve(picture, kernel):
    wanted = F.conv2d(picture[None, None], kernel[None, None])[0, 0]
    expect(convolve, picture, kernel, gives=wanted, within=1e-4)


check_convolve(mg.arange(9.0).reshape(3, 3), mg.tensor([[1.0, 0.0], [0.0, -1.0]]))
check_convolve(mg.randn(4, 4), mg.randn(3, 3))
check_convolve(mg.randn(5, 7), mg.randn(2, 3))

# %% [markdown]
# A kernel with -1 on the left and 1 on the right answers where it becomes bright from left to right: it
# finds the left edges of strokes, wherever they are.
#
# ### Exercise: the gradient of the kernel
#
# Each weight of the kernel is used 36 times, once at each place of the 6 × 6 result. By lesson 2, its
# gradient is a sum of 36 contributions:
#
# $$\bar k_{uv} = \sum_{i,j} \bar y_{ij}\, x_{i+u,\, j+v}$$
#
# Compare this with the formula above. Then write `kernel_gradient(picture, grad)`. It fits in one line.


# %% tags=["exercise"] id="kernel" plays="out = slide(picture, kernel); out.grad = grad; gives kernel.grad"
def kernel_gradient(picture, grad):
    ### BEGIN SOLUTION
    return convolve(picture, grad)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="kernel"
# It is the same sum, with other names. What slides over the picture now?

# %% [markdown] tags=["hint"] id="kernel"
# The shapes: the picture is 8 × 8, `grad` is 6 × 6, and the gradient of the kernel must be 3 × 3. Which of
# your functions makes 3 × 3 of these two?


# %% tags=["check"] id="kernel"
def check_kernel(height, width, size):
    picture, kernel = mg.randn(height, width), mg.randn(size, size, requires_grad=True)
    out = F.conv2d(picture[None, None], kernel[None, None])[0, 0]
    grad = mg.randn(out.shape)
    expect(kernel_gradient, picture, grad, gives=mg.autograd.grad(out, kernel, grad)[0], within=1e-4)


check_kernel(8, 8, 3)
check_kernel(5, 6, 2)

# %% [markdown]
# ## A net that sees
#
# A layer of a net has many kernels: `nn.Conv2d(1, 16, 3, padding=1)` makes 16 pictures out of 1, with 16
# kernels of 3 × 3; `padding=1` puts a margin of zeros around, so that 8 × 8 stays 8 × 8. `nn.MaxPool2d(2)`
# keeps the largest of each 2 × 2 pixels, so 8 × 8 becomes 4 × 4: *that* a stroke is there matters, not
# exactly where.

# %% [markdown] tags=["predict"] id="weights" answer="160"
# `nn.Conv2d(1, 16, 3, padding=1)` has 16 kernels of 3 × 3, and 16 biases. How many numbers is that? (A full
# layer from 64 pixels to 16 pictures of 64 pixels would have 66,560.)
#
# ---
# $16 \cdot 9 + 16 =$ **160**. The window is what saves: the same few weights, everywhere.

# %%
print(sum(p.numel() for p in nn.Conv2d(1, 16, 3, padding=1).parameters()))  # 160

# %% [markdown]
# ### Exercise: 95 of 100
#
# Put together `reader()`: it returns an `nn.Sequential` of
#
# 1. a convolution from 1 to 16 pictures, and a ReLU,
# 2. `nn.MaxPool2d(2)`,
# 3. a convolution from 16 to 32 pictures, and a ReLU,
# 4. `nn.Flatten()`, which makes one row of numbers, and `nn.Linear(..., 10)`: a score for each digit.
#
# Both convolutions have kernels of 3 and a padding of 1. How many numbers are in the row? The check trains
# your net for a few seconds, and then examines it.


# %% tags=["exercise"] id="reader"
def reader():
    ### BEGIN SOLUTION
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 4 * 4, 10),
    )
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="reader"
# After the pooling, each picture has 4 × 4 pixels, and the second convolution keeps that.

# %% [markdown] tags=["hint"] id="reader"
# 32 pictures of 4 × 4 pixels are 512 numbers. So the last layer is `nn.Linear(512, 10)`.


# %% tags=["check"] id="reader"
def learn(net, epochs):
    """Train on all pictures, `epochs` times; how many seconds that took."""
    began = time.perf_counter()
    optimizer = mg.optim.Adam(net.parameters(), lr=0.003)
    for _ in range(epochs):
        for pictures, labels in DataLoader(learnt, batch_size=32, shuffle=True):
            loss = F.cross_entropy(net(pictures.reshape(-1, 1, 8, 8)), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return time.perf_counter() - began


def shape_of_the_answer(pictures):
    """the shape of `reader()(x)` for {pictures} pictures"""
    return tuple(reader()(exam[:pictures]).shape)


def layers_of_yours():
    """the modules of `reader()`"""
    return [type(each).__name__ for each in reader()]


def parameters_of_yours():
    """the shapes of the parameters of `reader()`"""
    return [tuple(each.shape) for each in reader().parameters()]


def what_yours_reads():
    """the digits that `reader()` reads in the exam, after 8 rounds of learning"""
    mg.manual_seed(0)
    net = reader()
    learn(net, 8)
    with mg.no_grad():
        return net(exam).argmax(dim=1).tolist()


expect(shape_of_the_answer, 5, gives=(5, 10))
expect(layers_of_yours, gives=["Conv2d", "ReLU", "MaxPool2d", "Conv2d", "ReLU", "Flatten", "Linear"])
shapes = [(16, 1, 3, 3), (16,), (32, 16, 3, 3), (32,), (10, 512), (10,)]
expect(parameters_of_yours, gives=shapes)
expect(what_yours_reads, gives=mostly(answers.tolist(), 0.95))

# %% [markdown]
# Your net reads handwriting. That is the first part; here you may stop. (A GPU would not make so small a net
# learn faster, since each op has to be sent there first. With large ones it wins, and `.to("cuda")` is all that
# changes in a program.)
#
# ## Part 2: many computers
#
# A large net learns for weeks. So computers share the work. Each of them, called a **rank**, has the *same* net.
# Each takes a *different* part of the batch, and computes gradients from it. Then they *average* their
# gradients, and all take the same step. So their nets remain the same for ever.
#
# Is that allowed? The loss is a mean over the batch. A gradient of a mean is the mean of the gradients, if
# the parts are equally large. So it is exactly one step with the whole batch (lesson 6 said the same of
# micro-batches, one after the other).
#
# ## The ring
#
# Averaging sounds harmless. But a large net has a thousand million gradients. If all ranks send theirs to one
# place, that place is a bottleneck: it receives everything, and the others wait.
#
# Here is the clever way. The ranks stand in a *ring*. Each speaks only to its right neighbour, all at the
# same time. The gradients are cut into as many chunks as there are ranks.
#
# - *First, collect.* In step $s = 0, 1, \ldots, n-2$, rank $r$ sends its chunk $r - s$ to the right, and
#   *adds* what it receives, chunk $r - 1 - s$, to its own. After $n - 1$ steps, rank $r$ has chunk $r + 1$
#   complete.
# - *Then, spread.* In step $s$, rank $r$ sends its chunk $r + 1 - s$ to the right, and *replaces* its own
#   chunk $r - s$ with what it receives. After $n - 1$ steps, everybody has everything.
#
# All these numbers are taken modulo $n$: after the last rank comes rank 0.
#
# This is called **all-reduce**. Here the ranks live in one program, and `exchange` is the wire between them:

# %%
sent_by_each = 0


def exchange(outgoing):
    """`outgoing[r]` goes from rank r to its right neighbour. Returns what each rank receives, from its left one."""
    global sent_by_each
    sent_by_each += outgoing[0].numel()
    return [outgoing[rank - 1] for rank in range(len(outgoing))]


# %% [markdown]
# ### Exercise: all-reduce
#
# Write `all_reduce(ranks)`. `ranks[r][c]` is chunk `c` of rank `r`, a tensor. Return the same structure, in
# which every rank has the *sum* in each chunk. The first half is given.


# %% tags=["exercise"] id="all-reduce"
def all_reduce(ranks):
    n = len(ranks)
    ranks = [list(chunks) for chunks in ranks]
    for s in range(n - 1):
        received = exchange([ranks[r][(r - s) % n] for r in range(n)])
        for r in range(n):
            ranks[r][(r - 1 - s) % n] = ranks[r][(r - 1 - s) % n] + received[r]
    ### BEGIN SOLUTION
    for s in range(n - 1):
        received = exchange([ranks[r][(r + 1 - s) % n] for r in range(n)])
        for r in range(n):
            ranks[r][(r - s) % n] = received[r]
    return ranks
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="all-reduce"
# The second half looks like the first: a loop, an exchange, a loop over the ranks. Only which chunk is sent
# is different, and what is done with what arrives.

# %% [markdown] tags=["hint"] id="all-reduce"
# Rank `r` sends `ranks[r][(r + 1 - s) % n]`, and then sets `ranks[r][(r - s) % n] = received[r]`.


# %% tags=["check"] id="all-reduce"
def chunks_of(n, size):
    return [[mg.full((size,), float(10**r + c)) for c in range(n)] for r in range(n)]


def your_sums(ranks):
    """`all_reduce(ranks)` for {ranks}"""
    return [list(chunks) for chunks in all_reduce([list(chunks) for chunks in ranks])]


def over_a_noisy_wire(ranks, noise):
    """`all_reduce(ranks)` for {ranks}, when `exchange` adds {noise} to every number that it carries"""
    global exchange
    right = exchange

    def exchange(outgoing):
        return [outgoing[rank - 1] + noise for rank in range(len(outgoing))]

    try:
        return [list(chunks) for chunks in all_reduce([list(chunks) for chunks in ranks])]
    finally:
        exchange = right


def sent_by_one_of(n, size):
    """how many numbers the first of {n} ranks sends, with chunks of {size}"""
    global sent_by_each
    sent_by_each = 0
    all_reduce(chunks_of(n, size))
    return sent_by_each


def check_all_reduce(n):
    ranks = [[mg.randn(2) for _ in range(n)] for _ in range(n)]
    wanted = [[sum(rank[c] for rank in ranks) for c in range(n)]] * n
    expect(your_sums, ranks, gives=wanted, within=1e-4)


check_all_reduce(2)
check_all_reduce(1)
check_all_reduce(5)
expect(sent_by_one_of, 4, 100, gives=600)
# A chunk picks up the noise with every step: twice while it is collected, and then on its way to each rank.
ranks = [[mg.zeros(1) for _ in range(3)] for _ in range(3)]
wanted = [[mg.tensor([2.0 + (rank + 1 - chunk) % 3]) for chunk in range(3)] for rank in range(3)]
expect(over_a_noisy_wire, ranks, 1.0, gives=wanted)

# %% [markdown]
# Look at the last check: 4 ranks, 400 gradients, and each rank sent 600 numbers. With $n$ ranks and $G$
# gradients it is $2 G \frac{n - 1}{n}$. That is always less than $2G$, *however many ranks there are*.
#
# ## Together
#
# Four ranks, one batch of 64 pictures: each takes 16. `together` cuts the gradients into chunks, reduces
# them, and puts the mean back.


# %%
def together(nets):
    flat = [mg.cat([p.grad.flatten() for p in net.parameters()]) for net in nets]
    began = time.perf_counter()
    summed = all_reduce([list(each.tensor_split(len(nets))) for each in flat])
    events.emit(events.CollectiveRan("all_reduce", tuple(flat), time.perf_counter() - began, "sum"))
    for net, chunks in zip(nets, summed, strict=True):
        mean, start = mg.cat(chunks) / len(nets), 0
        for p in net.parameters():
            p.grad = mean[start : start + p.numel()].reshape(p.shape)
            start += p.numel()


mg.manual_seed(1)
one = reader()
nets = [copy.deepcopy(one) for _ in range(4)]
pictures, labels = next(iter(DataLoader(learnt, batch_size=64)))
pictures = pictures.reshape(-1, 1, 8, 8)

F.cross_entropy(one(pictures), labels).backward()
for rank, net in enumerate(nets):
    mine = slice(16 * rank, 16 * rank + 16)
    F.cross_entropy(net(pictures[mine]), labels[mine]).backward()
together(nets)

largest = max(
    (p.grad - q.grad).abs().max().item()
    for net in nets
    for p, q in zip(net.parameters(), one.parameters(), strict=True)
)
print(largest < 1e-6)  # True

# %% [markdown]
# The same gradient on all four, and the same as that of the whole batch. (Not to the last digit: the sums
# were done in another order.)
#
# In one program this saves nothing, of course. On real computers the ranks are programs of their own, and the
# wire is MPI: `minigrad.distributed` has `isend`, `recv` and `all_reduce`, by PyTorch's names. The same ring, with
# them, is `minigrad.examples.mpi.ring`. Where MPI is installed, two ranks run it now; where it is not, their
# messages are played over a network of 10 Gbit/s:

# %%
launcher = shutil.which("mpiexec") if distributed.is_mpi_available() else None
if launcher:
    command = [launcher, "-n", "2", sys.executable, "-m", "minigrad.examples.mpi.ring"]
    print(subprocess.run(command, capture_output=True, text=True, timeout=60).stdout)
else:
    network = simulate.Network(latency=30e-6, bandwidth=1.1e9)
    for event in simulate.step(2, backward=0.01, buckets=[4_000_000], network=network).events():
        print(f"{1000 * event.start:6.2f} to {1000 * event.end:6.2f} ms: rank {event.rank} {event.kind}")

# %% [markdown]
# ## Watch two ranks
#
# A smaller net, two ranks, two pictures each.


# %%
class Ranks(nn.Module):
    """Two copies of one net, side by side."""

    def __init__(self, net):
        super().__init__()
        self.rank0, self.rank1 = net, copy.deepcopy(net)

    def forward(self, first, second):
        return self.rank0(first), self.rank1(second)


small = Ranks(nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(72, 10)))
mg.observe.look()
scores = small(exam[:2], exam[2:4])
losses = [F.cross_entropy(scores[0], answers[:2]), F.cross_entropy(scores[1], answers[2:4])]
mg.autograd.backward(losses)
together([small.rank0, small.rank1])

# %% [markdown]
# Look at its graph. On the lesson's page, press **Show it here** above, and the graph stands beside the text.
# From a notebook or an editor, type `minigrad lesson run 13` in a terminal: the browser opens at the newest
# step, which is this one:
#
# 1. Two lanes stand side by side, **rank0** and **rank1**: the same ops, the same weights, other pictures.
#    No edge leads from one lane to the other.
# 2. Click **Convolve** in one of them. Its value is shown as squares: two pictures, each seen through two
#    kernels. Which strokes does the first kernel like?
# 3. Compare the gradients of the two: click **weight** in one lane, then in the other. They differ, because
#    the pictures differ.
# 4. Press **end**. After the last green marks on the timeline come the ops of your ring, which need no
#    gradient. The dark mark between them is **Ranks exchanged data**: that is the all-reduce. From then on both
#    ranks have the same gradient.
#
# ## Summary
#
# - A convolution slides one small table of weights over the whole picture. A stroke is seen wherever it is.
# - Its gradient is a convolution of the picture with the gradient. Many uses, one sum.
# - Data parallel: the same net everywhere, different pictures, averaged gradients. It equals one large batch.
# - The ring all-reduce sends less than $2G$ numbers from each rank, however many there are.
#
# ## Two open questions
#
# 1. While rank 0 is still going back through its first layer, the gradient of its *last* layer is long
#    complete. What could it do with it already? (Lesson 9 had a way to hear when a gradient is there.)
# 2. Twice as many ranks, twice as large a batch, half as many steps for each picture. Do you expect the net
#    to learn as much? What would you change about the learning rate?
