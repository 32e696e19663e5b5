# ---
# lesson: 16-graduating
# ---


# %% tags=["wrong"] id="attention"
# The future is not hidden.
def attention(t, q, k, v):
    length, size = q.shape[-2:]
    return t.softmax(q @ k.mT / math.sqrt(size), dim=-1) @ v


# %% tags=["wrong"] id="attention"
# The scores are not divided by the root of `size`.
def attention(t, q, k, v):
    length, size = q.shape[-2:]
    future = t.ones(length, length, dtype=t.bool).triu(1)
    return t.softmax((q @ k.mT).masked_fill(future, -math.inf), dim=-1) @ v


# %% tags=["wrong"] id="attention"
# Softmax goes along the wrong dimension: each row sums up to 1.
def attention(t, q, k, v):
    length, size = q.shape[-2:]
    future = t.ones(length, length, dtype=t.bool).triu(1)
    scores = (q @ k.mT / math.sqrt(size)).masked_fill(future, -math.inf)
    return t.softmax(scores, dim=-2) @ v


# %% tags=["wrong"] id="attention"
# A letter may look at itself: the mask begins above the diagonal, `.triu(1)`.
def attention(t, q, k, v):
    length, size = q.shape[-2:]
    future = t.ones(length, length, dtype=t.bool).triu()
    scores = (q @ k.mT / math.sqrt(size)).masked_fill(future, -math.inf)
    return t.softmax(scores, dim=-1) @ v


# %% tags=["wrong"] id="attention"
# These are the shares. Mix the values with them: `@ v`.
def attention(t, q, k, v):
    length, size = q.shape[-2:]
    future = t.ones(length, length, dtype=t.bool).triu(1)
    return t.softmax((q @ k.mT / math.sqrt(size)).masked_fill(future, -math.inf), dim=-1)


# %% tags=["wrong"] id="attention"
# A score of 0 is no ban: softmax makes a chance of it. Use `-math.inf`.
def attention(t, q, k, v):
    length, size = q.shape[-2:]
    future = t.ones(length, length, dtype=t.bool).triu(1)
    scores = (q @ k.mT / math.sqrt(size)).masked_fill(future, 0.0)
    return t.softmax(scores, dim=-1) @ v


# %% tags=["wrong"] id="carried"
# These are the tensors of the library they came from. Make new ones: `t.tensor(array)`.
def carried(state, t):
    return dict(state)


# %% tags=["wrong"] id="carried"
# These are NumPy's arrays. Make tensors of them: `t.tensor(array)`.
def carried(state, t):
    return {name: value.detach().numpy() for name, value in state.items()}


# %% tags=["wrong"] id="carried"
# The names are lost. Return a dictionary with the same names.
def carried(state, t):
    return [t.tensor(value.detach().numpy()) for value in state.values()]


# %% tags=["wrong"] id="carried"
# Only the first tensor is carried over.
def carried(state, t):
    return {name: t.tensor(value.detach().numpy()) for name, value in list(state.items())[:1]}


# %% tags=["wrong"] id="carried"
# `.numpy()` needs a tensor without a gradient: `value.detach().numpy()`.
def carried(state, t):
    return {name: t.tensor(value.numpy()) for name, value in state.items()}


# %% tags=["wrong"] id="carried"
# The values are rounded to whole numbers on the way.
def carried(state, t):
    return {name: t.tensor(value.detach().numpy().round()) for name, value in state.items()}


