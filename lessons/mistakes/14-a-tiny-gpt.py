# ---
# lesson: 14-a-tiny-gpt
# ---


# %% tags=["wrong"] id="questions"
# Given and wanted are the same. Wanted is shifted by one: each row without its first number.
def questions(numbers, starts, length):
    pieces = mg.stack([numbers[start : start + length + 1] for start in starts])
    return pieces[:, :-1], pieces[:, :-1]


# %% tags=["wrong"] id="questions"
# Given and wanted are exchanged: what comes first is given.
def questions(numbers, starts, length):
    pieces = mg.stack([numbers[start : start + length + 1] for start in starts])
    return pieces[:, 1:], pieces[:, :-1]


# %% tags=["wrong"] id="questions"
# You cut the rows, not the columns: `pieces[:, :-1]`.
def questions(numbers, starts, length):
    pieces = mg.stack([numbers[start : start + length + 1] for start in starts])
    return pieces[:-1], pieces[1:]


# %% tags=["wrong"] id="questions"
# All numbers of a piece are given, and one too many. Leave out the last.
def questions(numbers, starts, length):
    pieces = mg.stack([numbers[start : start + length + 1] for start in starts])
    return pieces, pieces[:, 1:]


# %% tags=["wrong"] id="questions"
# Wanted is only the last number of each piece. Every place has an answer: the number that follows.
def questions(numbers, starts, length):
    pieces = mg.stack([numbers[start : start + length + 1] for start in starts])
    return pieces[:, :-1], pieces[:, -1:]


# %% tags=["wrong"] id="causal"
# That hides the past. Row t may look at columns up to t: hide what is above the diagonal.
def causal(scores):
    length = scores.shape[-1]
    past = mg.ones(length, length, dtype=mg.bool).tril(-1)
    return scores.masked_fill(past, -math.inf)


# %% tags=["wrong"] id="causal"
# A letter may look at itself: the mask begins above the diagonal, `.triu(1)`.
def causal(scores):
    length = scores.shape[-1]
    future = mg.ones(length, length, dtype=mg.bool).triu()
    return scores.masked_fill(future, -math.inf)


# %% tags=["wrong"] id="causal"
# A score of 0 is no ban: softmax makes a chance of it. Use `-math.inf`.
def causal(scores):
    length = scores.shape[-1]
    future = mg.ones(length, length, dtype=mg.bool).triu(1)
    return scores.masked_fill(future, 0.0)


# %% tags=["wrong"] id="causal"
# `math.inf` draws all looks to the future. The sign is the other one.
def causal(scores):
    length = scores.shape[-1]
    future = mg.ones(length, length, dtype=mg.bool).triu(1)
    return scores.masked_fill(future, math.inf)


# %% tags=["wrong"] id="causal"
# That is the mask. Return the scores, masked.
def causal(scores):
    length = scores.shape[-1]
    return mg.ones(length, length, dtype=mg.bool).triu(1)


# %% tags=["wrong"] id="causal"
# Only the next place is hidden. All later ones must be.
def causal(scores):
    length = scores.shape[-1]
    future = mg.ones(length, length, dtype=mg.bool).triu(1).tril(1)
    return scores.masked_fill(future, -math.inf)


# %% tags=["wrong"] id="attention"
# `causal` is missing: letters see the future.
def attention(q, k, v):
    size = q.shape[-1]
    return mg.softmax(q @ k.mT / math.sqrt(size), dim=-1) @ v


# %% tags=["wrong"] id="attention"
# The scores are not divided by the root of `size`.
def attention(q, k, v):
    size = q.shape[-1]
    return mg.softmax(causal(q @ k.mT), dim=-1) @ v


# %% tags=["wrong"] id="attention"
# You divide by `size`, not by its root.
def attention(q, k, v):
    size = q.shape[-1]
    return mg.softmax(causal(q @ k.mT / size), dim=-1) @ v


# %% tags=["wrong"] id="attention"
# Softmax goes along the wrong dimension: each *row* sums up to 1, `dim=-1`.
def attention(q, k, v):
    size = q.shape[-1]
    return mg.softmax(causal(q @ k.mT / math.sqrt(size)), dim=-2) @ v


# %% tags=["wrong"] id="attention"
# `causal` comes after the softmax. Then $-\infty$ is no chance any more: mask the scores first.
def attention(q, k, v):
    size = q.shape[-1]
    return causal(mg.softmax(q @ k.mT / math.sqrt(size), dim=-1)) @ v


# %% tags=["wrong"] id="attention"
# The softmax is missing: these are scores, not shares that sum up to 1.
def attention(q, k, v):
    size = q.shape[-1]
    return (q @ k.mT / math.sqrt(size)).tril() @ v


# %% tags=["wrong"] id="attention"
# Queries and keys are exchanged: rows are the letters that look, `q @ k.mT`.
def attention(q, k, v):
    size = q.shape[-1]
    return mg.softmax(causal(k @ q.mT / math.sqrt(size)), dim=-1) @ v


