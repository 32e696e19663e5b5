# ---
# lesson: 09-trust-but-check
# ---


# %% tags=["wrong"] id="measured"
# You push all elements at once. Push one after the other: `right[i] += push`.
def measured_gradient(function, x, push=1e-6):
    gradient = mg.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        gradient[i] = (function(x + push) - function(x - push)) / (2 * push)
    return gradient


# %% tags=["wrong"] id="measured"
# The two sides are `2 * push` apart, and you divide by `push`.
def measured_gradient(function, x, push=1e-6):
    gradient = mg.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        right, left = x.clone(), x.clone()
        right[i] += push
        left[i] -= push
        gradient[i] = (function(right) - function(left)) / push
    return gradient


# %% tags=["wrong"] id="measured"
# You push to the right only. Push to both sides, and most of the error cancels.
def measured_gradient(function, x, push=1e-6):
    gradient = mg.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        right, left = x.clone(), x.clone()
        right[i] += push
        left[i] -= push
        gradient[i] = (function(right) - function(x)) / push
    return gradient


# %% tags=["wrong"] id="measured"
# Right and left are exchanged, so the sign is the other one.
def measured_gradient(function, x, push=1e-6):
    gradient = mg.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        right, left = x.clone(), x.clone()
        right[i] += push
        left[i] -= push
        gradient[i] = (function(left) - function(right)) / (2 * push)
    return gradient


# %% tags=["wrong"] id="measured"
# `right = x` is no copy: the push stays in `x`. Use `x.clone()`.
def measured_gradient(function, x, push=1e-6):
    gradient = mg.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        left = x.clone()
        left[i] -= push
        x[i] += push
        gradient[i] = (function(x) - function(left)) / (2 * push)
    return gradient


# %% tags=["wrong"] id="measured"
# You push by a number of your own. Use the `push` that is handed to you.
def measured_gradient(function, x, push=1e-6):
    gradient = mg.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        right, left = x.clone(), x.clone()
        right[i] += 1e-6
        left[i] -= 1e-6
        gradient[i] = (function(right) - function(left)) / 2e-6
    return gradient


# %% tags=["wrong"] id="wrong-ones"
# You name those that are right.
def wrong_ones(ops):
    points = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]
    return [name for name, op in ops.items() if passes(op, points)]


# %% tags=["wrong"] id="wrong-ones"
# You look at positive points only. What is wrong on the left is not found.
def wrong_ones(ops):
    points = [0.5, 1.5, 2.5]
    return [name for name, op in ops.items() if not passes(op, points)]


# %% tags=["wrong"] id="wrong-ones"
# No point lies between -1 and 0.
def wrong_ones(ops):
    points = [-2.5, -1.5, 0.5, 1.5, 2.5]
    return [name for name, op in ops.items() if not passes(op, points)]


# %% tags=["wrong"] id="wrong-ones"
# No point lies beyond -1 and 1.
def wrong_ones(ops):
    points = [-0.5, 0.5]
    return [name for name, op in ops.items() if not passes(op, points)]


# %% tags=["wrong"] id="wrong-ones"
# One of your points lies on a kink, -1, 0 or 1. There a right op fails: that is a false alarm.
def wrong_ones(ops):
    points = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0]
    return [name for name, op in ops.items() if not passes(op, points)]


# %% tags=["wrong"] id="wrong-ones"
# You stop at the first. Name all that fail.
def wrong_ones(ops):
    points = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]
    for name, op in ops.items():
        if not passes(op, points):
            return [name]
    return []


# %% tags=["wrong"] id="clip"
# The hook returns nothing where it should clip: what it returns takes the gradient's place.
def clip(tensor, limit):
    def shorten(grad):
        length = grad.norm()
        if length > limit:
            grad = grad * (limit / length)

    return tensor.register_hook(shorten)


# %% tags=["wrong"] id="clip"
# You make every gradient as long as the limit, short ones too.
def clip(tensor, limit):
    def shorten(grad):
        return grad * (limit / grad.norm().clamp(min=1e-30))

    return tensor.register_hook(shorten)


