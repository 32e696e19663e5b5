# ---
# title: From numbers to tensors
# goal: Write the gradient of a matrix product and of a broadcast sum, without ever building a Jacobian.
# minutes: 50
# seconds: 15
# explorer: Each value shows its shape, and its gradient has the same; the Add sums down what it had stretched.
# view: sel=n2
# ---

# %% [markdown]
# # From numbers to tensors
#
# One number in, one number out: one slope. But a layer of a net takes a thousand numbers and gives back a
# thousand. Each output may move with each input. That makes a million slopes, for one layer. **How can
# backward be quick, if there are a million slopes to each op?**
#
# One `b` is used three times, as when it is broadcast. Drag it: three gradients come back, and add up.
#
# ```figure
# b = 1 from -2 to 2
# first = b * 2
# second = b * 3
# third = b * -1
# y = first + second + third
# show from the first = first_to_b
# show from the second = second_to_b
# show from the third = third_to_b
# show their sum = slope
# ```
#
# At the end of this lesson you can
#
# - say what a *VJP* is, and why nobody builds the table of all slopes,
# - write backward for a matrix product, and check it by shapes alone,
# - say what broadcasting does on the way back, and write that too.
#
# You need lesson 1: slopes along a chain multiply. And one thing that lesson 2 explains: where a value is used more
# than once, its gradients add up.

# %%
import minigrad as mg
from minigrad.classroom import expect

mg.manual_seed(0)

# %% [markdown]
# ## The table of all slopes
#
# Let tanh act on three numbers at once. There are three inputs and three outputs, so there are nine slopes.
# The table of them, one row for each output and one column for each input, is called the *Jacobian*:

# %%
x = mg.tensor([0.0, 1.0, 2.0])
jacobian = mg.autograd.functional.jacobian(mg.tanh, x)
for row in jacobian.tolist():
    print("  ".join(f"{slope:.4f}" for slope in row))

# %% [markdown]
# Only the diagonal is not zero, because each output looks at its own input only. For a thousand numbers this
# table would hold 1,000,000 slopes, and 999,000 of them would be zero.
#
# Now remember what backward asks of an op. It never asks for all slopes. It comes with a gradient, one number
# for each *output*, and wants one number for each *input*. For a single input, the answer is: over all
# outputs, add up the gradient that arrived there times the slope from the input to there. They add up because
# the input is used by every one of those outputs (lesson 2).
#
# In the language of tables, that is a row of numbers times the Jacobian. It is called a **vector-Jacobian
# product**, or **VJP**. The name sounds as if you needed the Jacobian. You don't. Below is the answer for tanh,
# computed in both ways.

# %% [markdown] tags=["predict"] id="vjp" answer="4.2" within="0.01" plays="x = 1; y = tanh(x); y.grad = 10; asks x.grad"
# The gradients 1, 10 and 100 arrive at the three outputs. The second input is 1, and the slope of tanh at 1 is
# 0.42. Which gradient does the second input get?
#
# ---
# **4.2**. Only the second output looks at it, and 10 · 0.42 = 4.2. The zeros of the table add nothing.

# %%
y = mg.tanh(x)
grad = mg.tensor([1.0, 10.0, 100.0])
print([round(value, 4) for value in (grad @ jacobian).tolist()])  # [1.0, 4.1997, 7.0651]
print([round(value, 4) for value in (grad * (1 - y * y)).tolist()])  # [1.0, 4.1997, 7.0651]

# %% [markdown]
# The same numbers, with three multiplications instead of nine. **Every op has a short way to its VJP, and
# that short way is its backward rule.** This is the whole secret of why backward is quick: for nearly every
# op it costs one or two times what forward costs.
#
# And it gives us a first check that needs no numbers:
#
# > The gradient of a value has the shape of that value. Always.
#
# ## The matrix product
#
# $Y = A B$, where `A` is 2 × 3 and `B` is 3 × 4. So `Y` is 2 × 4. In one place of it, by the rule of the
# product,
#
# $$Y_{ik} = \sum_j A_{ij} B_{jk}$$
#
# In which outputs does $A_{ij}$ appear? In the whole row $i$ of `Y`, and in the place $k$ its slope is
# $B_{jk}$. So its gradient is
#
# $$\bar A_{ij} = \sum_k \bar Y_{ik} B_{jk}$$
#
# That is again a sum over products: again a matrix product. Which one? Let the shapes tell you. You have
# $\bar Y$, which is 2 × 4, and `B`, which is 3 × 4. You want 2 × 3. There is only one way to fit them
# together, if you may transpose.
#
# ### Exercise: the VJP of a matrix product
#
# Write `matmul_backward(a, b, grad)`. It returns the gradients of `a` and of `b`. In minigrad, `a @ b` is the
# matrix product, and `a.mT` is `a` with rows and columns exchanged.