# %% tags=["wrong"] id="train"
# The gradients are never cleared: `optimizer.zero_grad()`.
def train(t, net, batches):
    optimizer = t.optim.AdamW(net.parameters(), lr=3e-3)
    losses = []
    for given, wanted in batches:
        given, wanted = t.tensor(given), t.tensor(wanted)
        loss = t.nn.functional.cross_entropy(net(given).flatten(0, 1), wanted.flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# %% tags=["wrong"] id="train"
# The losses stay the same, so the net never learns: after backward comes `optimizer.step()`, and nothing is cleared between.
def train(t, net, batches):
    optimizer = t.optim.AdamW(net.parameters(), lr=3e-3)
    losses = []
    for given, wanted in batches:
        given, wanted = t.tensor(given), t.tensor(wanted)
        loss = t.nn.functional.cross_entropy(net(given).flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        losses.append(loss.item())
    return losses


# %% tags=["wrong"] id="train"
# The losses are not noted: `losses.append(loss.item())`.
def train(t, net, batches):
    optimizer = t.optim.AdamW(net.parameters(), lr=3e-3)
    losses = []
    for given, wanted in batches:
        given, wanted = t.tensor(given), t.tensor(wanted)
        loss = t.nn.functional.cross_entropy(net(given).flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return losses


# %% tags=["wrong"] id="train"
# The losses are tensors. Note a number: `loss.item()`.
def train(t, net, batches):
    optimizer = t.optim.AdamW(net.parameters(), lr=3e-3)
    losses = []
    for given, wanted in batches:
        given, wanted = t.tensor(given), t.tensor(wanted)
        loss = t.nn.functional.cross_entropy(net(given).flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append([loss.item()])
    return losses


# %% tags=["wrong"] id="train"
# You compare the scores with what was *given*. Wanted is what follows.
def train(t, net, batches):
    optimizer = t.optim.AdamW(net.parameters(), lr=3e-3)
    losses = []
    for given, wanted in batches:
        given, wanted = t.tensor(given), t.tensor(wanted)
        loss = t.nn.functional.cross_entropy(net(given).flatten(0, 1), given.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# %% tags=["wrong"] id="nodes"
# You look at the first node's inputs only. Go on to theirs.
def nodes(result):
    found = {result.grad_fn}
    to_visit = [result.grad_fn]
    for node, _ in result.grad_fn.next_functions:
        if node is not None:
            found.add(node)
    return sorted(node.name() for node in found)


# %% tags=["wrong"] id="nodes"
# Where a constant stands, the node is None. Leave it out.
def nodes(result):
    found = {result.grad_fn}
    to_visit = [result.grad_fn]
    while to_visit:
        for node, _ in to_visit.pop().next_functions:
            if node not in found:
                found.add(node)
                to_visit.append(node)
    return sorted(node.name() for node in found)


# %% tags=["wrong"] id="nodes"
# A node that is used twice stands in your list twice. Each only once.
def nodes(result):
    found = {result.grad_fn}
    to_visit = [result.grad_fn]
    names = [result.grad_fn.name()]
    while to_visit:
        for node, _ in to_visit.pop().next_functions:
            if node is not None:
                names.append(node.name())
                to_visit.append(node)
    return sorted(names)


# %% tags=["wrong"] id="nodes"
# Each *name* stands once in your list. Two nodes may have the same name.
def nodes(result):
    found = {result.grad_fn}
    to_visit = [result.grad_fn]
    while to_visit:
        for node, _ in to_visit.pop().next_functions:
            if node is not None and node not in found:
                found.add(node)
                to_visit.append(node)
    return sorted({node.name() for node in found})


# %% tags=["wrong"] id="nodes"
# The node that made the result is missing.
def nodes(result):
    found = {result.grad_fn}
    to_visit = [result.grad_fn]
    while to_visit:
        for node, _ in to_visit.pop().next_functions:
            if node is not None and node not in found:
                found.add(node)
                to_visit.append(node)
    return sorted(node.name() for node in found - {result.grad_fn})


# %% tags=["wrong"] id="nodes"
# The list is not sorted.
def nodes(result):
    found = {result.grad_fn}
    to_visit = [result.grad_fn]
    names = [result.grad_fn.name()]
    while to_visit:
        for node, _ in to_visit.pop().next_functions:
            if node is not None and node not in found:
                found.add(node)
                to_visit.append(node)
                names.append(node.name())
    return names


# %% tags=["wrong"] id="nodes"
# These are nodes. Return their names: `node.name()`.
def nodes(result):
    found = {result.grad_fn}
    to_visit = [result.grad_fn]
    while to_visit:
        for node, _ in to_visit.pop().next_functions:
            if node is not None and node not in found:
                found.add(node)
                to_visit.append(node)
    return len(found)
