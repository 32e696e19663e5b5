# ---
# lesson: 04-what-the-graph-remembers
# ---


# %% tags=["exercise"] id="saved-bytes"
def saved_bytes(function, *inputs):
    sizes = {}

    def pack(tensor):
        where = tensor.data_ptr()
        if where not in sizes:
            sizes[where] = tensor.nbytes
        return tensor

    def unpack(packed):
        return packed

    with mg.autograd.graph.saved_tensors_hooks(pack, unpack):
        function(*inputs)
    return sum(sizes.values())


# %% tags=["exercise"] id="saved-bytes"
def saved_bytes(function, *inputs):
    total, known = 0, set()

    def pack(tensor):
        nonlocal total
        if tensor.data_ptr() not in known:
            known.add(tensor.data_ptr())
            total += tensor.element_size() * tensor.numel()
        return tensor

    with mg.autograd.graph.saved_tensors_hooks(pack, lambda packed: packed):
        function(*inputs)
    return total


# %% tags=["exercise"] id="saved-bytes"
def saved_bytes(function, *inputs):
    kept = []
    with mg.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
        function(*inputs)
    return sum({t.data_ptr(): t.numel() * t.element_size() for t in kept}.values())


# %% tags=["exercise"] id="from-output"
class FromOutput(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = mg.sigmoid(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        y = ctx.saved_tensors[0]
        return (y - y * y) * grad


# %% tags=["exercise"] id="from-output"
class FromOutput(mg.autograd.Function):
    def forward(ctx, x):
        result = (1 + (-x).exp()) ** -1
        ctx.save_for_backward(result)
        return result
    def backward(ctx, grad):
        result, = ctx.saved_tensors
        return grad * (result * (1 - result))


# %% tags=["exercise"] id="both"
def both(trunk, w):
    plain, squared = trunk.sum(), (trunk * trunk).sum()
    first = mg.autograd.grad(plain, w, retain_graph=True)[0]
    second = mg.autograd.grad(squared, w)[0]
    return first, second


# %% tags=["exercise"] id="both"
def both(trunk, w):
    squared = mg.autograd.grad((trunk ** 2).sum(), [w], retain_graph=True)
    plain = mg.autograd.grad(trunk.sum(), [w])
    return plain[0], squared[0]


# %% tags=["exercise"] id="just-the-number"
def mean_loss_as_number(w, batches):
    with mg.no_grad():
        losses = [mg.tanh(batch @ w).square().mean() for batch in batches]
    return float(sum(losses)) / len(losses)


# %% tags=["exercise"] id="just-the-number"
def mean_loss_as_number(w, batches):
    total = 0.0
    for batch in batches:
        loss = mg.tanh(batch @ w).square().mean()
        total += float(loss.detach())
    return total / len(batches)


# %% tags=["exercise"] id="just-the-number"
def mean_loss_as_number(w, batches):
    numbers = []
    for batch in batches:
        numbers.append(mg.tanh(batch @ w.detach()).square().mean().item())
    return sum(numbers) / len(numbers)
