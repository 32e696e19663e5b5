# ---
# lesson: 11-forward-gear
# ---


# %% tags=["wrong"] id="multiply"
# Two growing sides: one part is missing. Add `a.value * b.tangent`.
def multiply(a, b):
    return Dual(a.value * b.value, a.tangent * b.value)


# %% tags=["wrong"] id="multiply"
# You multiply the two tangents. Each tangent goes with the *value* of the other side.
def multiply(a, b):
    return Dual(a.value * b.value, a.tangent * b.tangent)


# %% tags=["wrong"] id="multiply"
# That is a plain tuple. Return a `Dual`, so that it can be multiplied and added in turn.
def multiply(a, b):
    return a.value * b.value, a.tangent * b.value + a.value * b.tangent


# %% tags=["wrong"] id="multiply"
# Both parts are added; you take one away from the other.
def multiply(a, b):
    return Dual(a.value * b.value, a.tangent * b.value - a.value * b.tangent)


# %% tags=["wrong"] id="multiply"
# Each tangent goes with the value of the *other* side, not of its own.
def multiply(a, b):
    return Dual(a.value * b.value, a.tangent * a.value + b.value * b.tangent)


# %% tags=["wrong"] id="multiply"
# You add the tangents, as in a sum. In a product each is multiplied by the other side.
def multiply(a, b):
    return Dual(a.value * b.value, a.tangent + b.tangent)


# %% tags=["wrong"] id="multiply"
# Return a dual: `Dual(value, tangent)`. And each side moves while the other stands still: that makes two parts.
def multiply(a, b):
    return a.value * b.value, a.tangent * b.tangent


# %% tags=["wrong"] id="tanh"
# The tangent of the input is left out: multiply by `x.tangent`.
def tanh(x):
    y = math.tanh(x.value)
    return Dual(y, 1.0 - y * y)


# %% tags=["wrong"] id="tanh"
# The slope is `1 - y * y` with the *output* `y`. You take the input.
def tanh(x):
    y = math.tanh(x.value)
    return Dual(y, (1.0 - x.value * x.value) * x.tangent)


# %% tags=["wrong"] id="tanh"
# You take the tanh of the tangent. A tangent is multiplied by the slope.
def tanh(x):
    y = math.tanh(x.value)
    return Dual(y, math.tanh(x.tangent))


# %% tags=["wrong"] id="tanh"
# That is a plain tuple. Return a `Dual`.
def tanh(x):
    y = math.tanh(x.value)
    return y, (1.0 - y * y) * x.tangent


# %% tags=["wrong"] id="tanh"
# The tangent passes unchanged. Multiply it by the slope of tanh.
def tanh(x):
    return Dual(math.tanh(x.value), x.tangent)


# %% tags=["wrong"] id="tanh"
# The value must be the tanh, not the input.
def tanh(x):
    y = math.tanh(x.value)
    return Dual(x.value, (1.0 - y * y) * x.tangent)


# %% tags=["wrong"] id="tanh"
# `y` is the tanh already: the slope is `1 - y * y`, without another tanh.
def tanh(x):
    y = math.tanh(x.value)
    return Dual(y, x.tangent * (1 - math.tanh(y) ** 2))


# %% tags=["wrong"] id="matmul-jvp"
# That is one of two parts: `b` moves as well.
def matmul_jvp(a, b, tangent_a, tangent_b):
    return tangent_a @ b


# %% tags=["wrong"] id="matmul-jvp"
# You multiply the two tangents. Each goes with the other matrix.
def matmul_jvp(a, b, tangent_a, tangent_b):
    return tangent_a @ b + a @ tangent_b + (tangent_a @ tangent_b)


# %% tags=["wrong"] id="matmul-jvp"
# You take one part away from the other. Add them.
def matmul_jvp(a, b, tangent_a, tangent_b):
    return tangent_a @ b - a @ tangent_b


# %% tags=["wrong"] id="matmul-jvp"
# That is the value, not how it moves.
def matmul_jvp(a, b, tangent_a, tangent_b):
    return a @ b


# %% tags=["wrong"] id="matmul-jvp"
# That is the first part twice: in the second, `b` moves.
def matmul_jvp(a, b, tangent_a, tangent_b):
    return tangent_a @ b + tangent_a @ b


# %% tags=["wrong"] id="matmul-jvp"
# There are two parts, as for the rectangle: each matrix moves while the other stands still.
def matmul_jvp(a, b, tangent_a, tangent_b):
    return tangent_a @ tangent_b


# %% tags=["wrong"] id="by-columns"
# The columns lie on top of each other, as rows: the table is tilted. Use `dim=1`.
def by_columns(function, x):
    return mg.stack([mg.func.jvp(function, (x,), (unit,))[1] for unit in mg.eye(len(x))])


# %% tags=["wrong"] id="by-columns"
# You keep the value. The second of the two things that `jvp` returns is the tangent.
def by_columns(function, x):
    return mg.stack([mg.func.jvp(function, (x,), (unit,))[0] for unit in mg.eye(len(x))], dim=1)


# %% tags=["wrong"] id="by-columns"
# That is one column, with all inputs moving at once. Move one after the other.
def by_columns(function, x):
    return mg.func.jvp(function, (x,), (mg.ones(x.shape),))[1]


# %% tags=["wrong"] id="by-columns"
# It is right, but it goes backward, by rows. By columns it goes forward, with `jvp`.
def by_columns(function, x):
    return by_rows(function, x)


# %% tags=["wrong"] id="by-columns"
# That is a list. Make one table with `mg.stack(columns, dim=1)`.
def by_columns(function, x):
    return [mg.func.jvp(function, (x,), (unit,))[1] for unit in mg.eye(len(x))]


# %% tags=["wrong"] id="by-columns"
# `jvp` takes tuples, also for a single input: `mg.func.jvp(function, (x,), (direction,))`.
def by_columns(function, x):
    return mg.stack([mg.func.jvp(function, x, direction)[1] for direction in mg.eye(len(x))], dim=1)


# %% tags=["wrong"] id="jacobian"
# You always go by rows, also where there are few inputs and many outputs.
def jacobian(function, x):
    return by_rows(function, x)


# %% tags=["wrong"] id="jacobian"
# You always go by columns, also where there are many inputs and few outputs.
def jacobian(function, x):
    return by_columns(function, x)


# %% tags=["wrong"] id="jacobian"
# The choice is the wrong way round: few inputs, by columns.
def jacobian(function, x):
    return by_rows(function, x) if len(x) < len(function(x)) else by_columns(function, x)


# %% tags=["wrong"] id="jacobian"
# You compute the table in both ways. One is enough.
def jacobian(function, x):
    columns, rows = by_columns(function, x), by_rows(function, x)
    return columns if len(x) < len(rows) else rows


# %% tags=["wrong"] id="jacobian"
# For a function of one input the shape is missing: `by_columns` or `by_rows` gives the whole table.
def jacobian(function, x):
    return mg.func.jvp(function, (x,), (mg.ones(x.shape),))[1] if len(x) == 1 else by_rows(function, x)


# %% tags=["wrong"] id="jacobian"
# That chooses by the number of inputs alone. Compare it with the number of outputs.
def jacobian(function, x):
    return by_columns(function, x) if len(x) == 1 else mg.func.jvp(function, (x,), (mg.ones(x.shape),))[1]
