# ---
# lesson: 01-one-number-one-slope
# ---


# %% tags=["exercise"] id="slope"
def slope(function, x, push=1e-5):
    right = function(x + push)
    left = function(x - push)
    rise = right - left
    return rise / (2 * push)


# %% tags=["exercise"] id="slope"
def slope(f, at, h=1e-5):
    return 0.5 * (f(at + h) - f(at - h)) / h


# %% tags=["exercise"] id="slope"
slope = lambda function, x, push=1e-5: (function(x + push) - function(x - push)) / (x + push - (x - push))


# %% tags=["exercise"] id="slope"
def slope(function, x, push=1e-5):
    to_the_right = (function(x + push) - function(x)) / push
    to_the_left = (function(x) - function(x - push)) / push
    return (to_the_right + to_the_left) / 2


# %% tags=["exercise"] id="slope"
import numpy as np
def slope(function, x, push=1e-5):
    return np.float64(function(x + push) - function(x - push)) / (2 * push)


# %% tags=["exercise"] id="mul"
def mul_backward(a, b, grad):
    return b * grad, a * grad


# %% tags=["exercise"] id="mul"
def mul_backward(a, b, grad):
    grad_a = grad
    grad_a *= b
    grad_b = grad
    grad_b *= a
    return (grad_a, grad_b)


# %% tags=["exercise"] id="mul"
def mul_backward(a, b, grad):
    return [grad * b, grad * a]


# %% tags=["exercise"] id="mul"
def mul_backward(first, second, arriving):
    def times(number):
        return arriving * number
    return tuple(map(times, (second, first)))


# %% tags=["exercise"] id="mul"
def mul_backward(a, b, grad):
    a, b, grad = mg.tensor(a, requires_grad=True, dtype=mg.float64), mg.tensor(b, requires_grad=True, dtype=mg.float64), grad
    (a * b).backward(mg.tensor(grad, dtype=mg.float64))
    return a.grad.item(), b.grad.item()


# %% tags=["exercise"] id="tanh"
def tanh_backward(y, grad):
    return grad - grad * y ** 2


# %% tags=["exercise"] id="tanh"
def tanh_backward(y, grad):
    slope_here = (1 + y) * (1 - y)
    return slope_here * grad


# %% tags=["exercise"] id="tanh"
def tanh_backward(y, grad):
    own_slope = 1
    own_slope -= y * y
    result = grad * own_slope
    return result


# %% tags=["exercise"] id="tanh"
from math import pow
def tanh_backward(y, grad): return (1 - pow(y, 2)) * grad


# %% tags=["exercise"] id="tanh"
def tanh_backward(y, grad):
    print("looking at", y)
    return grad * (1 - y**2)


# %% tags=["exercise"] id="neuron"
def neuron_backward(w, x, b):
    y = math.tanh(w * x + b)
    d = 1 - y * y
    return d * x, d * w, d


# %% tags=["exercise"] id="neuron"
def neuron_backward(w, x, b):
    grad = tanh_backward(math.tanh(w * x + b), 1.0)
    return (*mul_backward(w, x, grad), grad)


# %% tags=["exercise"] id="neuron"
def neuron_backward(w, x, b):
    f = lambda w, x, b: math.tanh(w * x + b)
    h = 1e-6
    return (
        (f(w + h, x, b) - f(w - h, x, b)) / (2 * h),
        (f(w, x + h, b) - f(w, x - h, b)) / (2 * h),
        (f(w, x, b + h) - f(w, x, b - h)) / (2 * h),
    )


# %% tags=["exercise"] id="neuron"
def neuron_backward(w, x, b):
    total = w * x + b
    grad_total = 1 / math.cosh(total) ** 2
    return grad_total * x, grad_total * w, grad_total


# %% tags=["exercise"] id="neuron"
def neuron_backward(w, x, b):
    tensors = [mg.tensor(each, dtype=mg.float64, requires_grad=True) for each in (w, x, b)]
    w, x, b = tensors
    (w * x + b).tanh().backward()
    return [each.grad for each in tensors]
