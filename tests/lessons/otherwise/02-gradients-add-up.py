# ---
# lesson: 02-gradients-add-up
# ---


# %% tags=["exercise"] id="two-ways"
def two_ways(w, x, grad):
    return grad * x, grad * (w - 1)


# %% tags=["exercise"] id="two-ways"
def two_ways(w, x, grad):
    grad_x = 0.0
    grad_x += grad * w
    grad_x -= grad
    return x * grad, grad_x


# %% tags=["exercise"] id="two-ways"
def two_ways(w, x, grad):
    return [grad * x, w * grad - grad]


# %% tags=["exercise"] id="two-ways"
def two_ways(w, x, grad):
    paths = {"product": grad * w, "direct": -1 * grad}
    return grad * x, sum(paths.values())


# %% tags=["exercise"] id="uses"
def uses(root):
    counts = {root: 0}
    to_visit = [root]
    for value in to_visit:
        for parent, slope in value.parents:
            if parent in counts:
                counts[parent] += 1
            else:
                counts[parent] = 1
                to_visit.append(parent)
    return counts


# %% tags=["exercise"] id="uses"
from collections import Counter, deque
def uses(root):
    counts = Counter({root: 0})
    queue, seen = deque([root]), {root}
    while queue:
        for parent, _ in queue.popleft().parents:
            counts[parent] += 1
            if parent not in seen:
                seen.add(parent)
                queue.append(parent)
    return counts


# %% tags=["exercise"] id="uses"
from collections import defaultdict
def uses(root):
    counts = defaultdict(int)
    counts[root] = 0
    stack, done = [root], set()
    while stack:
        value = stack.pop()
        if value in done:
            continue
        done.add(value)
        for pair in value.parents:
            counts[pair[0]] += 1
            stack.append(pair[0])
    return dict(counts)


# %% tags=["exercise"] id="uses"
def uses(root):
    everything, to_visit = {root}, [root]
    while to_visit:
        fresh = {parent for value in to_visit for parent, _ in value.parents} - everything
        everything |= fresh
        to_visit = list(fresh)
    counts = {value: 0 for value in everything}
    for value in everything:
        for parent, _ in value.parents:
            counts[parent] = counts[parent] + 1
    return counts


# %% tags=["exercise"] id="order"
def topological_order(root):
    waiting = uses(root)
    order = [root]
    for value in order:
        for parent, _ in value.parents:
            waiting[parent] -= 1
            if not waiting[parent]:
                order.append(parent)
    return order


# %% tags=["exercise"] id="order"
from collections import deque
def topological_order(root):
    left = dict(uses(root))
    ready, order = deque([root]), []
    while len(ready) > 0:
        value = ready.popleft()
        order += [value]
        for parent, _ in value.parents:
            left[parent] = left[parent] - 1
            if left[parent] == 0:
                ready.append(parent)
    return order


# %% tags=["exercise"] id="order"
def topological_order(root):
    finished, seen = [], set()
    stack = [(root, False)]
    while stack:
        value, expanded = stack.pop()
        if expanded:
            finished.append(value)
        elif value not in seen:
            seen.add(value)
            stack.append((value, True))
            stack.extend((parent, False) for parent, _ in value.parents)
    return finished[::-1]


# %% tags=["exercise"] id="order"
def topological_order(root):
    finished, seen = [], {root}
    stack = [(root, iter(root.parents))]
    while stack:
        value, parents = stack[-1]
        for parent, _ in parents:
            if parent not in seen:
                seen.add(parent)
                stack.append((parent, iter(parent.parents)))
                break
        else:
            finished.append(value)
            stack.pop()
    return list(reversed(finished))


# %% tags=["exercise"] id="order"
def topological_order(root):
    waiting, ready, order = uses(root), [root], []
    while ready:
        value = ready.pop(0)
        order.append(value)
        for parent, _ in value.parents:
            waiting[parent] -= 1
            if waiting[parent] == 0:
                ready.insert(0, parent)
    return tuple(order)


# %% tags=["exercise"] id="backward"
def backward(root):
    order = topological_order(root)
    for value in order:
        value.grad = 0.0
    root.grad = 1.0
    for value in order:
        for parent, slope in value.parents:
            parent.grad = parent.grad + slope * value.grad


# %% tags=["exercise"] id="backward"
def backward(root):
    root.grad = 1
    for v in topological_order(root):
        g = v.grad
        for p, s in v.parents: p.grad += g * s
    return root


# %% tags=["exercise"] id="backward"
def backward(root):
    sums = {root: 1.0}
    for value in topological_order(root):
        value.grad = sums[value]
        for parent, slope in value.parents:
            sums[parent] = sums.get(parent, 0.0) + slope * sums[value]


# %% tags=["exercise"] id="backward"
def backward(root):
    def send(value):
        for parent, slope in value.parents:
            parent.grad += value.grad * slope
    root.grad = 1.0
    list(map(send, topological_order(root)))