# %% tags=["exercise"] id="matmul" plays="c = a @ b; c.grad = grad; gives a.grad, b.grad"
def matmul_backward(a, b, grad):
    ### BEGIN SOLUTION
    return grad @ b.mT, a.mT @ grad
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="matmul"
# For `a`: 2 × 4 times something that is 4 × 3 makes 2 × 3. Which of your matrices is 4 × 3 after `.mT`?

# %% [markdown] tags=["hint"] id="matmul"
# For `b`, which is 3 × 4: you have `a`, 2 × 3, and the gradient, 2 × 4. Start with `a.mT`, which is 3 × 2.


# %% tags=["check"] id="matmul"
def check_matmul(rows, inner, columns):
    a = mg.randn(rows, inner, requires_grad=True)
    b = mg.randn(inner, columns, requires_grad=True)
    grad = mg.randn(rows, columns)
    wanted = mg.autograd.grad(a @ b, (a, b), grad)
    expect(matmul_backward, a.detach(), b.detach(), grad, gives=wanted, within=1e-4)


check_matmul(2, 3, 4)
check_matmul(3, 3, 3)
check_matmul(1, 5, 1)

# %% [markdown]
# Look at what it costs. For 2 × 3 times 3 × 4, the Jacobian for `A` alone has 8 × 6 = 48 slopes. For a
# thousand by a thousand it would have a million million, eight terabytes in double precision. Your rule does
# it with two matrix products.
#
# ## Broadcasting
#
# A layer adds the same bias to every row: the shapes are 4 × 3 and 3. The bias has too few rows, so it is
# *stretched*: each row gets the same three numbers. That is called broadcasting. Shapes are compared from the
# right; a size of 1, or a missing one, is stretched to the other's size.

# %%
rows = mg.zeros(4, 3)
bias = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
summed = rows + bias
print(tuple(summed.shape))  # (4, 3)

# %% [markdown]
# What is the gradient of the bias? At `summed` there arrives a gradient of 4 × 3 numbers. But the bias has
# only three, and the gradient of a value has the shape of that value.
#
# Think of lesson 2. The first number of the bias was used *four times*, once in each row. Where a value is
# used more than once, its gradients add up. So: **what was stretched on the way forward is summed on the way
# back.**

# %% [markdown] tags=["predict"] id="bias" answer="5"
# Down the second column of the gradient there come 0, 0, 5 and 0. What is the gradient of the second number of
# the bias?
#
# ---
# **5**: the sum of the column, 0 + 0 + 5 + 0.

# %%
summed.backward(mg.tensor([[1.0, 0.0, 2.0], [1.0, 0.0, 0.0], [1.0, 5.0, 0.0], [1.0, 0.0, 2.0]]))
print(bias.grad)  # tensor([4., 5., 4.])

# %% [markdown]
# ### Exercise: sum down
#
# Write `sum_down(grad, shape)`. It takes a gradient and the shape of a value that was stretched to the
# gradient's shape. It returns the gradient of that value, which has exactly this `shape`. Two things may have
# happened on the way forward:
#
# 1. Dimensions were *missing* on the left, as with the bias: (3,) was stretched to (4, 3). Sum them away.
# 2. A size was *1*, as when (4, 1) is stretched to (4, 3). Sum over it, but keep it, with size 1.
#
# You need `grad.ndim`, `grad.shape`, and `grad.sum(dim)` or `grad.sum(dim, keepdim=True)`.


# %% tags=["exercise"] id="sum-down" plays="y = stretch(x); y.grad = grad; gives x.grad"
def sum_down(grad, shape):
    ### BEGIN SOLUTION
    while grad.ndim > len(shape):
        grad = grad.sum(0)
    for dim, size in enumerate(shape):
        if size == 1:
            grad = grad.sum(dim, keepdim=True)
    return grad
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="sum-down"
# First the missing dimensions. They are on the left, so they have number 0. As long as
# `grad.ndim > len(shape)`, replace `grad` by `grad.sum(0)`.

# %% [markdown] tags=["hint"] id="sum-down"
# Now both have equally many dimensions. Go through `enumerate(shape)`. Where the size is 1,
# `grad.sum(dim, keepdim=True)` sums over that dimension and leaves a 1 in its place.

