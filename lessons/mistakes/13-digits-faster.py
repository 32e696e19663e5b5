# ---
# lesson: 13-digits-faster
# ---


# %% tags=["wrong"] id="convolve"
# You turn the kernel round. Here `kernel[u, v]` meets the picture shifted by `u` and `v`.
def convolve(picture, kernel):
    height = picture.shape[0] - kernel.shape[0] + 1
    width = picture.shape[1] - kernel.shape[1] + 1
    out = mg.zeros(height, width)
    for u in range(kernel.shape[0]):
        for v in range(kernel.shape[1]):
            out = out + kernel[-1 - u, -1 - v] * picture[u : u + height, v : v + width]
    return out


# %% tags=["wrong"] id="convolve"
# `out = ...` forgets what was there. Add: `out = out + ...`.
def convolve(picture, kernel):
    height = picture.shape[0] - kernel.shape[0] + 1
    width = picture.shape[1] - kernel.shape[1] + 1
    out = mg.zeros(height, width)
    for u in range(kernel.shape[0]):
        for v in range(kernel.shape[1]):
            out = kernel[u, v] * picture[u : u + height, v : v + width]
    return out


# %% tags=["wrong"] id="convolve"
# The picture is not shifted: it begins at `u` and `v`.
def convolve(picture, kernel):
    height = picture.shape[0] - kernel.shape[0] + 1
    width = picture.shape[1] - kernel.shape[1] + 1
    out = mg.zeros(height, width)
    for u in range(kernel.shape[0]):
        for v in range(kernel.shape[1]):
            out = out + kernel[u, v] * picture[:height, :width]
    return out


# %% tags=["wrong"] id="convolve"
# `u` and `v` are exchanged in the kernel.
def convolve(picture, kernel):
    height = picture.shape[0] - kernel.shape[0] + 1
    width = picture.shape[1] - kernel.shape[1] + 1
    out = mg.zeros(height, width)
    for u in range(min(kernel.shape)):
        for v in range(min(kernel.shape)):
            out = out + kernel[v, u] * picture[u : u + height, v : v + width]
    return out


# %% tags=["wrong"] id="convolve"
# The window is to be multiplied by the weight, not increased by it.
def convolve(picture, kernel):
    height = picture.shape[0] - kernel.shape[0] + 1
    width = picture.shape[1] - kernel.shape[1] + 1
    out = mg.zeros(height, width)
    for u in range(kernel.shape[0]):
        for v in range(kernel.shape[1]):
            out = out + kernel[u, v] + picture[u : u + height, v : v + width]
    return out


# %% tags=["wrong"] id="convolve"
# The `return` stands in the loop, so only one weight counts.
def convolve(picture, kernel):
    height = picture.shape[0] - kernel.shape[0] + 1
    width = picture.shape[1] - kernel.shape[1] + 1
    out = mg.zeros(height, width)
    for u in range(kernel.shape[0]):
        for v in range(kernel.shape[1]):
            out = out + kernel[u, v] * picture[u : u + height, v : v + width]
            return out


# %% tags=["wrong"] id="kernel"
# `picture` and `grad` are exchanged: what slides over the picture is `grad`.
def kernel_gradient(picture, grad):
    return convolve(grad, picture[: grad.shape[0], : grad.shape[1]])


# %% tags=["wrong"] id="kernel"
# That is the sum of all gradients, the same for each weight. Each weight met other pixels.
def kernel_gradient(picture, grad):
    size = picture.shape[0] - grad.shape[0] + 1
    return grad.sum() * mg.ones(size, picture.shape[1] - grad.shape[1] + 1)


# %% tags=["wrong"] id="kernel"
# The sign is the other one.
def kernel_gradient(picture, grad):
    return -convolve(picture, grad)


# %% tags=["wrong"] id="kernel"
# `grad` is turned round. The formula has the same places as forward.
def kernel_gradient(picture, grad):
    return convolve(picture, grad.flip(0).flip(1))


# %% tags=["wrong"] id="kernel"
# You take the mean over the places. Where a weight is used more than once, its gradients add up.
def kernel_gradient(picture, grad):
    return convolve(picture, grad) / grad.numel()


# %% tags=["wrong"] id="reader"
# After the pooling each picture has 4 × 4 pixels. The last layer gets 32 · 4 · 4 numbers.
def reader():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 8 * 8, 10),
    )


# %% tags=["wrong"] id="reader"
# `nn.Flatten()` is missing: the last layer wants one row of numbers for each picture.
def reader():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.Linear(32 * 4 * 4, 10),
    )


# %% tags=["wrong"] id="reader"
# A bend is missing between the convolutions: two of them in a row are one.
def reader():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 4 * 4, 10),
    )


# %% tags=["wrong"] id="reader"
# Without padding the pictures shrink. Give both convolutions `padding=1`.
def reader():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32, 10),
    )


# %% tags=["wrong"] id="reader"
# The scores end with a ReLU, and no score can be negative. Nothing comes behind the last layer.
def reader():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 4 * 4, 10),
        nn.ReLU(),
    )


# %% tags=["wrong"] id="reader"
# `nn.MaxPool2d(2)` is missing.
def reader():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 8 * 8, 10),
    )


# %% tags=["wrong"] id="all-reduce"
# What arrives is complete already. Replace the chunk; do not add to it.
def all_reduce(ranks):
    n = len(ranks)
    ranks = [list(chunks) for chunks in ranks]
    for s in range(n - 1):
        received = exchange([ranks[r][(r - s) % n] for r in range(n)])
        for r in range(n):
            ranks[r][(r - 1 - s) % n] = ranks[r][(r - 1 - s) % n] + received[r]
    for s in range(n - 1):
        received = exchange([ranks[r][(r + 1 - s) % n] for r in range(n)])
        for r in range(n):
            ranks[r][(r - s) % n] = ranks[r][(r - s) % n] + received[r]
    return ranks


