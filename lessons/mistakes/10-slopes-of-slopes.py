# ---
# lesson: 10-slopes-of-slopes
# ---


# %% tags=["wrong"] id="derivative"
# Without `create_graph=True` the slope is a constant, and has no slope itself.
def derivative(function, at, times):
    x = mg.tensor(at, dtype=mg.float64, requires_grad=True)
    result = function(x)
    for _ in range(times):
        (result,) = mg.autograd.grad(result, x)
    return result.item()


# %% tags=["wrong"] id="derivative"
# You take the slope once, whatever `times` is. Repeat it in a loop.
def derivative(function, at, times):
    x = mg.tensor(at, dtype=mg.float64, requires_grad=True)
    result = function(x)
    (result,) = mg.autograd.grad(result, x, create_graph=True)
    return result.item()


# %% tags=["wrong"] id="derivative"
# That is a tensor. Return a Python number: `result.item()`.
def derivative(function, at, times):
    x = mg.tensor(at, dtype=mg.float64, requires_grad=True)
    result = function(x)
    for _ in range(times):
        (result,) = mg.autograd.grad(result, x, create_graph=True)
    return result, times


# %% tags=["wrong"] id="derivative"
# You go once too often: with `times=0` the value itself is asked for.
def derivative(function, at, times):
    x = mg.tensor(at, dtype=mg.float64, requires_grad=True)
    result = function(x)
    for _ in range(times + 1):
        (result,) = mg.autograd.grad(result, x, create_graph=True)
    return result.item()


# %% tags=["wrong"] id="hessian"
# The rows stand side by side as one row. `mg.stack` makes a table of them.
def hessian(function, p):
    p = p.detach().requires_grad_()
    (gradient,) = mg.autograd.grad(function(p), p, create_graph=True)
    rows = [mg.autograd.grad(each, p, retain_graph=True)[0] for each in gradient]
    return gradient.detach(), mg.cat(rows)


# %% tags=["wrong"] id="hessian"
# The graph is let go after the first row. Keep it: `retain_graph=True`.
def hessian(function, p):
    p = p.detach().requires_grad_()
    (gradient,) = mg.autograd.grad(function(p), p, create_graph=True)
    rows = [mg.autograd.grad(each, p)[0] for each in gradient]
    return gradient.detach(), mg.stack(rows)


# %% tags=["wrong"] id="hessian"
# That is the gradient of the sum: one row. Ask for each number of the gradient by itself.
def hessian(function, p):
    p = p.detach().requires_grad_()
    (gradient,) = mg.autograd.grad(function(p), p, create_graph=True)
    (row,) = mg.autograd.grad(gradient.sum(), p)
    return gradient.detach(), row


# %% tags=["wrong"] id="hessian"
# Return the gradient as well: first the gradient, then the table.
def hessian(function, p):
    p = p.detach().requires_grad_()
    (gradient,) = mg.autograd.grad(function(p), p, create_graph=True)
    rows = [mg.autograd.grad(each, p, retain_graph=True)[0] for each in gradient]
    return mg.stack(rows)


# %% tags=["wrong"] id="hessian"
# You keep the diagonal only. How the slope along one input changes with another counts too.
def hessian(function, p):
    p = p.detach().requires_grad_()
    (gradient,) = mg.autograd.grad(function(p), p, create_graph=True)
    rows = [mg.autograd.grad(each, p, retain_graph=True)[0] for each in gradient]
    return gradient.detach(), mg.diag(mg.diag(mg.stack(rows)))


# %% tags=["wrong"] id="hessian"
# Your rows are a list of the same row. Take `each` in turn.
def hessian(function, p):
    p = p.detach().requires_grad_()
    (gradient,) = mg.autograd.grad(function(p), p, create_graph=True)
    rows = [mg.autograd.grad(gradient[0], p, retain_graph=True)[0] for each in gradient]
    return gradient.detach(), mg.stack(rows)


