# ---
# lesson: 01-one-number-one-slope
# ---


# %% tags=["wrong"] id="slope"
# You divide by `push`, but the two places are `2 * push` apart.
def slope(function, x, push=1e-5):
    return (function(x + push) - function(x - push)) / push


# %% tags=["wrong"] id="slope"
# `a / 2 * push` is `(a / 2) * push`. Put `2 * push` into parentheses.
def slope(function, x, push=1e-5):
    return (function(x + push) - function(x - push)) / 2 * push


# %% tags=["wrong"] id="slope"
# You push to the right only, and the slope changes on the way. Push to both sides.
def slope(function, x, push=1e-5):
    return (function(x + push) - function(x)) / push


# %% tags=["wrong"] id="slope"
# You take right from left. Where the function rises, the slope is positive: take left from right.
def slope(function, x, push=1e-5):
    return (function(x - push) - function(x + push)) / (2 * push)


# %% tags=["wrong"] id="slope"
# You push by a number of your own. Use the `push` that is handed to you.
def slope(function, x, push=1e-5):
    return (function(x + 1e-5) - function(x - 1e-5)) / 2e-5


# %% tags=["wrong"] id="slope"
# That is how far the result moved. A slope is that for each unit: divide by `2 * push`.
def slope(function, x, push=1e-5):
    return function(x + push) - function(x - push)


# %% tags=["wrong"] id="mul"
# Each factor got its own value. If `a` moves by 1, the product moves by `b`.
def mul_backward(a, b, grad):
    return grad * a, grad * b


# %% tags=["wrong"] id="mul"
# You leave out `grad`. The slope of the op must be multiplied by the gradient that arrived.
def mul_backward(a, b, grad):
    return b, a


# %% tags=["wrong"] id="mul"
# You add the gradient that arrived. Slopes along a chain multiply.
def mul_backward(a, b, grad):
    return grad + b, grad + a


# %% tags=["wrong"] id="mul"
# These are the numbers of one example. Compute them from `a`, `b` and `grad`.
def mul_backward(a, b, grad):
    return 10.0, 2.0


# %% tags=["wrong"] id="mul"
# That is one gradient, and there are two inputs. Return a pair, with a comma between them.
def mul_backward(a, b, grad):
    return grad * b


# %% tags=["wrong"] id="mul"
# You hand on the gradient of the whole product to both. Each factor has a slope of its own: the other factor.
def mul_backward(a, b, grad):
    return grad * a * b, grad * a * b


# %% tags=["wrong"] id="tanh"
# `y` is a tanh already. You take the tanh once more.
def tanh_backward(y, grad):
    return grad * (1.0 - math.tanh(y) ** 2)


# %% tags=["wrong"] id="tanh"
# You leave out `grad`, the gradient that arrived.
def tanh_backward(y, grad):
    return 1.0 - y * y


# %% tags=["wrong"] id="tanh"
# The sign is the other one: the slope is `1 - y * y`, not `y * y - 1`.
def tanh_backward(y, grad):
    return grad * (y * y - 1.0)


# %% tags=["wrong"] id="tanh"
# The slope is `1 - y * y`. You forget the square.
def tanh_backward(y, grad):
    return grad * (1.0 - y)


# %% tags=["wrong"] id="tanh"
# Mind the parentheses: `grad` multiplies all of `1 - y * y`.
def tanh_backward(y, grad):
    return grad * 1.0 - y * y


# %% tags=["wrong"] id="tanh"
# That is a tuple of one: there is a comma at the end. Return the number alone.
def tanh_backward(y, grad):
    return (grad * (1.0 - y * y),)


# %% tags=["wrong"] id="neuron"
# The gradient must pass through tanh first: `tanh_backward(y, grad_y)`.
def neuron_backward(w, x, b):
    product = w * x
    total = product + b
    y = math.tanh(total)
    grad_y = 1.0
    grad_w, grad_x = mul_backward(w, x, grad_y)
    return grad_w, grad_x, grad_y


# %% tags=["wrong"] id="neuron"
# The gradients of `w` and `x` are exchanged. `mul_backward(w, x, ...)` returns them in the order of its inputs.
def neuron_backward(w, x, b):
    y = math.tanh(w * x + b)
    grad_total = tanh_backward(y, 1.0)
    grad_x, grad_w = mul_backward(w, x, grad_total)
    return grad_w, grad_x, grad_total


# %% tags=["wrong"] id="neuron"
# `tanh_backward` asks for the output of tanh, `y`, and you hand it the input, `total`.
def neuron_backward(w, x, b):
    total = w * x + b
    grad_total = tanh_backward(total, 1.0)
    grad_w, grad_x = mul_backward(w, x, grad_total)
    return grad_w, grad_x, grad_total


# %% tags=["wrong"] id="neuron"
# The gradient of `b` is that of the sum. Moving `b` by 1 moves the sum by 1, and then tanh has its slope.
def neuron_backward(w, x, b):
    y = math.tanh(w * x + b)
    grad_total = tanh_backward(y, 1.0)
    grad_w, grad_x = mul_backward(w, x, grad_total)
    return grad_w, grad_x, 1.0


# %% tags=["wrong"] id="neuron"
# You multiply the gradient of `b` by `b`. The sum hands its gradient on unchanged.
def neuron_backward(w, x, b):
    y = math.tanh(w * x + b)
    grad_total = tanh_backward(y, 1.0)
    grad_w, grad_x = mul_backward(w, x, grad_total)
    return grad_w, grad_x, grad_total * b


# %% tags=["wrong"] id="neuron"
# You return two gradients, and there are three inputs: `w`, `x` and `b`.
def neuron_backward(w, x, b):
    y = math.tanh(w * x + b)
    return mul_backward(w, x, tanh_backward(y, 1.0))
