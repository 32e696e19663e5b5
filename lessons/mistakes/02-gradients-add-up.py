# ---
# lesson: 02-gradients-add-up
# ---


# %% tags=["wrong"] id="two-ways"
# `x` reaches `y` in two ways, and you took only the one through the product.
def two_ways(w, x, grad):
    return grad * x, grad * w


# %% tags=["wrong"] id="two-ways"
# `x` is taken away in `w * x - x`: along the direct way the gradient is `-grad`.
def two_ways(w, x, grad):
    return grad * x, grad * w + grad


# %% tags=["wrong"] id="two-ways"
# You leave out `grad`, the gradient that arrived.
def two_ways(w, x, grad):
    return x, w - 1.0


# %% tags=["wrong"] id="two-ways"
# The two gradients are exchanged: first that of `w`, then that of `x`.
def two_ways(w, x, grad):
    return grad * w - grad, grad * x


# %% tags=["wrong"] id="two-ways"
# The direct way sends `-grad` whatever `x` is. You multiplied it by `x`.
def two_ways(w, x, grad):
    return grad * x, grad * w - grad * x


# %% tags=["wrong"] id="uses"
# A value that is both parents of an op is used twice. You count it once.
def uses(root):
    counts = {root: 0}
    to_visit = [root]
    while to_visit:
        value = to_visit.pop()
        for parent in {parent for parent, _ in value.parents}:
            if parent not in counts:
                counts[parent] = 0
                to_visit.append(parent)
            counts[parent] += 1
    return counts


# %% tags=["wrong"] id="uses"
# You set every count to 1. Count each use: `counts[parent] += 1`.
def uses(root):
    counts = {root: 0}
    to_visit = [root]
    while to_visit:
        value = to_visit.pop()
        for parent, _ in value.parents:
            if parent not in counts:
                to_visit.append(parent)
            counts[parent] = 1
    return counts


# %% tags=["wrong"] id="uses"
# `root` is not used by anything on the way to itself. It begins with 0.
def uses(root):
    counts = {root: 1}
    to_visit = [root]
    while to_visit:
        value = to_visit.pop()
        for parent, _ in value.parents:
            if parent not in counts:
                counts[parent] = 0
                to_visit.append(parent)
            counts[parent] += 1
    return counts


# %% tags=["wrong"] id="uses"
# You look at the parents of `root` only. Go on to their parents, until the list is empty.
def uses(root):
    counts = {root: 0}
    for parent, _ in root.parents:
        counts[parent] = counts.get(parent, 0) + 1
    return counts


# %% tags=["wrong"] id="uses"
# A value goes on your list each time it is used, so you count its parents again and again. Put it there once.
def uses(root):
    counts = {root: 0}
    to_visit = [root]
    while to_visit and len(to_visit) < 1000:
        value = to_visit.pop()
        for parent, _ in value.parents:
            counts[parent] = counts.get(parent, 0) + 1
            to_visit.append(parent)
    return counts


# %% tags=["wrong"] id="uses"
# Your function calls itself, and Python gives up at about a thousand calls. Use the list.
def uses(root):
    counts = {root: 0}

    def visit(value):
        for parent, _ in value.parents:
            if parent not in counts:
                counts[parent] = 0
                visit(parent)
            counts[parent] += 1

    visit(root)
    return counts


# %% tags=["wrong"] id="uses"
# The parents are pairs: a value, and the slope of its step. Take them apart: `for parent, slope in value.parents`.
def uses(root):
    counts = {root: 0}
    to_visit = [root]
    while to_visit:
        value = to_visit.pop()
        for parent in value.parents:
            counts[parent] = counts.get(parent, 0) + 1
            to_visit.append(parent)
    return counts


# %% tags=["wrong"] id="uses"
# The parents are pairs: a value, and the slope of its step. Take them apart: `for parent, slope in value.parents`.
def uses(root):
    counts = {root: 0}
    to_visit = [root]
    while to_visit:
        value = to_visit.pop()
        for parent in value.parents:
            counts[parent] = counts.get(parent, 0) + 1
            if parent not in counts:
                to_visit.append(parent)
    return counts


# %% tags=["wrong"] id="order"
# A value speaks as soon as it is met, before all who use it have spoken. Wait until its count is 0.
def topological_order(root):
    seen, order = {root}, []
    ready = [root]
    while ready:
        value = ready.pop()
        order.append(value)
        for parent, _ in value.parents:
            if parent not in seen:
                seen.add(parent)
                ready.append(parent)
    return order