# %% tags=["wrong"] id="newton"
# You walk away from the bottom: the step is taken away, `p - s`.
def newton(function, start, steps):
    p = start
    for _ in range(steps):
        gradient, curvature = hessian(function, p)
        p = p + mg.linalg.solve(curvature, gradient)
    return p


# %% tags=["wrong"] id="newton"
# The Hessian is asked at the start only. Ask at each new place.
def newton(function, start, steps):
    p = start
    gradient, curvature = hessian(function, p)
    for _ in range(steps):
        gradient, _ = hessian(function, p)
        p = p - mg.linalg.solve(curvature, gradient)
    return p


# %% tags=["wrong"] id="newton"
# You multiply by the Hessian. Solve for the step: `mg.linalg.solve(curvature, gradient)`.
def newton(function, start, steps):
    p = start
    for _ in range(steps):
        gradient, curvature = hessian(function, p)
        p = p - curvature @ gradient
    return p


# %% tags=["wrong"] id="newton"
# That is descent by the gradient alone, without the curvature.
def newton(function, start, steps):
    p = start
    for _ in range(steps):
        gradient, _ = hessian(function, p)
        p = p - 0.001 * gradient
    return p


# %% tags=["wrong"] id="newton"
# The `return` stands in the loop, so there is one step only.
def newton(function, start, steps):
    p = start
    for _ in range(steps):
        gradient, curvature = hessian(function, p)
        return p - mg.linalg.solve(curvature, gradient)
    return p


# %% tags=["wrong"] id="newton"
# You divide by each diagonal number alone. The two inputs hang together: solve with the whole table.
def newton(function, start, steps):
    p = start
    for _ in range(steps):
        gradient, curvature = hessian(function, p)
        p = p - gradient / mg.diag(curvature)
    return p


# %% tags=["wrong"] id="newton"
# `hessian` returns two things. Take them apart: `gradient, curvature = hessian(function, p)`.
def newton(function, start, steps):
    p = start
    for _ in range(steps):
        q = p.detach().requires_grad_()
        (gradient,) = mg.autograd.grad(function(q), q)
        p = p - mg.linalg.solve(hessian(function, p), gradient)
    return p


# %% tags=["wrong"] id="hvp"
# The first gradient needs `create_graph=True`, or it is a constant.
def hvp(function, p, v):
    p = p.detach().requires_grad_()
    (gradient,) = mg.autograd.grad(function(p), p)
    return mg.autograd.grad((gradient * v).sum(), p)[0]


# %% tags=["wrong"] id="hvp"
# The direction `v` is left out.
def hvp(function, p, v):
    p = p.detach().requires_grad_()
    (gradient,) = mg.autograd.grad(function(p), p, create_graph=True)
    return mg.autograd.grad(gradient.sum(), p)[0]


# %% tags=["wrong"] id="hvp"
# That is the number g·v itself. Its gradient is asked for.
def hvp(function, p, v):
    p = p.detach().requires_grad_()
    (gradient,) = mg.autograd.grad(function(p), p, create_graph=True)
    return (gradient * v).sum().detach()


# %% tags=["wrong"] id="hvp"
# `mg.autograd.grad` returns a tuple. Take its element.
def hvp(function, p, v):
    p = p.detach().requires_grad_()
    (gradient,) = mg.autograd.grad(function(p), p, create_graph=True)
    return mg.autograd.grad((gradient * v).sum(), p)


# %% tags=["wrong"] id="hvp"
# That is the gradient times `v`, element by element.
def hvp(function, p, v):
    p = p.detach().requires_grad_()
    (gradient,) = mg.autograd.grad(function(p), p, create_graph=True)
    return (gradient * v).detach()


# %% tags=["wrong"] id="hvp"
# The Hessian of 100,000 inputs does not fit anywhere. Do without it.
def hvp(function, p, v):
    return hessian(function, p)[1] @ v