# %% tags=["wrong"] id="all-reduce"
# Only the first half is done: each rank has one complete chunk. Spread them.
def all_reduce(ranks):
    n = len(ranks)
    ranks = [list(chunks) for chunks in ranks]
    for s in range(n - 1):
        received = exchange([ranks[r][(r - s) % n] for r in range(n)])
        for r in range(n):
            ranks[r][(r - 1 - s) % n] = ranks[r][(r - 1 - s) % n] + received[r]
    return ranks


# %% tags=["wrong"] id="all-reduce"
# Rank `r` sends chunk `r - s` again. After collecting it has chunk `r + 1` complete, so it sends `r + 1 - s`.
def all_reduce(ranks):
    n = len(ranks)
    ranks = [list(chunks) for chunks in ranks]
    for s in range(n - 1):
        received = exchange([ranks[r][(r - s) % n] for r in range(n)])
        for r in range(n):
            ranks[r][(r - 1 - s) % n] = ranks[r][(r - 1 - s) % n] + received[r]
    for s in range(n - 1):
        received = exchange([ranks[r][(r - s) % n] for r in range(n)])
        for r in range(n):
            ranks[r][(r - 1 - s) % n] = received[r]
    return ranks


# %% tags=["wrong"] id="all-reduce"
# The sums are right, but they did not come over the wire: you took them from the other ranks. Use what `exchange` returns.
def all_reduce(ranks):
    n = len(ranks)
    ranks = [list(chunks) for chunks in ranks]
    for s in range(n - 1):
        received = exchange([ranks[r][(r - s) % n] for r in range(n)])
        for r in range(n):
            ranks[r][(r - 1 - s) % n] = ranks[r][(r - 1 - s) % n] + received[r]
    for s in range(n - 1):
        exchange([ranks[r][(r + 1 - s) % n] for r in range(n)])
    whole = [ranks[(c - 1) % n][c] for c in range(n)]
    return [list(whole) for _ in range(n)]


# %% tags=["wrong"] id="all-reduce"
# One step is too many: after `n - 1` steps everybody has everything.
def all_reduce(ranks):
    n = len(ranks)
    ranks = [list(chunks) for chunks in ranks]
    for s in range(n - 1):
        received = exchange([ranks[r][(r - s) % n] for r in range(n)])
        for r in range(n):
            ranks[r][(r - 1 - s) % n] = ranks[r][(r - 1 - s) % n] + received[r]
    for s in range(n):
        received = exchange([ranks[r][(r + 1 - s) % n] for r in range(n)])
        for r in range(n):
            ranks[r][(r - s) % n] = received[r]
    return ranks


# %% tags=["wrong"] id="all-reduce"
# What arrives is stored in the wrong place: it is chunk `r - s` of rank `r`.
def all_reduce(ranks):
    n = len(ranks)
    ranks = [list(chunks) for chunks in ranks]
    for s in range(n - 1):
        received = exchange([ranks[r][(r - s) % n] for r in range(n)])
        for r in range(n):
            ranks[r][(r - 1 - s) % n] = ranks[r][(r - 1 - s) % n] + received[r]
    for s in range(n - 1):
        received = exchange([ranks[r][(r + 1 - s) % n] for r in range(n)])
        for r in range(n):
            ranks[r][(r + 1 - s) % n] = received[r]
    return ranks


# %% tags=["wrong"] id="convolve"
# The loops go over the places of the result. They must go over those of the kernel.
def convolve(picture, kernel):
    height = picture.shape[0] - kernel.shape[0] + 1
    width = picture.shape[1] - kernel.shape[1] + 1
    out = mg.zeros(height, width)
    for u in range(height):
        for v in range(width):
            out = out + kernel[u, v] * picture[u : u + height, v : v + width]
    return out


# %% tags=["wrong"] id="convolve"
# You take the mean of the products. Their sum is asked for.
def convolve(picture, kernel):
    height = picture.shape[0] - kernel.shape[0] + 1
    width = picture.shape[1] - kernel.shape[1] + 1
    out = mg.zeros(height, width)
    for i in range(height):
        for j in range(width):
            out[i, j] = (kernel * picture[i : i + kernel.shape[0], j : j + kernel.shape[1]]).mean()
    return out


# %% tags=["wrong"] id="kernel"
# That is the product at one place. Sum over all places where the weight is used.
def kernel_gradient(picture, grad):
    return picture[: grad.shape[0], : grad.shape[1]] * grad


# %% tags=["wrong"] id="kernel"
# `grad` slides over the picture, not the other way round.
def kernel_gradient(picture, grad):
    return convolve(grad, picture)


# %% tags=["wrong"] id="kernel"
# Rows and columns are exchanged.
def kernel_gradient(picture, grad):
    return convolve(picture, grad).mT


# %% tags=["wrong"] id="reader"
# After each convolution stands a ReLU.
def reader():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.Flatten(),
        nn.Linear(512, 10),
    )


# %% tags=["wrong"] id="reader"
# The last layer gives scores. Cross entropy takes them as they are: no softmax.
def reader():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(512, 10),
        nn.Softmax(dim=1),
    )


# %% tags=["wrong"] id="reader"
# That is a list of layers. `nn.Sequential(...)` makes a net of them.
def reader():
    return [
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(512, 10),
    ]


# %% tags=["wrong"] id="all-reduce"
# The sums are right, but nothing went over the wire: use `exchange`.
def all_reduce(ranks):
    n = len(ranks)
    total = [sum(rank[c] for rank in ranks) for c in range(n)]
    return [list(total) for _ in range(n)]
