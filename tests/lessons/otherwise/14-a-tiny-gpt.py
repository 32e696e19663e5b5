# ---
# lesson: 14-a-tiny-gpt
# ---


# %% tags=["exercise"] id="questions"
def questions(numbers, starts, length):
    given = mg.stack([numbers[start : start + length] for start in starts])
    wanted = mg.stack([numbers[start + 1 : start + length + 1] for start in starts])
    return given, wanted


# %% tags=["exercise"] id="questions"
def questions(numbers, starts, length):
    pieces = mg.stack([numbers[start : start + length + 1] for start in starts])
    return [pieces[:, 0:length], pieces[:, 1 : length + 1]]


# %% tags=["exercise"] id="causal"
def causal(scores):
    length = scores.shape[-1]
    allowed = mg.ones(length, length, dtype=mg.bool).tril()
    return mg.where(allowed, scores, -math.inf)


# %% tags=["exercise"] id="causal"
def causal(scores):
    t = scores.shape[-1]
    places = mg.arange(t)
    return scores.masked_fill(places.unsqueeze(0) > places.unsqueeze(1), float("-inf"))


# %% tags=["exercise"] id="causal"
def causal(scores):
    length = scores.shape[-1]
    return scores + mg.full((length, length), -math.inf).triu(1)


# %% tags=["exercise"] id="attention"
def attention(q, k, v):
    d = q.shape[-1]
    scores = causal((q @ k.transpose(-2, -1)) * d ** -0.5)
    weights = scores.softmax(-1)
    return weights @ v


# %% tags=["exercise"] id="attention"
def attention(q, k, v):
    return mg.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


# %% tags=["exercise"] id="looks-ahead"
def looks_ahead(function, x):
    x = x.detach().requires_grad_()
    out = function(x)
    seen = False
    for t in range(x.shape[0]):
        for each in out[t]:
            grad = mg.autograd.grad(each, x, retain_graph=True)[0]
            seen = seen or bool((grad[t + 1 :].abs() > 0).any())
    return seen


# %% tags=["exercise"] id="looks-ahead"
def looks_ahead(function, x):
    x = x.detach().requires_grad_()
    out = function(x)
    length = out.shape[0]
    return any(
        mg.autograd.grad((out[t] * mg.randn(*out[t].shape)).sum(), x, retain_graph=True)[0][t + 1 :].any().item()
        for t in range(length)
    )


# %% tags=["exercise"] id="looks-ahead"
def looks_ahead(function, x):
    x = x.detach().requires_grad_()
    out = function(x)
    answer = mg.tensor(False)
    for t in range(len(x)):
        (grad,) = mg.autograd.grad((out[t] * mg.randn(out[t].shape)).sum(), x, retain_graph=True)
        answer = answer | (grad[t + 1 :] != 0).any()
    return answer


# %% tags=["exercise"] id="surprise"
def surprise(net, numbers):
    starts = range(0, len(numbers) - LENGTH, LENGTH)
    with mg.no_grad():
        given, wanted = questions(numbers, starts, LENGTH)
        scores = net(given)
        return float(F.cross_entropy(scores.reshape(-1, scores.shape[-1]), wanted.reshape(-1)))


# %% tags=["exercise"] id="surprise"
def surprise(net, numbers):
    starts = range(0, len(numbers) - LENGTH, LENGTH)
    losses = []
    with mg.no_grad():
        for start in starts:
            given, wanted = questions(numbers, [start], LENGTH)
            losses.append(F.cross_entropy(net(given)[0], wanted[0]).item())
    return sum(losses) / len(losses)
