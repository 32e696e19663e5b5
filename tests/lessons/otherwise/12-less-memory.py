# ---
# lesson: 12-less-memory
# ---


# %% tags=["exercise"] id="segments"
def gradient_in_segments(layers, x, size):
    kept = []
    with mg.no_grad():
        for first in range(0, len(layers), size):
            segment = layers[first : first + size]
            kept.append((segment, x))
            x = run(segment, x)
    grad = mg.ones(x.shape)
    while kept:
        segment, start = kept.pop()
        start = start.clone().requires_grad_(True)
        out = run(segment, start)
        out.backward(grad)
        grad = start.grad
    return grad


# %% tags=["exercise"] id="segments"
def gradient_in_segments(layers, x, size):
    kept = []
    with mg.no_grad():
        for first in range(0, len(layers), size):
            segment = layers[first : first + size]
            kept.append((segment, x))
            x = run(segment, x)
    grad = mg.ones(x.shape)
    for i in range(len(kept) - 1, -1, -1):
        start = kept[i][1].detach().requires_grad_()
        grad = mg.autograd.grad(run(kept[i][0], start), start, grad)[0]
    return grad


# %% tags=["exercise"] id="best-size"
def best_size(n):
    best, cost = 1, n + 1
    for k in range(1, n + 1):
        now = -(-n // k) + k
        if now < cost:
            best, cost = k, now
    return best


# %% tags=["exercise"] id="best-size"
def best_size(n):
    costs = [math.ceil(n / k) + k for k in range(1, n + 1)]
    return costs.index(min(costs)) + 1


# %% tags=["exercise"] id="best-size"
def best_size(n):
    return min((math.ceil(n / k) + k, k) for k in range(1, n + 1))[1]


# %% tags=["exercise"] id="budget"
def gradient_within(layers, x, size):
    x = x.detach().requires_grad_()
    out = x
    first = 0
    while first < len(layers):
        segment = layers[first : first + size]
        out = checkpoint(lambda t, segment=segment: run(segment, t), out, use_reentrant=False)
        first += size
    return mg.autograd.grad(out.sum(), x)[0]


# %% tags=["exercise"] id="budget"
def gradient_within(layers, x, size):
    x = x.detach().requires_grad_()
    segments = [layers[at : at + size] for at in range(0, len(layers), size)]
    out = x
    for segment in segments:
        out = checkpoint(run, segment, out, use_reentrant=False)
    (grad,) = mg.autograd.grad(out.sum(), x)
    return grad


# %% tags=["exercise"] id="dice"
def twice(function, x):
    before = mg.get_rng_state()
    one = function(x)
    after = mg.get_rng_state()
    mg.set_rng_state(before)
    two = function(x)
    mg.set_rng_state(after)
    return one, two


# %% tags=["exercise"] id="dice"
def twice(function, x):
    state = mg.get_rng_state()
    results = []
    for _ in range(2):
        mg.set_rng_state(state)
        results.append(function(x))
    return tuple(results)
