# ---
# lesson: 03-from-numbers-to-tensors
# ---


# %% tags=["wrong"] id="matmul"
# Each gradient is multiplied by its own matrix. As in lesson 1, the gradient of `a` needs `b`, and that of `b` needs `a`.
def matmul_backward(a, b, grad):
    return (grad.sum() * a), (grad.sum() * b)


# %% tags=["wrong"] id="matmul"
# The two gradients are exchanged: first that of `a`.
def matmul_backward(a, b, grad):
    return a.mT @ grad, grad @ b.mT


# %% tags=["wrong"] id="matmul"
# The factors of the second product stand in the wrong order, so it comes out transposed. It must have the shape of `b`.
def matmul_backward(a, b, grad):
    return grad @ b.mT, grad.mT @ a


# %% tags=["wrong"] id="matmul"
# You leave out `grad`: these are sums of slopes, as if every output counted 1.
def matmul_backward(a, b, grad):
    ones = mg.ones(grad.shape)
    return ones @ b.mT, a.mT @ ones


# %% tags=["wrong"] id="matmul"
# That is the gradient of `a` alone. Return both, with a comma between them.
def matmul_backward(a, b, grad):
    return grad @ b.mT


# %% tags=["wrong"] id="sum-down"
# A size of 1 is to be kept: sum over it with `keepdim=True`.
def sum_down(grad, shape):
    while grad.ndim > len(shape):
        grad = grad.sum(0)
    for dim in reversed(range(len(shape))):
        if shape[dim] == 1:
            grad = grad.sum(dim)
    return grad


# %% tags=["wrong"] id="sum-down"
# You sum the missing dimensions away, but not those of size 1.
def sum_down(grad, shape):
    while grad.ndim > len(shape):
        grad = grad.sum(0)
    return grad


# %% tags=["wrong"] id="sum-down"
# You sum over the sizes of 1, but the missing dimensions are still there.
def sum_down(grad, shape):
    missing = grad.ndim - len(shape)
    for dim, size in enumerate(shape):
        if size == 1:
            grad = grad.sum(dim + missing, keepdim=True)
    return grad


# %% tags=["wrong"] id="sum-down"
# The missing dimensions are those on the left, number 0. You sum from the right.
def sum_down(grad, shape):
    while grad.ndim > len(shape):
        grad = grad.sum(-1)
    for dim, size in enumerate(shape):
        if size == 1:
            grad = grad.sum(dim, keepdim=True)
    return grad


# %% tags=["wrong"] id="sum-down"
# You take the mean. What was used several times has the *sum* of the gradients.
def sum_down(grad, shape):
    while grad.ndim > len(shape):
        grad = grad.mean(0)
    for dim, size in enumerate(shape):
        if size == 1:
            grad = grad.mean(dim, keepdim=True)
    return grad


# %% tags=["wrong"] id="sum-down"
# You take one row of what was stretched. All rows used the value: add them up.
def sum_down(grad, shape):
    while grad.ndim > len(shape):
        grad = grad[0]
    for dim, size in enumerate(shape):
        if size == 1:
            grad = grad.narrow(dim, 0, 1)
    return grad


# %% tags=["wrong"] id="mul"
# Each gradient has the shape of the output still. Sum it down to the shape of its factor.
def mul_backward(a, b, grad):
    return grad * b, grad * a


# %% tags=["wrong"] id="mul"
# Each factor got its own value. As in lesson 1, the slope of each is the other.
def mul_backward(a, b, grad):
    return sum_down(grad * a, a.shape), sum_down(grad * b, b.shape)


# %% tags=["wrong"] id="mul"
# Sum down after you have multiplied: the other factor differs from place to place.
def mul_backward(a, b, grad):
    return sum_down(grad, a.shape) * sum_down(b * mg.ones(grad.shape), a.shape), sum_down(grad * a, b.shape)


# %% tags=["wrong"] id="mul"
# You leave out `grad`, the gradient that arrived.
def mul_backward(a, b, grad):
    ones = mg.ones(grad.shape)
    return sum_down(ones * b, a.shape), sum_down(ones * a, b.shape)


# %% tags=["wrong"] id="mul"
# The gradient of `b` is not summed down.
def mul_backward(a, b, grad):
    return sum_down(grad * b, a.shape), grad * a
