# ---
# lesson: 16-graduating
# ---


# %% tags=["exercise"] id="attention"
def attention(t, q, k, v):
    length, size = q.shape[-2:]
    mask = t.ones(length, length, dtype=t.bool).tril()
    scores = (q @ k.transpose(-2, -1)) / size ** 0.5
    scores = scores.masked_fill(~mask, float("-inf"))
    return scores.softmax(-1) @ v


# %% tags=["exercise"] id="attention"
def attention(t, q, k, v):
    length, size = q.shape[-2:]
    scores = t.matmul(q, k.mT) / math.sqrt(size) + t.full((length, length), -math.inf).triu(1)
    return t.matmul(t.softmax(scores, -1), v)


# %% tags=["exercise"] id="carried"
def carried(state, t):
    result = {}
    for name in state:
        result[name] = t.tensor(state[name].detach().numpy())
    return result


# %% tags=["exercise"] id="carried"
def carried(state, t):
    return {name: t.tensor(value.detach().tolist()) for name, value in state.items()}


# %% tags=["exercise"] id="carried"
from collections import OrderedDict
def carried(state, t):
    return OrderedDict((name, t.tensor(value.detach().numpy().copy())) for name, value in state.items())


# %% tags=["exercise"] id="train"
def train(t, net, batches):
    optimizer = t.optim.AdamW(net.parameters(), lr=3e-3)
    losses = []
    for given, wanted in batches:
        given, wanted = t.tensor(given), t.tensor(wanted)
        optimizer.zero_grad()
        scores = net(given)
        loss = t.nn.functional.cross_entropy(scores.reshape(-1, scores.shape[-1]), wanted.reshape(-1))
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    return losses


# %% tags=["exercise"] id="nodes"
def nodes(result):
    seen, stack = set(), [result.grad_fn]
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        stack.extend(pair[0] for pair in node.next_functions)
    return sorted(node.name() for node in seen)


# %% tags=["exercise"] id="nodes"
def nodes(result):
    layer, found = {result.grad_fn}, set()
    while layer:
        found |= layer
        layer = {child for node in layer for child, _ in node.next_functions if child is not None} - found
    names = [node.name() for node in found]
    names.sort()
    return names
