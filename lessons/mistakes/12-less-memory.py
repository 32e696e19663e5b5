# ---
# lesson: 12-less-memory
# ---


# %% tags=["wrong"] id="segments"
# You begin with the first segment. Backward begins at the end: `reversed(kept)`.
def gradient_in_segments(layers, x, size):
    kept = []
    with mg.no_grad():
        for first in range(0, len(layers), size):
            segment = layers[first : first + size]
            kept.append((segment, x))
            x = run(segment, x)
    grad = mg.ones(x.shape)
    for segment, start in kept:
        start = start.detach().requires_grad_()
        (grad,) = mg.autograd.grad(run(segment, start), start, grad)
    return grad


# %% tags=["wrong"] id="segments"
# The gradient that arrived is not handed on: `mg.autograd.grad(..., start, grad)`.
def gradient_in_segments(layers, x, size):
    kept = []
    with mg.no_grad():
        for first in range(0, len(layers), size):
            segment = layers[first : first + size]
            kept.append((segment, x))
            x = run(segment, x)
    grad = mg.ones(x.shape)
    for segment, start in reversed(kept):
        start = start.detach().requires_grad_()
        (grad,) = mg.autograd.grad(run(segment, start).sum(), start)
    return grad


# %% tags=["wrong"] id="segments"
# `start` was computed without a graph, and requires no gradient. Say `start.detach().requires_grad_()`.
def gradient_in_segments(layers, x, size):
    kept = []
    with mg.no_grad():
        for first in range(0, len(layers), size):
            segment = layers[first : first + size]
            kept.append((segment, x))
            x = run(segment, x)
    grad = mg.ones(x.shape)
    for segment, start in reversed(kept):
        (grad,) = mg.autograd.grad(run(segment, start), start, grad)
    return grad


# %% tags=["wrong"] id="segments"
# `mg.autograd.grad` returns a tuple, and you return it. Take its element.
def gradient_in_segments(layers, x, size):
    kept = []
    with mg.no_grad():
        for first in range(0, len(layers), size):
            segment = layers[first : first + size]
            kept.append((segment, x))
            x = run(segment, x)
    grad = mg.ones(x.shape)
    for segment, start in reversed(kept):
        start = start.detach().requires_grad_()
        grads = mg.autograd.grad(run(segment, start), start, grad)
        grad = grads[0]
    return grads


# %% tags=["wrong"] id="segments"
# That is right, but nothing is forgotten: all layers are recorded at once.
def gradient_in_segments(layers, x, size):
    kept = []
    with mg.no_grad():
        for first in range(0, len(layers), size):
            segment = layers[first : first + size]
            kept.append((segment, x))
            x = run(segment, x)
    grad = mg.ones(x.shape)
    return gradient(layers, kept[0][1])


# %% tags=["wrong"] id="segments"
# The `return` stands in the loop, so only the last segment is walked back.
def gradient_in_segments(layers, x, size):
    kept = []
    with mg.no_grad():
        for first in range(0, len(layers), size):
            segment = layers[first : first + size]
            kept.append((segment, x))
            x = run(segment, x)
    grad = mg.ones(x.shape)
    for segment, start in reversed(kept):
        start = start.detach().requires_grad_()
        (grad,) = mg.autograd.grad(run(segment, start), start, grad)
        return grad


# %% tags=["wrong"] id="segments"
# The gradients of the segments are added. Slopes along a chain multiply: hand each on to the next.
def gradient_in_segments(layers, x, size):
    kept = []
    with mg.no_grad():
        for first in range(0, len(layers), size):
            segment = layers[first : first + size]
            kept.append((segment, x))
            x = run(segment, x)
    grad = mg.ones(x.shape)
    total = 0.0
    for segment, start in reversed(kept):
        start = start.detach().requires_grad_()
        total = total + mg.autograd.grad(run(segment, start), start, grad)[0]
    return total


# %% tags=["wrong"] id="best-size"
# About the square root, but not exactly: try every k from 1 to n.
def best_size(n):
    return max(1, round(math.sqrt(n)))


# %% tags=["wrong"] id="best-size"
# The square root, rounded up, is not always the best, nor the smallest. Try every k.
def best_size(n):
    return math.ceil(math.sqrt(n))


# %% tags=["wrong"] id="best-size"
# Of several equally good sizes the smallest is asked for. Yours is the largest.
def best_size(n):
    return min(range(1, n + 1), key=lambda k: (math.ceil(n / k) + k, -k))