# %% tags=["wrong"] id="order"
# You go down along each first parent before the others: a value stands before one that uses it. Count instead.
def topological_order(root):
    seen, order = set(), []

    def visit(value):
        if value not in seen:
            seen.add(value)
            order.append(value)
            for parent, _ in value.parents:
                visit(parent)

    visit(root)
    return order


# %% tags=["wrong"] id="order"
# Your order begins with the leaves. Turn it round: `root` comes first.
def topological_order(root):
    waiting = uses(root)
    ready, order = [root], []
    while ready:
        value = ready.pop()
        order.append(value)
        for parent, _ in value.parents:
            waiting[parent] -= 1
            if waiting[parent] == 0:
                ready.append(parent)
    return order[::-1]


# %% tags=["wrong"] id="order"
# Values come into the order once for each use. Put a parent on `ready` only when its count is 0.
def topological_order(root):
    waiting = uses(root)
    ready, order = [root], []
    while ready and len(order) < 100:
        value = ready.pop()
        order.append(value)
        for parent, _ in value.parents:
            waiting[parent] -= 1
            ready.append(parent)
    return order


# %% tags=["wrong"] id="order"
# The order is right, but your function calls itself. A chain of 20,000 is too deep for that.
def topological_order(root):
    seen, order = set(), []

    def visit(value):
        if value not in seen:
            seen.add(value)
            for parent, _ in value.parents:
                visit(parent)
            order.append(value)

    visit(root)
    return order[::-1]


# %% tags=["wrong"] id="order"
# `root` itself is missing: it speaks first.
def topological_order(root):
    waiting = uses(root)
    ready, order = [root], []
    while ready:
        value = ready.pop()
        for parent, _ in value.parents:
            waiting[parent] -= 1
            if waiting[parent] == 0:
                order.append(parent)
                ready.append(parent)
    return order


# %% tags=["wrong"] id="order"
# The parents are pairs: a value, and the slope of its step. Take them apart: `for parent, slope in value.parents`.
def topological_order(root):
    waiting = uses(root)
    ready = [root]
    order = []
    while ready:
        value = ready.pop()
        order.append(value)
        for parent in value.parents:
            waiting[parent] -= 1
            if waiting[parent] == 0:
                ready.append(parent)
    return order


# %% tags=["wrong"] id="order"
# The parents are pairs: a value, and the slope of its step. Take them apart: `for parent, slope in value.parents`.
def topological_order(root):
    ready = [root]
    order = []
    while ready:
        value = ready.pop(0)
        order.append(value)
        ready.extend(parent for parent in value.parents if parent not in order)
    return order


# %% tags=["wrong"] id="backward"
# With `=` the second use wipes out the first. Gradients add up: `+=`.
def backward(root):
    root.grad = 1.0
    for value in topological_order(root):
        for parent, slope in value.parents:
            parent.grad = value.grad * slope


# %% tags=["wrong"] id="backward"
# That is the hasty way: a value hands on its gradient before all of it has arrived.
def backward(root):
    root.grad = 1.0
    to_visit = [root]
    while to_visit and len(to_visit) < 1000:
        value = to_visit.pop(0)
        for parent, slope in value.parents:
            parent.grad += value.grad * slope
            to_visit.append(parent)


# %% tags=["wrong"] id="backward"
# You multiply by the slope, but not by the gradient of the value: slopes along a chain multiply.
def backward(root):
    root.grad = 1.0
    for value in topological_order(root):
        for parent, slope in value.parents:
            parent.grad += slope


# %% tags=["wrong"] id="backward"
# You hand the gradient on without the slope along the step.
def backward(root):
    root.grad = 1.0
    for value in topological_order(root):
        for parent, _ in value.parents:
            parent.grad += value.grad


# %% tags=["wrong"] id="backward"
# You walk from the leaves to the root, so nothing has arrived when a value speaks.
def backward(root):
    root.grad = 1.0
    for value in topological_order(root)[::-1]:
        for parent, slope in value.parents:
            parent.grad += value.grad * slope


# %% tags=["wrong"] id="backward"
# A value that is both parents of an op gets its gradient once. Both uses count.
def backward(root):
    root.grad = 1.0
    for value in topological_order(root):
        for parent, slope in dict(value.parents).items():
            parent.grad += value.grad * slope


# %% tags=["wrong"] id="backward"
# You walk each path on its own, by a function that calls itself. Go through `topological_order(root)`.
def backward(root, grad=1.0):
    root.grad += grad
    if root.grad < 10.0**4:
        for parent, slope in root.parents:
            backward(parent, grad * slope)
