# ---
# lesson: 09-trust-but-check
# ---


# %% tags=["exercise"] id="measured"
def measured_gradient(function, x, push=1e-6):
    gradient = mg.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        unit = mg.zeros(len(x), dtype=x.dtype)
        unit[i] = push
        gradient[i] = (function(x + unit) - function(x - unit)) / push / 2
    return gradient


# %% tags=["exercise"] id="measured"
def measured_gradient(function, x, push=1e-6):
    gradient = mg.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        kept = x[i].item()
        x[i] = kept + push
        right = function(x).item()
        x[i] = kept - push
        left = function(x).item()
        x[i] = kept
        gradient[i] = (right - left) / (2 * push)
    return gradient


# %% tags=["exercise"] id="measured"
def measured_gradient(function, x, push=1e-6):
    units = mg.eye(len(x), dtype=x.dtype) * push
    return mg.stack([(function(x + unit) - function(x - unit)) / (2 * push) for unit in units])


# %% tags=["exercise"] id="wrong-ones"
def wrong_ones(ops):
    bad = []
    for name in ops:
        if not passes(ops[name], [-2.7, -2.2, -1.6, -0.7, -0.3, 0.4, 0.8, 1.3, 1.7, 2.4, 2.8]):
            bad.append(name)
    return bad


# %% tags=["exercise"] id="wrong-ones"
def wrong_ones(ops):
    points = [place / 10 + 0.05 for place in range(-30, 30)]
    return list(filter(lambda name: not passes(ops[name], points), ops))


# %% tags=["exercise"] id="clip"
def clip(tensor, limit):
    def hook(grad):
        if grad.norm() > limit:
            return grad / grad.norm() * limit
    return tensor.register_hook(hook)


# %% tags=["exercise"] id="clip"
def clip(tensor, limit):
    return tensor.register_hook(lambda g: g * min(1.0, limit / max(g.norm().item(), 1e-30)))


# %% tags=["exercise"] id="clip"
def clip(tensor, limit):
    def hook(grad):
        length = grad.square().sum().sqrt()
        return mg.where(length > limit, grad * limit / length, grad)
    handle = tensor.register_hook(hook)
    return handle


# %% tags=["exercise"] id="safe"
def safe_distance(a, b):
    squared = (a - b).square().sum()
    if squared == 0:
        return squared
    return squared.sqrt()


# %% tags=["exercise"] id="safe"
def safe_distance(a, b):
    squared = ((a - b) ** 2).sum()
    same = squared == 0
    return mg.where(same, mg.zeros_like(squared), mg.where(same, mg.ones_like(squared), squared).sqrt())


# %% tags=["exercise"] id="safe"
def safe_distance(a, b):
    squared = (a - b).square().sum()
    return mg.sqrt(squared) if squared.item() > 0 else 0.0 * squared