# %% tags=["check"] id="sum-down"
stretched = mg.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
expect(sum_down, stretched, (2, 3), gives=stretched)
expect(sum_down, stretched, (3,), gives=mg.tensor([11.0, 22.0, 33.0]))
expect(sum_down, stretched, (1, 3), gives=mg.tensor([[11.0, 22.0, 33.0]]))
expect(sum_down, stretched, (2, 1), gives=mg.tensor([[6.0], [60.0]]))
expect(sum_down, stretched, (1, 1), gives=mg.tensor([[66.0]]))
expect(sum_down, stretched, (), gives=mg.tensor(66.0))
expect(sum_down, mg.ones(5, 2, 4, 3), (2, 1, 3), gives=mg.full((2, 1, 3), 20.0))
several = mg.randn(2, 3, 4, 5)
expect(sum_down, several, (4, 5), gives=several.sum((0, 1)), within=1e-4)
expect(sum_down, several, (3, 1, 1), gives=several.sum((0, 2, 3)).reshape(3, 1, 1), within=1e-4)

# %% [markdown]
# ### Exercise: a product that broadcasts
#
# Now put the two lessons together. `a * b` broadcasts as a sum does. Write `mul_backward(a, b, grad)` for
# tensors of any shapes that fit. It is the rule of lesson 1, and then `sum_down`.


# %% tags=["exercise"] id="mul" plays="c = a * b; c.grad = grad; gives a.grad, b.grad"
def mul_backward(a, b, grad):
    ### BEGIN SOLUTION
    return sum_down(grad * b, a.shape), sum_down(grad * a, b.shape)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="mul"
# The gradient of `a` begins as `grad * b`, as in lesson 1. It has the shape of the output, which may be
# larger than `a`.

# %% [markdown] tags=["hint"] id="mul"
# `sum_down(grad * b, a.shape)` is the first of the two.


# %% tags=["check"] id="mul"
def check_mul(shape_a, shape_b):
    a, b = mg.randn(shape_a, requires_grad=True), mg.randn(shape_b, requires_grad=True)
    out = a * b
    grad = mg.randn(out.shape)
    wanted = mg.autograd.grad(out, (a, b), grad)
    expect(mul_backward, a.detach(), b.detach(), grad, gives=wanted, within=1e-4)


check_mul((2, 3), (2, 3))
check_mul((4, 1), (1, 3))
check_mul((4, 3), (3,))
check_mul((), (2, 2))

# %% [markdown]
# ## A layer, and what it looks like
#
# Here is a layer of a net: a matrix product, a bias that is stretched, and tanh. Four examples go in, with
# two numbers each, and three numbers come out for each of them.

# %%
x = mg.tensor([[0.5, -1.0], [1.0, 0.0], [0.0, 2.0], [-1.5, 1.0]])
weight = mg.tensor([[0.5, -0.4, 0.6], [0.1, 0.3, -0.5]], requires_grad=True)
bias = mg.tensor([0.0, 0.1, -0.1], requires_grad=True)

out = mg.tanh(x @ weight + bias)
loss = (out * out).mean()
loss.backward()

print(tuple(weight.grad.shape), tuple(bias.grad.shape))  # (2, 3) (3,)

# %% [markdown]
# Look at its graph. On the lesson's page, press **Show it here** above, and the graph stands beside the text.
# From a notebook or an editor, type `minigrad lesson run 3` in a terminal: the browser opens at the newest
# step, which is this layer:
#
# 1. Each value shows its shape, such as 4×3. Compare each value with its gradient: the shapes are the same.
# 2. Click the **Add** that adds the bias. What it sends on to `bias` says *summed from 4×3 to 3: it had been
#    broadcast*. That is your `sum_down`.
# 3. Click **Mm**, the matrix product. Which of your two rules do you see? Only one of them ran. `x` does not
#    require a gradient, so nobody asked for it.
# 4. Click a number in a table on the right. The formula is filled in with the numbers of that place.
#
# In minigrad no rule of any op contains a `sum_down`. The engine knows the shape of every input. It sums down
# by itself whatever comes back too large. So whoever writes an op need not think of broadcasting, and cannot
# forget it.
#
# ## Summary
#
# - The Jacobian is the table of all slopes. It is far too large to be built.
# - Backward needs only a vector-Jacobian product: the gradient of the outputs, turned into the gradient of
#   the inputs.
# - The gradient of a value has the shape of that value.
# - The gradients of a matrix product are matrix products: $\bar Y B^\top$ and $A^\top \bar Y$.
# - What was stretched on the way forward is summed on the way back. That is lesson 2 again: it was used more
#   than once.
#
# ## Two open questions
#
# 1. `x.sum()` gives one number for many. What is its backward rule? How does it belong together with
#    broadcasting?
# 2. A VJP gives you one row of the Jacobian if you send back a 1 for one output and 0 for all the others. How
#    many times must you do that for the whole table? When would you rather go by columns?
