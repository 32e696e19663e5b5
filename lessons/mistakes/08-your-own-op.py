# ---
# lesson: 08-your-own-op
# ---


# %% tags=["wrong"] id="cube"
# You leave out `grad`, which says what comes after your op.
class Cube(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3.0 * x * x


# %% tags=["wrong"] id="cube"
# That is the slope of the square. The slope of `x**3` is `3 * x**2`.
class Cube(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2.0 * x


# %% tags=["wrong"] id="cube"
# The factor 3 is missing in the slope.
class Cube(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x * x


# %% tags=["wrong"] id="cube"
# Forward gives the square. The cube is `x * x * x`.
class Cube(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3.0 * x * x


# %% tags=["wrong"] id="cube"
# You save the slope, which forward computed. Then it is a constant, and its own slope is lost. Save `x`.
class Cube(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(3.0 * x * x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        (slope,) = ctx.saved_tensors
        return grad * slope


# %% tags=["wrong"] id="cube"
# The sign is the other one.
class Cube(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return -grad * 3.0 * x * x


# %% tags=["wrong"] id="cube"
# `ctx.saved_tensors` is a tuple, also of a single tensor. Take it out: `(x,) = ctx.saved_tensors`.
class Cube(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        x = ctx.saved_tensors
        return grad * 3 * x * x


# %% tags=["wrong"] id="cube"
# `ctx.saved_tensors` is a tuple, also of a single tensor. Take it out: `(x,) = ctx.saved_tensors`.
class Cube(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        x = ctx.saved_tensors
        return 3 * x * x * grad


# %% tags=["wrong"] id="cube"
# `ctx.saved_tensors` is a tuple, also of a single tensor. Take it out: `(x,) = ctx.saved_tensors`.
class Cube(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        x = ctx.saved_tensors
        return grad * 3 * x**2


# %% tags=["wrong"] id="cube"
# `ctx.saved_tensors` is a tuple, also of a single tensor. Take it out: `(x,) = ctx.saved_tensors`.
class Cube(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        x = ctx.saved_tensors
        return 3 * x**2 * grad


# %% tags=["wrong"] id="scale"
# Forward has two inputs, so backward returns two things: `grad * ctx.factor, None`.
class ScaleGradient(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor


# %% tags=["wrong"] id="scale"
# Forward changes nothing: return `x.clone()`. Only the gradient is scaled.
class ScaleGradient(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


# %% tags=["wrong"] id="scale"
# The gradient passes through unchanged. Multiply it by `ctx.factor`.
class ScaleGradient(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad, None


# %% tags=["wrong"] id="scale"
# You divide by the factor. Multiply.
class ScaleGradient(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad / ctx.factor, None


# %% tags=["wrong"] id="scale"
# The factor is kept on the class, so all calls share the last one. Keep it on `ctx`.
class ScaleGradient(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ScaleGradient.factor = factor
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad * ScaleGradient.factor, None


# %% tags=["wrong"] id="scale"
# Forward returns its output alone. Keep the factor for backward on `ctx`: `ctx.factor = factor`.
class ScaleGradient(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x.clone(), factor

    @staticmethod
    def backward(ctx, grad):
        return grad * factor


# %% tags=["wrong"] id="scale"
# Backward does not know the variables of forward. Keep the factor on `ctx`: `ctx.factor = factor`.
class ScaleGradient(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad * factor, None


# %% tags=["wrong"] id="logsumexp"
# The exponentials overflow: take out the largest, `mg.exp(x - largest)`, and add it again.
class LogSumExp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        largest = x.amax(-1, keepdim=True)
        y = mg.exp(x).sum(-1).log()
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad.unsqueeze(-1) * mg.exp(x - y.unsqueeze(-1))


# %% tags=["wrong"] id="logsumexp"
# You take out the largest, and forget to add it again.
class LogSumExp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        largest = x.amax(-1, keepdim=True)
        y = mg.exp(x - largest).sum(-1).log()
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad.unsqueeze(-1) * mg.exp(x - y.unsqueeze(-1))


# %% tags=["wrong"] id="logsumexp"
# `largest` is a column. Beside one number for each row it stretches: use `largest.squeeze(-1)`.
class LogSumExp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        largest = x.amax(-1, keepdim=True)
        y = largest + mg.exp(x - largest).sum(-1, keepdim=True).log()
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * mg.exp(x - y)


# %% tags=["wrong"] id="logsumexp"
# You save the slopes, which forward computed: that is the trap. Save `x` and `y`.
class LogSumExp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        largest = x.amax(-1, keepdim=True)
        y = largest.squeeze(-1) + mg.exp(x - largest).sum(-1).log()
        ctx.save_for_backward(mg.exp(x - y.unsqueeze(-1)))
        return y

    @staticmethod
    def backward(ctx, grad):
        (slopes,) = ctx.saved_tensors
        return grad.unsqueeze(-1) * slopes


# %% tags=["wrong"] id="logsumexp"
# You leave out `grad`, the gradient that arrived.
class LogSumExp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        largest = x.amax(-1, keepdim=True)
        y = largest.squeeze(-1) + mg.exp(x - largest).sum(-1).log()
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return mg.exp(x - y.unsqueeze(-1))


# %% tags=["wrong"] id="logsumexp"
# The slope is `exp(x - y)`. You subtract the largest in place of `y`, so the slopes do not sum up to 1.
class LogSumExp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        largest = x.amax(-1, keepdim=True)
        y = largest.squeeze(-1) + mg.exp(x - largest).sum(-1).log()
        ctx.save_for_backward(x, largest)
        return y

    @staticmethod
    def backward(ctx, grad):
        x, largest = ctx.saved_tensors
        return grad.unsqueeze(-1) * mg.exp(x - largest)


# %% tags=["wrong"] id="logsumexp"
# `y` has one number for each row. Make it a column, so that it meets its own row: `y.unsqueeze(-1)`.
class LogSumExp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        largest = x.amax(-1, keepdim=True)
        y = largest.squeeze(-1) + mg.log(mg.exp(x - largest).sum(-1))
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * mg.exp(x - y)


# %% tags=["wrong"] id="logsumexp"
# `grad` has one number for each row, like `y`. Make a column of it, too: `grad.unsqueeze(-1)`.
class LogSumExp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        largest = x.amax(-1, keepdim=True)
        y = largest.squeeze(-1) + mg.log(mg.exp(x - largest).sum(-1))
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * mg.exp(x - y.unsqueeze(-1))


# %% tags=["wrong"] id="softplus"
# It still saves the slope, which is a constant for the second backward. Save `x`.
class GoodSoftplus(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(mg.sigmoid(x))
        return mg.relu(x) + mg.log(1.0 + mg.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad):
        (slope,) = ctx.saved_tensors
        return grad * slope


# %% tags=["wrong"] id="softplus"
# You leave out `grad`, the gradient that arrived.
class GoodSoftplus(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return mg.relu(x) + mg.log(1.0 + mg.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return mg.sigmoid(x)


# %% tags=["wrong"] id="softplus"
# That is the slope of the sigmoid. The slope of softplus is the sigmoid itself.
class GoodSoftplus(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return mg.relu(x) + mg.log(1.0 + mg.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * mg.sigmoid(x) * (1.0 - mg.sigmoid(x))


# %% tags=["wrong"] id="softplus"
# The slope is `1 / (1 + exp(-x))`: the sign of `x` is the other one.
class GoodSoftplus(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return mg.relu(x) + mg.log(1.0 + mg.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * mg.sigmoid(-x)


# %% tags=["wrong"] id="softplus"
# `exp(x) / (1 + exp(x))` overflows where `x` is large: infinity over infinity. Use `mg.sigmoid(x)`.
class GoodSoftplus(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return mg.relu(x) + mg.log(1.0 + mg.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * mg.exp(x) / (1.0 + mg.exp(x))


# %% tags=["wrong"] id="cross-entropy"
# That is the sum over the rows. Take the mean.
def cross_entropy(scores, labels):
    right = scores[mg.arange(len(labels)), labels]
    return (LogSumExp.apply(scores) - right).sum()


# %% tags=["wrong"] id="cross-entropy"
# That is one number for each row. Take their mean.
def cross_entropy(scores, labels):
    right = scores[mg.arange(len(labels)), labels]
    return LogSumExp.apply(scores) - right


# %% tags=["wrong"] id="cross-entropy"
# The sign is the other one: the right score is taken away from the logsumexp.
def cross_entropy(scores, labels):
    right = scores[mg.arange(len(labels)), labels]
    return (right - LogSumExp.apply(scores)).mean()


# %% tags=["wrong"] id="cross-entropy"
# The score of the right answer is not taken away.
def cross_entropy(scores, labels):
    return LogSumExp.apply(scores).mean()


# %% tags=["wrong"] id="cross-entropy"
# That is softmax and then its logarithm, and softmax is 0 for scores far apart. Use `LogSumExp`.
def cross_entropy(scores, labels):
    chances = mg.softmax(scores, -1)[mg.arange(len(labels)), labels]
    return -mg.log(chances).mean()


# %% tags=["wrong"] id="cross-entropy"
# You sum over all rows at once. Each row has its own sum: use your `LogSumExp`, which goes along the last dimension.
def cross_entropy(scores, labels):
    right = scores[mg.arange(len(labels)), labels]
    return (mg.log(mg.exp(scores).sum()) - right).mean()
