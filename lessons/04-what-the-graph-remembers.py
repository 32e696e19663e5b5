# ---
# title: What the graph remembers
# goal: Say which values a graph keeps for backward, count their bytes, and keep fewer.
# minutes: 40
# seconds: 15
# explorer: Purple marks are what each op saved; while backward runs they go out, and the purple curve falls to zero.
# view: sel=n7
# ---

# %% [markdown]
# # What the graph remembers
#
# A net runs well on your machine. Then you train it, and the memory is full, with the same net and the same
# data. **Who holds all that memory, what for, and when do they let go?**
#
# The slope of a sigmoid can be had from its input or from its output. Drag `x`: both agree. Which one would
# you keep?
#
# ```figure
# x = 1 from -5 to 5
# s = sigmoid(x)
# show from the output, s * (1 - s) = s * (1 - s)
# show from the input, with exp = exp(-x) / (1 + exp(-x)) ** 2
# ```
#
# At the end of this lesson you can
#
# - say what an op must remember, by looking at its rule alone,
# - count the bytes that a graph holds, at any moment,
# - write an op that remembers less, and find the line that makes a graph live for ever.
#
# You need lessons 1 and 3: each op has a rule, and the gradient of a value has the shape of that value.

# %%
import minigrad as mg
from minigrad.classroom import Wanted, expect

mg.manual_seed(0)

# %% [markdown]
# ## A rule asks, a node remembers
#
# The rule of $y = a \cdot b$ says $\bar a = \bar y \cdot b$. It runs during backward, perhaps much later. So
# somebody must have kept `b` until then. That is the *node*: the note that minigrad makes for each op. What
# a node keeps is called its **saved tensors**. You can look at them, by their names with `_saved_` in front:

# %%
a = mg.tensor([1.0, 2.0], requires_grad=True)
b = mg.tensor([10.0, 20.0], requires_grad=True)

product = a * b
print(product.grad_fn.name())  # MulBackward0
print(product.grad_fn._saved_b.tolist())  # [10.0, 20.0]

squashed = mg.tanh(a)
print(squashed.grad_fn._saved_out is None)  # False
total = a + b
try:
    print(total.grad_fn._saved_b)
except AttributeError as error:
    print(error)  # AddBackward0 saved nothing as 'b'; it has nothing

# %% [markdown]
# The product saved both its factors, because each stands in the rule of the other. Tanh saved its output,
# `out`, because its rule is $\bar x = \bar y (1 - y^2)$. The sum saved nothing. Its rule is
# $\bar a = \bar y$, and there is no value in it. **What a node remembers is what stands in its rule, and
# nothing else.**
#
# ## Count it
#
# minigrad lets you stand in the door. In a block `with saved_tensors_hooks(pack, unpack):`, everything that a
# node wants to keep is first handed to your function `pack`. The node keeps what `pack` returns. Backward
# hands that to `unpack`, which must give the tensor back.
#
# So we can count. A number in `float32` has four bytes: a tensor of 1,000 numbers has 4,000. One thing needs
# care. Two nodes may save the *same* memory: that costs only once. `t.data_ptr()` is the address of a
# tensor's memory, the same for the same memory.
#
# ### Exercise: bytes saved
#
# Write `saved_bytes(function, *inputs)`. It calls `function(*inputs)` and returns how many bytes the graph
# keeps because of it. The dictionary `sizes` is given, and so is the block; fill it in `pack`.


# %% tags=["exercise"] id="saved-bytes"
def saved_bytes(function, *inputs):
    sizes = {}  # address: bytes

    def pack(tensor):
        ### BEGIN SOLUTION
        sizes[tensor.data_ptr()] = tensor.numel() * tensor.element_size()
        return tensor
        ### END SOLUTION

    def unpack(packed):
        return packed

    with mg.autograd.graph.saved_tensors_hooks(pack, unpack):
        function(*inputs)
    return sum(sizes.values())


# %% [markdown] tags=["hint"] id="saved-bytes"
# `tensor.numel()` is how many numbers it holds, and `tensor.element_size()` how many bytes each of them has.

# %% [markdown] tags=["hint"] id="saved-bytes"
# Put the product of the two into `sizes`, under the key `tensor.data_ptr()`. Then return `tensor`, so that
# the node has something to keep.

