# ---
# lesson: 10-slopes-of-slopes
# ---


# %% tags=["exercise"] id="derivative"
def derivative(function, at, times):
    x = mg.tensor(at, dtype=mg.float64, requires_grad=True)
    y = function(x)
    while times > 0:
        y = mg.autograd.grad(y, x, create_graph=True)[0]
        times -= 1
    return float(y)


# %% tags=["exercise"] id="derivative"
def derivative(function, at, times):
    if times == 0:
        return function(mg.tensor(at, dtype=mg.float64)).item()
    x = mg.tensor(at, dtype=mg.float64, requires_grad=True)
    results = [function(x)]
    for _ in range(times):
        results.append(mg.autograd.grad(results[-1], x, create_graph=True)[0])
    return results[times].item()


# %% tags=["exercise"] id="hessian"
def hessian(function, p):
    p = p.detach().requires_grad_()
    (gradient,) = mg.autograd.grad(function(p), p, create_graph=True)
    n = len(p)
    table = mg.zeros(n, n, dtype=p.dtype)
    for i in range(n):
        table[i] = mg.autograd.grad(gradient[i], p, retain_graph=True)[0]
    return gradient.detach(), table


# %% tags=["exercise"] id="hessian"
def hessian(function, p):
    return mg.func.grad(function)(p), mg.func.hessian(function)(p)


# %% tags=["exercise"] id="hessian"
def hessian(function, p):
    p = p.detach().requires_grad_()
    (gradient,) = mg.autograd.grad(function(p), p, create_graph=True)
    columns = [mg.autograd.grad(g, p, retain_graph=True)[0] for g in gradient]
    return gradient, mg.stack(columns, dim=1)


# %% tags=["exercise"] id="newton"
def newton(function, start, steps):
    p = start.clone()
    for _ in range(steps):
        g, h = hessian(function, p)
        p -= mg.linalg.solve(h, g)
    return p


# %% tags=["exercise"] id="newton"
def newton(function, start, steps):
    here = start
    while steps:
        slope, bend = hessian(function, here)
        here = here - mg.linalg.inv(bend) @ slope
        steps -= 1
    return here


# %% tags=["exercise"] id="newton"
def newton(function, start, steps):
    if steps == 0:
        return start
    gradient, matrix = hessian(function, start)
    return newton(function, start - mg.linalg.solve(matrix, gradient), steps - 1)


# %% tags=["exercise"] id="hvp"
def hvp(function, p, v):
    p = p.detach().requires_grad_()
    gradient = mg.autograd.grad(function(p), p, create_graph=True)[0]
    return mg.autograd.grad(gradient @ v, p)[0]


# %% tags=["exercise"] id="hvp"
def hvp(function, p, v):
    p = p.detach().requires_grad_()
    (gradient,) = mg.autograd.grad(function(p), p, create_graph=True)
    return mg.autograd.grad(gradient, p, v)[0]


# %% tags=["exercise"] id="hvp"
def hvp(function, p, v):
    return mg.func.jvp(mg.func.grad(function), (p,), (v,))[1]


# %% tags=["exercise"] id="sharpest"
def sharpest(function, p, rounds):
    v = mg.ones(p.shape, dtype=p.dtype)
    v = v / v.norm()
    length = 0.0
    for _ in range(rounds):
        v = hvp(function, p, v)
        length = v.norm()
        v = v / length
    return float(length)


# %% tags=["exercise"] id="sharpest"
def sharpest(function, p, rounds):
    v = mg.ones(p.shape, dtype=p.dtype)
    v = v / (v * v).sum().sqrt()
    for number in range(rounds):
        product = hvp(function, p, v)
        size = math.sqrt((product * product).sum().item())
        v = product / size
    return size