# %% tags=["wrong"] id="looks-ahead"
# You look at place 0 only. Each place may look ahead.
def looks_ahead(function, x):
    x = x.detach().requires_grad_()
    out = function(x)
    (grad,) = mg.autograd.grad((out[0] * mg.randn(out[0].shape)).sum(), x)
    return bool((grad[1:] != 0).any())


# %% tags=["wrong"] id="looks-ahead"
# A plain sum hides a look where one number rises as another falls. Weigh the numbers at random before you sum up.
def looks_ahead(function, x):
    x = x.detach().requires_grad_()
    out = function(x)
    for place in range(len(x)):
        (grad,) = mg.autograd.grad(out[place].sum(), x, retain_graph=True)
        if (grad[place + 1 :] != 0).any():
            return True
    return False


# %% tags=["wrong"] id="looks-ahead"
# You call the place itself the future. The future of `place` begins at `place + 1`.
def looks_ahead(function, x):
    x = x.detach().requires_grad_()
    out = function(x)
    for place in range(len(x)):
        (grad,) = mg.autograd.grad((out[place] * mg.randn(out[place].shape)).sum(), x, retain_graph=True)
        if (grad[place:] != 0).any():
            return True
    return False


# %% tags=["wrong"] id="looks-ahead"
# You look at the past: `grad[:place]`. The future is `grad[place + 1 :]`.
def looks_ahead(function, x):
    x = x.detach().requires_grad_()
    out = function(x)
    for place in range(len(x)):
        (grad,) = mg.autograd.grad((out[place] * mg.randn(out[place].shape)).sum(), x, retain_graph=True)
        if (grad[:place] != 0).any():
            return True
    return False


# %% tags=["wrong"] id="looks-ahead"
# The answer is the wrong way round: True if any output moves with a later input.
def looks_ahead(function, x):
    x = x.detach().requires_grad_()
    out = function(x)
    for place in range(len(x)):
        (grad,) = mg.autograd.grad((out[place] * mg.randn(out[place].shape)).sum(), x, retain_graph=True)
        if (grad[place + 1 :] != 0).any():
            return False
    return True


# %% tags=["wrong"] id="looks-ahead"
# You look one place ahead only. All later ones count.
def looks_ahead(function, x):
    x = x.detach().requires_grad_()
    out = function(x)
    for place in range(len(x) - 1):
        (grad,) = mg.autograd.grad((out[place] * mg.randn(out[place].shape)).sum(), x, retain_graph=True)
        if (grad[place + 1] != 0).any():
            return True
    return False


# %% tags=["wrong"] id="looks-ahead"
# The `return False` stands in the loop, so you stop after the first place without a look ahead.
def looks_ahead(function, x):
    x = x.detach().requires_grad_()
    out = function(x)
    for place in range(1, len(x)):
        (grad,) = mg.autograd.grad((out[place] * mg.randn(out[place].shape)).sum(), x, retain_graph=True)
        return bool((grad[place + 1 :] != 0).any())


# %% tags=["wrong"] id="surprise"
# You compare the scores with what was *given*. Wanted is what follows.
def surprise(net, numbers):
    starts = range(0, len(numbers) - LENGTH, LENGTH)
    given, wanted = questions(numbers, starts, LENGTH)
    with mg.no_grad():
        return F.cross_entropy(net(given).flatten(0, 1), given.flatten()).item()


# %% tags=["wrong"] id="surprise"
# That is the loss of the first piece only.
def surprise(net, numbers):
    starts = range(0, len(numbers) - LENGTH, LENGTH)
    given, wanted = questions(numbers, starts, LENGTH)
    with mg.no_grad():
        return F.cross_entropy(net(given)[0], wanted[0]).item()


# %% tags=["wrong"] id="surprise"
# You take the loss of the last place only. All places count.
def surprise(net, numbers):
    starts = range(0, len(numbers) - LENGTH, LENGTH)
    given, wanted = questions(numbers, starts, LENGTH)
    with mg.no_grad():
        return F.cross_entropy(net(given)[:, -1], wanted[:, -1]).item()


# %% tags=["wrong"] id="surprise"
# That is the sum over all questions. Take their mean.
def surprise(net, numbers):
    starts = range(0, len(numbers) - LENGTH, LENGTH)
    given, wanted = questions(numbers, starts, LENGTH)
    with mg.no_grad():
        return F.cross_entropy(net(given).flatten(0, 1), wanted.flatten(), reduction="sum").item()


# %% tags=["wrong"] id="surprise"
# That is the chance of the right letter. The surprise is minus its logarithm.
def surprise(net, numbers):
    starts = range(0, len(numbers) - LENGTH, LENGTH)
    given, wanted = questions(numbers, starts, LENGTH)
    with mg.no_grad():
        return math.exp(-F.cross_entropy(net(given).flatten(0, 1), wanted.flatten()).item())