# %% tags=["wrong"] id="best-size"
# That is how many values are kept. Return the size `k`.
def best_size(n):
    return min(math.ceil(n / k) + k for k in range(1, n + 1))


# %% tags=["wrong"] id="best-size"
# The last segment may be shorter, so the number of checkpoints is rounded *up*: `math.ceil(n / k)`.
def best_size(n):
    return min(range(1, n + 1), key=lambda k: n // k + k)


# %% tags=["wrong"] id="best-size"
# You count the checkpoints, and forget the values of the segment under way.
def best_size(n):
    return min(range(1, n + 1), key=lambda k: math.ceil(n / k))


# %% tags=["wrong"] id="budget"
# That is the plain way: nothing goes through `checkpoint`.
def gradient_within(layers, x, size):
    x = x.detach().requires_grad_()
    out = x
    out = run(layers, x)
    return mg.autograd.grad(out.sum(), x)[0]


# %% tags=["wrong"] id="budget"
# One checkpoint around all layers keeps little, but then all of them run again at once.
def gradient_within(layers, x, size):
    x = x.detach().requires_grad_()
    out = x
    out = checkpoint(run, layers, out, use_reentrant=False)
    return mg.autograd.grad(out.sum(), x)[0]


# %% tags=["wrong"] id="budget"
# Each segment begins at `x` again. Replace `out` each time.
def gradient_within(layers, x, size):
    x = x.detach().requires_grad_()
    out = x
    for first in range(0, len(layers), size):
        out = checkpoint(run, layers[first : first + size], x, use_reentrant=False)
    return mg.autograd.grad(out.sum(), x)[0]


# %% tags=["wrong"] id="budget"
# One layer is left out between the segments: go on at `first + size`.
def gradient_within(layers, x, size):
    x = x.detach().requires_grad_()
    out = x
    for first in range(0, len(layers), size):
        out = checkpoint(run, layers[first : first + size - 1], out, use_reentrant=False)
    return mg.autograd.grad(out.sum(), x)[0]


# %% tags=["wrong"] id="budget"
# The last segment is left out where it is not full.
def gradient_within(layers, x, size):
    x = x.detach().requires_grad_()
    out = x
    for first in range(0, len(layers) - size + 1, size):
        out = checkpoint(run, layers[first : first + size], out, use_reentrant=False)
    return mg.autograd.grad(out.sum(), x)[0]


# %% tags=["wrong"] id="budget"
# Every layer has a checkpoint of its own, so every value is kept. Cut segments of `size`.
def gradient_within(layers, x, size):
    x = x.detach().requires_grad_()
    out = x
    for layer in layers:
        out = checkpoint(layer, out, use_reentrant=False)
    return mg.autograd.grad(out.sum(), x)[0]


# %% tags=["wrong"] id="dice"
# The second call throws other dice. Take the state before the first call, and set it between the two.
def twice(function, x):
    return function(x), function(x)


# %% tags=["wrong"] id="dice"
# Both are the same, but the function is called once. Call it two times.
def twice(function, x):
    first = function(x)
    return first, first


# %% tags=["wrong"] id="dice"
# A seed of your own throws other dice than those that were due. Keep the state.
def twice(function, x):
    mg.manual_seed(0)
    first = function(x)
    mg.manual_seed(0)
    return first, function(x)


# %% tags=["wrong"] id="dice"
# After it the dice stand where they stood before. They must stand where *one* call leaves them.
def twice(function, x):
    state = mg.get_rng_state()
    first = function(x)
    mg.set_rng_state(state)
    second = function(x)
    mg.set_rng_state(state)
    return first, second


# %% tags=["wrong"] id="segments"
# Everything is kept here, as in the plain way. Walk back segment by segment.
def gradient_in_segments(layers, x, size):
    return gradient(layers, x)


# %% tags=["wrong"] id="segments"
# With several inputs to a place the slopes do not just multiply: hand `grad` to `mg.autograd.grad`.
def gradient_in_segments(layers, x, size):
    kept = []
    with mg.no_grad():
        for first in range(0, len(layers), size):
            segment = layers[first : first + size]
            kept.append((segment, x))
            x = run(segment, x)
    grad = mg.ones(x.shape)
    for segment, start in reversed(kept):
        start = start.detach().requires_grad_()
        grad = grad * mg.autograd.grad(run(segment, start).sum(), start)[0]
    return grad