# %% tags=["wrong"] id="clip"
# You cut off each element by itself, so the direction changes. Shorten all of it by the same factor.
def clip(tensor, limit):
    return tensor.register_hook(lambda grad: grad.clamp(-limit, limit))


# %% tags=["wrong"] id="clip"
# Return the handle, what `register_hook` returns: by it the hook can be taken away.
def clip(tensor, limit):
    def shorten(grad):
        length = grad.norm()
        return grad * (limit / length) if length > limit else grad

    tensor.register_hook(shorten)


# %% tags=["wrong"] id="clip"
# The length becomes 1, not the limit: `limit / length`.
def clip(tensor, limit):
    def shorten(grad):
        length = grad.norm()
        return grad / length if length > limit else grad

    return tensor.register_hook(shorten)


# %% tags=["wrong"] id="clip"
# You compare the square of the length. The length is `grad.norm()`.
def clip(tensor, limit):
    def shorten(grad):
        length = grad.square().sum()
        return grad * (limit / length) if length > limit else grad

    return tensor.register_hook(shorten)


# %% tags=["wrong"] id="safe"
# The root still sees the 0, where its slope is infinite. A `where` behind it comes too late: put one in front of it.
def safe_distance(a, b):
    squared = (a - b).square().sum()
    return mg.where(squared > 0, mg.sqrt(squared), 0.0)


# %% tags=["wrong"] id="safe"
# A small number under the root changes the distance. Nothing is to be added.
def safe_distance(a, b):
    squared = (a - b).square().sum()
    return mg.sqrt(squared + 1e-12)


# %% tags=["wrong"] id="safe"
# The root is safe now, but at equal points your distance is 1. There must be a second `where` behind it.
def safe_distance(a, b):
    squared = (a - b).square().sum()
    return mg.sqrt(mg.where(squared > 0, squared, 1.0))


# %% tags=["wrong"] id="safe"
# `if` takes the constant 0 for equal points, and then nobody can go back from there.
def safe_distance(a, b):
    squared = (a - b).square().sum()
    if squared.item() == 0:
        return mg.tensor(0.0, dtype=squared.dtype)
    return mg.sqrt(squared)


# %% tags=["wrong"] id="safe"
# That is the square of the distance. Take the root.
def safe_distance(a, b):
    squared = (a - b).square().sum()
    return squared


# %% tags=["wrong"] id="measured"
# Python divides by 2 and then multiplies by `push`. Put parentheses: `/ (2 * push)`.
def measured_gradient(function, x, push=1e-6):
    gradient = mg.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        right, left = x.clone(), x.clone()
        right[i] += push
        left[i] -= push
        gradient[i] = (function(right) - function(left)) / 2 * push
    return gradient


# %% tags=["wrong"] id="measured"
# The `return` stands in the loop, so only the first element is measured.
def measured_gradient(function, x, push=1e-6):
    gradient = mg.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        right, left = x.clone(), x.clone()
        right[i] += push
        left[i] -= push
        gradient[i] = (function(right) - function(left)) / (2 * push)
        return gradient


# %% tags=["wrong"] id="measured"
# `right = x` is another name, not a copy: both pushes move `x` itself. Use `x.clone()`.
def measured_gradient(function, x, push=1e-6):
    gradient = mg.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        right = x
        right[i] += push
        a = function(right)
        left = x
        left[i] -= push
        gradient[i] = (a - function(left)) / (2 * push)
    return gradient


# %% tags=["wrong"] id="wrong-ones"
# You hand back the ops themselves. Their names are asked for.
def wrong_ones(ops):
    return [op for op in ops.values() if not passes(op, [-2.0, -0.5, 0.5, 2.0])]


# %% tags=["wrong"] id="clip"
# There is no gradient yet when `clip` is called. Put this into a function and hang it up with `register_hook`.
def clip(tensor, limit):
    if tensor.grad.norm() > limit:
        tensor.grad *= limit / tensor.grad.norm()


# %% tags=["wrong"] id="clip"
# That is the sum of the elements. The length is `grad.norm()`.
def clip(tensor, limit):
    return tensor.register_hook(lambda grad: grad * (limit / grad.sum()) if grad.sum() > limit else grad)