# %%
x = mg.randn(1000, requires_grad=True)
w = mg.randn(1000, requires_grad=True)


# %% tags=["check"] id="saved-bytes"
def product_of_two(x, w):
    return x * w


def product_with_itself(x):
    return x * x


def product_of_two_shapes(x):
    return x.reshape(-1, 2) * x.reshape(-1, 2)


expect(saved_bytes, product_of_two, x, w, gives=8000)
expect(saved_bytes, product_with_itself, x, gives=4000)
expect(saved_bytes, product_with_itself, x.detach().double().requires_grad_(), gives=8000)
expect(saved_bytes, product_of_two_shapes, x, gives=4000)
expect(saved_bytes, mg.neg, x, gives=0)
many = 2 * mg.randint(100, 400, (1,)).item()
expect(saved_bytes, product_of_two, mg.randn(many, requires_grad=True), mg.ones(many), gives=4 * many)

# %% [markdown]
# Try it on a few ops, with 1,000 numbers each. Say the number first, then look: what stands in the rule?

# %%
x = mg.randn(1000, requires_grad=True)
w = mg.randn(1000, requires_grad=True)
for op in (mg.neg, mg.exp, mg.sin, mg.sum, mg.relu, mg.square):
    print(f"{op.__name__:8} {saved_bytes(op, x):5,} bytes")

# %% [markdown]
# `sum` takes a thousand numbers and remembers none of them. It needs their *shape* only, and that costs
# nothing.

# %% [markdown] tags=["predict"] id="constant-factor" answer="4000"
# `x` requires a gradient, and `w` is plain data that does not. Both hold 1,000 numbers of 4 bytes. How many
# bytes does `x * w` save?
#
# ---
# **4,000**. The rule for `x` asks for `w`. The rule for `w` asks for `x`, but nobody will ever ask that rule.
# So `x` is not saved. What needs no gradient makes others remember less.

# %%
print(saved_bytes(mg.mul, x, w.detach()))  # 4000

# %% [markdown]
# ## A mountain of memory
#
# One op is harmless. Now take a net of eight layers, one after the other, and ask how much is held at *every*
# moment. For that we hand the nodes a little object in place of the tensor. It adds to a sum when it is made
# and takes away again when nobody holds it any more.


# %%
class Meter:
    """The bytes that graphs hold: `now`, and the `curve` of it over time."""

    def __init__(self):
        self.now = 0
        self.curve = []
        self.uses = {}

    def watch(self):
        return mg.autograd.graph.saved_tensors_hooks(lambda tensor: Kept(self, tensor), lambda kept: kept.tensor)

    def change(self, tensor, by):
        address = tensor.data_ptr()
        before = self.uses.get(address, 0)
        self.uses[address] = before + by
        if before == 0 or before + by == 0:  # the first to hold this memory, or the last
            self.now += by * tensor.numel() * tensor.element_size()
            self.curve.append(self.now)


class Kept:
    """A saved tensor, as long as somebody holds it."""

    def __init__(self, meter, tensor):
        self.meter, self.tensor = meter, tensor
        meter.change(tensor, +1)

    def __del__(self):
        self.meter.change(self.tensor, -1)


weights = [mg.randn(100, 100, requires_grad=True) for _ in range(8)]
data = mg.randn(100, 100)


def net(x):
    for weight in weights:
        x = mg.tanh(x @ weight * 0.1)
    return x.mean()


meter = Meter()
with meter.watch():
    loss = net(data)
    print(f"after forward   {meter.now:9,} bytes")  # after forward     640,000 bytes
    loss.backward()
    print(f"after backward  {meter.now:9,} bytes")  # after backward          0 bytes

for held in meter.curve:
    print(f"{held:9,} {'█' * (held // 20_000)}")

# %% [markdown]
# Turn your head to the left, and you see a mountain. Forward climbs: with each layer the graph holds more.
# Backward comes down the other side: as soon as a node has run, it lets go. The peak is between them, and it
# is the peak that must fit into your memory.
#
# Where do 640,000 bytes come from? A table of 100 × 100 has 40,000 bytes. The matrix products hold the data
# and 7 weights, since the first product needs no gradient for its data. Each tanh holds its output, eight
# tables; the next product asks for the same table, and it costs no more. (And the factor 0.1 is a Python
# number, which costs nothing.) That makes 1 + 7 + 8 = 16 tables of 40,000 bytes.
#
# If you only *use* a net, none of this is needed. Nothing is written down under `no_grad`:

