# ---
# lesson: 11-forward-gear
# ---


# %% tags=["exercise"] id="multiply"
def multiply(a, b):
    return Dual(value=a.value * b.value, tangent=a.value * b.tangent + b.value * a.tangent)


# %% tags=["exercise"] id="multiply"
def multiply(a, b):
    a_value, a_tangent = a
    b_value, b_tangent = b
    return Dual(a_value * b_value, a_tangent * b_value + b_tangent * a_value)


# %% tags=["exercise"] id="multiply"
def multiply(a, b):
    area = a.value * b.value
    growth = 0.0
    growth += a.tangent * b.value
    growth += b.tangent * a.value
    return a._replace(value=area, tangent=growth)


# %% tags=["exercise"] id="tanh"
def tanh(x):
    y = math.tanh(x.value)
    return Dual(tangent=x.tangent * (1 - y ** 2), value=y)


# %% tags=["exercise"] id="tanh"
def tanh(x):
    y = math.tanh(x.value)
    slope = 1 / math.cosh(x.value) ** 2
    return Dual(y, slope * x.tangent)


# %% tags=["exercise"] id="matmul-jvp"
def matmul_jvp(a, b, tangent_a, tangent_b):
    return mg.matmul(a, tangent_b) + mg.matmul(tangent_a, b)


# %% tags=["exercise"] id="matmul-jvp"
def matmul_jvp(a, b, tangent_a, tangent_b):
    return mg.func.jvp(mg.matmul, (a, b), (tangent_a, tangent_b))[1]


# %% tags=["exercise"] id="matmul-jvp"
def matmul_jvp(a, b, tangent_a, tangent_b):
    result = tangent_a @ b
    result += a @ tangent_b
    return result


# %% tags=["exercise"] id="by-columns"
def by_columns(function, x):
    n = len(x)
    columns = []
    for i in range(n):
        unit = mg.zeros(n, dtype=x.dtype)
        unit[i] = 1.0
        _, column = mg.func.jvp(function, (x,), (unit,))
        columns.append(column)
    return mg.stack(columns, 1)


# %% tags=["exercise"] id="by-columns"
def by_columns(function, x):
    return mg.stack([mg.func.jvp(function, (x,), (e,))[1] for e in mg.eye(x.shape[0])]).T


# %% tags=["exercise"] id="jacobian"
def jacobian(function, x):
    m = function(x).shape[0]
    if m >= len(x):
        return by_columns(function, x)
    return by_rows(function, x)


# %% tags=["exercise"] id="jacobian"
def jacobian(function, x):
    way = by_rows if function(x).numel() < x.numel() else by_columns
    return way(function, x)
