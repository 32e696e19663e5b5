# ---
# lesson: 04-what-the-graph-remembers
# ---


# %% tags=["wrong"] id="saved-bytes"
# You count elements. Each has `tensor.element_size()` bytes.
def saved_bytes(function, *inputs):
    sizes = {}

    def pack(tensor):
        sizes[tensor.data_ptr()] = tensor.numel()
        return tensor

    with mg.autograd.graph.saved_tensors_hooks(pack, lambda packed: packed):
        function(*inputs)
    return sum(sizes.values())


# %% tags=["wrong"] id="saved-bytes"
# Not every element has 4 bytes: a float64 has 8. Ask `tensor.element_size()`.
def saved_bytes(function, *inputs):
    sizes = {}

    def pack(tensor):
        sizes[tensor.data_ptr()] = 4 * tensor.numel()
        return tensor

    with mg.autograd.graph.saved_tensors_hooks(pack, lambda packed: packed):
        function(*inputs)
    return sum(sizes.values())


# %% tags=["wrong"] id="saved-bytes"
# Two nodes that save the same memory are counted twice. Use its address, `tensor.data_ptr()`, as the key.
def saved_bytes(function, *inputs):
    sizes = []

    def pack(tensor):
        sizes.append(tensor.numel() * tensor.element_size())
        return tensor

    with mg.autograd.graph.saved_tensors_hooks(pack, lambda packed: packed):
        function(*inputs)
    return sum(sizes)


# %% tags=["wrong"] id="saved-bytes"
# Two tensor objects may have the same memory, as views do. The key is `tensor.data_ptr()`, not the object.
def saved_bytes(function, *inputs):
    sizes, kept = {}, []

    def pack(tensor):
        kept.append(tensor)
        sizes[id(tensor)] = tensor.numel() * tensor.element_size()
        return tensor

    with mg.autograd.graph.saved_tensors_hooks(pack, lambda packed: packed):
        function(*inputs)
    return sum(sizes.values())


# %% tags=["wrong"] id="saved-bytes"
# You count the inputs, whether they are saved or not. Count in `pack`: it is called with what is saved.
def saved_bytes(function, *inputs):
    function(*inputs)
    return sum(each.numel() * each.element_size() for each in inputs)


# %% tags=["wrong"] id="saved-bytes"
# All sizes go under one key, so only the last one counts.
def saved_bytes(function, *inputs):
    sizes = {}

    def pack(tensor):
        sizes["size"] = tensor.numel() * tensor.element_size()
        return tensor

    with mg.autograd.graph.saved_tensors_hooks(pack, lambda packed: packed):
        function(*inputs)
    return sum(sizes.values())


# %% tags=["wrong"] id="from-output"
# It is right, but it still saves the input. Save `y`.
class FromOutput(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1.0 / (1.0 + mg.exp(-x))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        y = mg.sigmoid(x)
        return grad * y * (1.0 - y)


# %% tags=["wrong"] id="from-output"
# You leave out `grad`, the gradient that arrived.
class FromOutput(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = 1.0 / (1.0 + mg.exp(-x))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return y * (1.0 - y)


# %% tags=["wrong"] id="from-output"
# That is the slope of tanh. The slope of the sigmoid is `y * (1 - y)`.
class FromOutput(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = 1.0 / (1.0 + mg.exp(-x))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * (1.0 - y * y)


# %% tags=["wrong"] id="from-output"
# The sign is the other one: `y * (1 - y)` is positive, as the sigmoid rises everywhere.
class FromOutput(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = 1.0 / (1.0 + mg.exp(-x))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y * (y - 1.0)


# %% tags=["wrong"] id="from-output"
# You save the output, and then take the sigmoid of it once more in backward.
class FromOutput(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = 1.0 / (1.0 + mg.exp(-x))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        again = mg.sigmoid(y)
        return grad * again * (1.0 - again)


# %% tags=["wrong"] id="both"
# The trunk is gone when the second backward comes. The first must keep it: `retain_graph=True`.
def both(trunk, w):
    plain, squared = trunk.sum(), (trunk * trunk).sum()
    return mg.autograd.grad(plain, w)[0], mg.autograd.grad(squared, w)[0]


# %% tags=["wrong"] id="both"
# Both keep the graph, so its memory is never let go. The second needs no `retain_graph`.
def both(trunk, w):
    plain, squared = trunk.sum(), (trunk * trunk).sum()
    (of_plain,) = mg.autograd.grad(plain, w, retain_graph=True)
    (of_squared,) = mg.autograd.grad(squared, w, retain_graph=True)
    return of_plain, of_squared


# %% tags=["wrong"] id="both"
# `mg.autograd.grad` returns a tuple of one gradient. Take its element.
def both(trunk, w):
    plain, squared = trunk.sum(), (trunk * trunk).sum()
    return mg.autograd.grad(plain, w, retain_graph=True), mg.autograd.grad(squared, w)


# %% tags=["wrong"] id="both"
# `w.grad` adds up: after the second backward it holds the sum of both gradients.
def both(trunk, w):
    plain, squared = trunk.sum(), (trunk * trunk).sum()
    plain.backward(retain_graph=True)
    squared.backward()
    return w.grad, w.grad


# %% tags=["wrong"] id="both"
# The two gradients are exchanged: first that of `trunk.sum()`.
def both(trunk, w):
    plain, squared = trunk.sum(), (trunk * trunk).sum()
    (of_plain,) = mg.autograd.grad(plain, w, retain_graph=True)
    (of_squared,) = mg.autograd.grad(squared, w)
    return of_squared, of_plain


# %% tags=["wrong"] id="just-the-number"
# That is a tensor, and behind it stands every graph. Take `.item()` of each loss.
def mean_loss_as_number(w, batches):
    total = 0.0
    for batch in batches:
        total = total + mg.tanh(batch @ w).square().mean()
    return total / len(batches)


# %% tags=["wrong"] id="just-the-number"
# You take the number at the end only. Until then all graphs are held: take `.item()` of each loss.
def mean_loss_as_number(w, batches):
    total = 0.0
    for batch in batches:
        total = total + mg.tanh(batch @ w).square().mean()
    return total.item() / len(batches)


# %% tags=["wrong"] id="just-the-number"
# That is the sum. For the mean, divide by the number of batches.
def mean_loss_as_number(w, batches):
    total = 0.0
    for batch in batches:
        total += mg.tanh(batch @ w).square().mean().item()
    return total


# %% tags=["wrong"] id="just-the-number"
# That is the loss of the last batch. Add them up: `+=`.
def mean_loss_as_number(w, batches):
    total = 0.0
    for batch in batches:
        total = mg.tanh(batch @ w).square().mean().item()
    return total


# %% tags=["wrong"] id="just-the-number"
# The `return` stands in the loop, so only the first batch counts.
def mean_loss_as_number(w, batches):
    total = 0.0
    for batch in batches:
        total += mg.tanh(batch @ w).square().mean().item()
        return total / len(batches)