# %%
meter = Meter()
with meter.watch(), mg.no_grad():
    net(data)
print(meter.now, meter.curve)  # 0 []

# %% [markdown]
# ## Save the output, not the input
#
# The *sigmoid* squashes a number into the range from 0 to 1: $y = 1 / (1 + e^{-x})$. Its slope is
# $y (1 - y)$. Below is an op of our own: `forward` computes, and `ctx.save_for_backward` puts away what
# `backward` will want. (Lesson 8 is about such ops.) It is correct. But look at what it saves.


# %%
class FromInput(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1.0 / (1.0 + mg.exp(-x))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        y = 1.0 / (1.0 + mg.exp(-x))  # once more!
        return grad * y * (1.0 - y)


def layer_with(sigmoid):
    """A matrix product, a sigmoid, and a matrix product again."""

    def layer(x, first, second):
        return sigmoid(x @ first) @ second

    return layer


first, second = weights[:2]
print(f"{saved_bytes(layer_with(FromInput.apply), data, first, second):,}")  # 160,000

# %% [markdown]
# Four tables: the data, the second weight, the *input* of the sigmoid, and its *output*. The output is there
# because the second product asks for it: it stands in the rule for `second`. So the output is remembered
# anyway, by the op that comes next.
#
# ### Exercise: forget the input
#
# Write `FromOutput`, a sigmoid that saves its output. Its backward computes no exponential.


# %% tags=["exercise"] id="from-output" plays="y = sigmoid(x); y.grad = times; slope gives x.grad; gradient gives x.grad; apply( gives y"
class FromOutput(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = 1.0 / (1.0 + mg.exp(-x))
        ### BEGIN SOLUTION
        ctx.save_for_backward(y)
        return y
        ### END SOLUTION

    @staticmethod
    def backward(ctx, grad):
        ### BEGIN SOLUTION
        (y,) = ctx.saved_tensors
        return grad * y * (1.0 - y)
        ### END SOLUTION


# %% [markdown] tags=["hint"] id="from-output"
# In forward, `y` exists already. Save it in place of `x`, and return it.

# %% [markdown] tags=["hint"] id="from-output"
# In backward, `(y,) = ctx.saved_tensors` gets it back. Mind the comma: `saved_tensors` is a tuple. The rest
# is the last line of `FromInput.backward`.


# %% tags=["check"] id="from-output"
def slope_of_your_sigmoid(at):
    """the slope of `FromOutput.apply(x)` at x = {at}"""
    x = mg.tensor(at, dtype=mg.float64, requires_grad=True)
    FromOutput.apply(x).backward()
    return x.grad.item()


def gradient_through_your_sigmoid(start, weights):
    """the gradient at x = {start} of the sum of `FromOutput.apply(x)` times {weights}"""
    x = mg.tensor(start, dtype=mg.float64, requires_grad=True)
    (FromOutput.apply(x) * mg.tensor(weights, dtype=mg.float64)).sum().backward()
    return x.grad.tolist()


def bytes_of_your_layer():
    """how many bytes the layer keeps with `FromOutput` in it"""
    return saved_bytes(layer_with(FromOutput.apply), data, first, second)


def ops_in_your_backward():
    """which ops run in `FromOutput`'s backward"""
    x = mg.tensor(0.5, requires_grad=True)
    y = FromOutput.apply(x)
    heard = []
    stop = mg.events.listen(lambda event: heard.append(event))
    try:
        y.backward()
    finally:
        stop()
    names = {type(event.node).__name__ for event in heard if isinstance(event, mg.events.NodeRecorded)}
    return sorted(names & {"Exp", "Sigmoid", "Tanh"})


expect(FromOutput.apply, mg.tensor([0.0]), gives=mg.tensor([0.5]))
expect(slope_of_your_sigmoid, 0.0, gives=0.25)
at = mg.rand(2, dtype=mg.float64) * 2.0 + 0.5
slopes = mg.sigmoid(at) * (1.0 - mg.sigmoid(at))
expect(slope_of_your_sigmoid, -2.0, gives=0.1049935854035065)
expect(gradient_through_your_sigmoid, at.tolist(), [10.0, -1.0], gives=[10.0 * slopes[0].item(), -slopes[1].item()])
expect(bytes_of_your_layer, gives=120_000)
expect(ops_in_your_backward, gives=[])

# %% [markdown]
# A quarter of the memory is gone, and the exponential in backward as well. Nothing was lost: the same slopes
# come out. Compare with the ready one, and with a sigmoid that is put together from small ops:


# %%
def from_small_ops(x):
    return 1.0 / (1.0 + mg.exp(-x))


print(f"{saved_bytes(layer_with(mg.sigmoid), data, first, second):,}")  # 120,000
print(f"{saved_bytes(layer_with(from_small_ops), data, first, second):,}")  # 200,000

# %% [markdown]
# Put together from small ops, each of them remembers for itself: 200,000. That is one reason why libraries
# have an op for the sigmoid at all.
#
# ## Asked twice
#
# A node that has run lets go. So backward works once:

# %%
x = mg.tensor([0.5, -1.0], requires_grad=True)
y = mg.sigmoid(x).sum()
y.backward()
try:
    y.backward()
except RuntimeError as error:
    print(str(error).partition(" (")[0])  # Trying to backward through the graph a second time

# %% [markdown]
# If you do need it twice, say `retain_graph=True`: keep everything. The memory then stays full until a
# backward *without* these words comes along, or until nobody holds the graph any more.
#
# ### Exercise: two losses, one trunk
#
# Two losses are computed from the same `trunk`. Write `both(trunk, w)`: it returns the gradient of
# `trunk.sum()` for `w`, and the gradient of `(trunk * trunk).sum()` for `w`, by two calls of
# `mg.autograd.grad(loss, w)`, which returns a tuple of one gradient. Keep the graph for as long as it is
# needed, and no longer.


# %% tags=["exercise"] id="both"
def both(trunk, w):
    plain, squared = trunk.sum(), (trunk * trunk).sum()
    ### BEGIN SOLUTION
    (of_plain,) = mg.autograd.grad(plain, w, retain_graph=True)
    (of_squared,) = mg.autograd.grad(squared, w)
    return of_plain, of_squared
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="both"
# Both backwards run through the trunk. Which of the two must leave it as it is?

# %% [markdown] tags=["hint"] id="both"
# `mg.autograd.grad(plain, w, retain_graph=True)` first, then the other without these words. Each gives a
# tuple; take its one element.


# %% tags=["check"] id="both"
def gradients_of_both(start):
    """`both(trunk, w)` for trunk = exp(w) at w = {start}"""
    w = mg.tensor(start, requires_grad=True)
    return both(mg.exp(w), w)


def bytes_left_after_both():
    """how many bytes the graph still keeps after `both`"""
    meter = Meter()
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    with meter.watch():
        trunk = mg.exp(w)
        both(trunk, w)
    return meter.now


start = mg.rand(2) + 0.5
expect(gradients_of_both, [0.0, 1.0], gives=(mg.tensor([1.0, 2.7182817]), mg.tensor([2.0, 14.7781122])))
expect(gradients_of_both, start.tolist(), gives=(mg.exp(start), 2.0 * mg.exp(2.0 * start)), within=1e-5)
expect(bytes_left_after_both, gives=0)

# %% [markdown]
# ## The graph that never dies
#
# Everybody writes this once. You want to see the mean loss at the end, so you add up the losses:


# %%
def mean_loss(w, batches):
    total = 0.0
    for batch in batches:
        total = total + mg.tanh(batch @ w).square().mean()
    return total / len(batches)


batches = [mg.randn(100, 100) for _ in range(20)]
meter = Meter()
with meter.watch():
    told = mean_loss(weights[0], batches)
    print(f"{meter.now:,} bytes after {len(batches)} batches")  # 1,600,000 bytes after 20 batches

# %% [markdown]
# `total` is a *tensor*, and it was made from every loss. Each loss was made from its batch. As long as you
# hold `total`, you hold every node of every batch: 80,000 bytes more with each of them, until the memory is
# full after an hour.
#
# ### Exercise: just the number
#
# Write `mean_loss_as_number(w, batches)`. It returns the same mean as a Python number, and afterwards no
# graph is left.


# %% tags=["exercise"] id="just-the-number"
def mean_loss_as_number(w, batches):
    total = 0.0
    for batch in batches:
        loss = mg.tanh(batch @ w).square().mean()
        ### BEGIN SOLUTION
        total += loss.item()
    return total / len(batches)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="just-the-number"
# Which method turns a tensor of one element into a Python number, which remembers nothing?

# %% [markdown] tags=["hint"] id="just-the-number"
# `total += loss.item()`. At the end, divide by `len(batches)`.


# %% tags=["check"] id="just-the-number"
def your_mean_loss(start, batches):
    """`mean_loss_as_number(w, batches)` for w = {start}, and the same as `type`"""
    found = mean_loss_as_number(mg.tensor(start, requires_grad=True), batches)
    return found, type(found).__name__


def peak_of_your_mean_loss():
    """how many bytes graphs keep at the highest, and how many in the end, over 20 batches of 80,000 bytes"""
    meter = Meter()
    with meter.watch():
        mean_loss_as_number(weights[0], batches)
    return max(meter.curve, default=0), meter.now


start = mg.rand(3)
some = [mg.randn(4, 3) for _ in range(3)]
mean = sum(mg.tanh(each @ start).square().mean().item() for each in some) / 3
expect(your_mean_loss, start.tolist(), some, gives=(mean, "float"), within=1e-5)


class FewBytes(Wanted):
    """At no time more than the graphs of three batches, and none in the end."""

    def wrong(self, found):
        most, left = found
        if left > 0:
            return f"{left:,} bytes are kept for ever"
        return f"{most:,} bytes at the highest" if most > 3 * 80_000 else None

    def __repr__(self):
        return "at most 240,000 bytes, and 0 in the end"


expect(peak_of_your_mean_loss, gives=FewBytes())

# %% [markdown]
# ## Watch minigrad do it
#
# A small layer with your sigmoid in it, forward and backward. (`look` begins a new step in the explorer's
# recording, so that this graph stands alone.)

# %%
mg.observe.look()
x = mg.tensor([[0.5, -1.0], [2.0, 0.0]])
first = mg.tensor([[0.3, -0.2], [0.8, 0.1]], requires_grad=True)
second = mg.tensor([[1.0], [-1.0]], requires_grad=True)

hidden = FromOutput.apply(x @ first)
loss = (hidden @ second).square().mean()
loss.backward()
print(f"{loss.item():.4f}")

# %% [markdown]
# Look at its graph. On the lesson's page, press **Show it here** above, and the graph stands beside the text.
# From a notebook or an editor, type `minigrad lesson run 4` in a terminal: the browser opens at the newest
# step, which is this layer:
#
# 1. Press **home**, then **→** again and again. With each op the purple marks light up that say what it
#    saved. Above the strip at the bottom stand the bytes: *saved for backward*, and the *peak*.
# 2. Click **FromOutput**. In the panel on the right, **Saved for backward** lists what it keeps, with its
#    size. Click the second **Mm**. Both list the same tensor.
# 3. Go on into backward. As each node has run, its purple marks go dark, and the panel says *released*. The
#    bytes fall, step by step, to 0.
# 4. Look at `x`, which requires no gradient. Who saved it, and for whose rule?
# 5. The box **no gradient** holds what ran inside your forward. Click it and press **e** to open it. These ops
#    have no purple marks: nothing of them was kept.
#
# ## Summary
#
# - A node remembers what stands in its rule: inputs, its output, or nothing at all.
# - Memory climbs in forward and falls in backward. The peak lies between them.
# - Save what the next op saves as well, and it costs only once.
# - A node that has run lets go. `retain_graph=True` keeps everything for another backward.
# - Whoever holds a tensor with a graph holds the whole graph. For a number, take `.item()`.
#
# ## Two open questions
#
# 1. Suppose the net remembered only every fourth layer, and computed the others once more during backward.
#    What would the mountain look like, and what would it cost? (Lesson 12 does that.)
# 2. The rule of relu asks only whether each number was above zero. How few bytes could it do with, for 1,000
#    numbers? minigrad keeps 4,000: why might that be the better choice all the same?