# %% tags=["wrong"] id="sharpest"
# That is the length after one round. In each round `v` must become the product, divided by its length.
def sharpest(function, p, rounds):
    v = mg.ones(p.shape, dtype=p.dtype)
    v = v / (v * v).sum().sqrt()
    for _ in range(rounds):
        product = hvp(function, p, v)
        length = (product * product).sum().sqrt()
    return length.item()


# %% tags=["wrong"] id="sharpest"
# The product is not divided by its length, so it grows without end.
def sharpest(function, p, rounds):
    v = mg.ones(p.shape, dtype=p.dtype)
    v = v / (v * v).sum().sqrt()
    for _ in range(rounds):
        product = hvp(function, p, v)
        length = (product * product).sum().sqrt()
        v = product
    return length.item()


# %% tags=["wrong"] id="sharpest"
# The root is missing: that is the square of the length.
def sharpest(function, p, rounds):
    v = mg.ones(p.shape, dtype=p.dtype)
    v = v / (v * v).sum().sqrt()
    for _ in range(rounds):
        product = hvp(function, p, v)
        length = (product * product).sum()
        v = product / length.sqrt()
    return length.item()


# %% tags=["wrong"] id="sharpest"
# You return the direction. The length of the last product is asked for.
def sharpest(function, p, rounds):
    v = mg.ones(p.shape, dtype=p.dtype)
    v = v / (v * v).sum().sqrt()
    for _ in range(rounds):
        product = hvp(function, p, v)
        v = product / (product * product).sum().sqrt()
    return v


# %% tags=["wrong"] id="sharpest"
# You begin with a `v` that is longer than 1, so the first length is too large. Use the one that is given.
def sharpest(function, p, rounds):
    v = mg.ones(p.shape, dtype=p.dtype)
    for _ in range(rounds):
        product = hvp(function, p, v)
        length = (product * product).sum().sqrt()
        v = product / length
    return length.item()


# %% tags=["wrong"] id="derivative"
# There is one slope too few: the loop runs `times` times.
def derivative(function, at, times):
    x = mg.tensor(at, dtype=mg.float64, requires_grad=True)
    result = function(x)
    for _ in range(times - 1):
        (result,) = mg.autograd.grad(result, x, create_graph=True)
    return result.item()


# %% tags=["wrong"] id="derivative"
# `mg.autograd.grad` returns a tuple. Take its element: `(result,) = ...`.
def derivative(function, at, times):
    x = mg.tensor(at, dtype=mg.float64, requires_grad=True)
    result = function(x)
    for _ in range(times):
        result = mg.autograd.grad(result, x, create_graph=True)
    return result


# %% tags=["wrong"] id="hessian"
# Your rows are still a list. `mg.stack` makes a table of them.
def hessian(function, p):
    p = p.detach().requires_grad_()
    (gradient,) = mg.autograd.grad(function(p), p, create_graph=True)
    rows = [mg.autograd.grad(each, p, retain_graph=True)[0] for each in gradient]
    return gradient, rows


# %% tags=["wrong"] id="hessian"
# First the gradient, then the table.
def hessian(function, p):
    p = p.detach().requires_grad_()
    (gradient,) = mg.autograd.grad(function(p), p, create_graph=True)
    rows = [mg.autograd.grad(each, p, retain_graph=True)[0] for each in gradient]
    return mg.stack(rows), gradient


# %% tags=["wrong"] id="newton"
# You always take one step. Take `steps` of them; none for 0.
def newton(function, start, steps):
    p = start
    gradient, curvature = hessian(function, p)
    return p - mg.linalg.solve(curvature, gradient)


# %% tags=["wrong"] id="hvp"
# Multiply by `v` before the second gradient, not after it.
def hvp(function, p, v):
    p = p.detach().requires_grad_()
    (g,) = mg.autograd.grad(function(p), p, create_graph=True)
    return mg.autograd.grad(g.sum(), p)[0] * v
