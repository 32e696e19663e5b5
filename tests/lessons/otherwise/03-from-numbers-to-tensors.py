# ---
# lesson: 03-from-numbers-to-tensors
# ---


# %% tags=["exercise"] id="matmul"
def matmul_backward(a, b, grad):
    return mg.matmul(grad, b.T), mg.matmul(a.T, grad)


# %% tags=["exercise"] id="matmul"
def matmul_backward(a, b, grad):
    grad_a = grad @ b.transpose(0, 1)
    grad_b = (grad.transpose(0, 1) @ a).transpose(0, 1)
    return grad_a, grad_b


# %% tags=["exercise"] id="matmul"
def matmul_backward(a, b, grad):
    return mg.einsum("ik,jk->ij", grad, b), mg.einsum("ij,ik->jk", a, grad)


# %% tags=["exercise"] id="matmul"
def matmul_backward(a, b, grad):
    grad_a, grad_b = mg.zeros_like(a), mg.zeros_like(b)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(b.shape[1]):
                grad_a[i, j] += grad[i, k] * b[j, k]
                grad_b[j, k] += a[i, j] * grad[i, k]
    return grad_a, grad_b


# %% tags=["exercise"] id="matmul"
def matmul_backward(a, b, grad):
    a, b = a.clone().requires_grad_(), b.clone().requires_grad_()
    (a @ b).backward(grad)
    return [a.grad, b.grad]


# %% tags=["exercise"] id="sum-down"
def sum_down(grad, shape):
    missing = grad.ndim - len(shape)
    grad = grad.sum(tuple(range(missing))) if missing else grad
    for dim in range(grad.ndim):
        if shape[dim] == 1:
            grad = grad.sum(dim, True)
    return grad


# %% tags=["exercise"] id="sum-down"
def sum_down(grad, shape):
    shape = tuple(shape)
    padded = (1,) * (grad.ndim - len(shape)) + shape
    dims = tuple(d for d in range(grad.ndim) if padded[d] == 1 and grad.shape[d] != 1)
    if dims:
        grad = grad.sum(dim=dims, keepdim=True)
    return grad.reshape(shape)


# %% tags=["exercise"] id="sum-down"
def sum_down(grad, shape):
    while len(grad.shape) > len(shape):
        grad = grad.sum(dim=0)
    for i in range(len(shape)):
        if grad.shape[i] != shape[i]:
            grad = grad.sum(dim=i).unsqueeze(i)
    return grad


# %% tags=["exercise"] id="sum-down"
def sum_down(grad, shape):
    small = mg.zeros(shape, requires_grad=True)
    return mg.autograd.grad(small.expand(grad.shape), small, grad)[0]


# %% tags=["exercise"] id="mul"
def mul_backward(a, b, grad):
    of_a, of_b = b * grad, a * grad
    of_a = sum_down(of_a, tuple(a.shape))
    of_b = sum_down(of_b, tuple(b.shape))
    return of_a, of_b


# %% tags=["exercise"] id="mul"
def mul_backward(a, b, grad):
    return tuple(sum_down(grad * other, own.shape) for own, other in [(a, b), (b, a)])


# %% tags=["exercise"] id="mul"
def mul_backward(a, b, grad):
    return [sum_down(mg.mul(grad, b), a.size()), sum_down(mg.mul(grad, a), b.size())]
