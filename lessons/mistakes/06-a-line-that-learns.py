# ---
# lesson: 06-a-line-that-learns
# ---


# %% tags=["wrong"] id="descend"
# The gradients are never cleared, so each step follows the sum of all of them.
def descend(w, b, x, y, steps, rate):
    for _ in range(steps):
        loss_of(w, b, x, y).backward()
        with mg.no_grad():
            w -= rate * w.grad
            b -= rate * b.grad


# %% tags=["wrong"] id="descend"
# You go up the slope. Against it: `-=`.
def descend(w, b, x, y, steps, rate):
    for _ in range(steps):
        loss_of(w, b, x, y).backward()
        with mg.no_grad():
            w += rate * w.grad
            b += rate * b.grad
        w.grad = b.grad = None


# %% tags=["wrong"] id="descend"
# `w = w - ...` makes a new tensor, and the one that was handed to you stays where it was. Write `w -= ...`.
def descend(w, b, x, y, steps, rate):
    for _ in range(steps):
        loss_of(w, b, x, y).backward()
        with mg.no_grad():
            w, b = w - rate * w.grad, b - rate * b.grad
        w.requires_grad_()
        b.requires_grad_()


# %% tags=["wrong"] id="descend"
# The step stands outside `no_grad()`: a leaf must not be changed where the change is written down.
def descend(w, b, x, y, steps, rate):
    for _ in range(steps):
        loss_of(w, b, x, y).backward()
        w -= rate * w.grad
        b -= rate * b.grad
        w.grad = b.grad = None


# %% tags=["wrong"] id="descend"
# Only `w` moves. Move `b` as well.
def descend(w, b, x, y, steps, rate):
    for _ in range(steps):
        loss_of(w, b, x, y).backward()
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = b.grad = None


# %% tags=["wrong"] id="descend"
# Only the gradient of `w` is cleared. That of `b` piles up.
def descend(w, b, x, y, steps, rate):
    for _ in range(steps):
        loss_of(w, b, x, y).backward()
        with mg.no_grad():
            w -= rate * w.grad
            b -= rate * b.grad
        w.grad = None


# %% tags=["wrong"] id="descend"
# The gradients are cleared before the step, so there is nothing to follow.
def descend(w, b, x, y, steps, rate):
    for _ in range(steps):
        loss_of(w, b, x, y).backward()
        w.grad = b.grad = None
        with mg.no_grad():
            w -= rate * w.grad
            b -= rate * b.grad


# %% tags=["wrong"] id="detector"
# You compare exactly, and rounded numbers are never quite equal. Compare with 1.5 times the first step.
def piles_up(step):
    parameters = [mg.tensor(0.0, requires_grad=True) for _ in range(2)]

    def loss():
        return 2.0 * parameters[0] + 5.0 * parameters[1]

    places = [[0.0, 0.0]]
    for _ in range(2):
        step(parameters, loss)
        places.append([parameter.item() for parameter in parameters])
    start, once, twice = places
    return [i for i in range(2) if twice[i] - once[i] != once[i] - start[i]]


# %% tags=["wrong"] id="detector"
# You return True or False. Say which parameters: a list of their numbers.
def piles_up(step):
    parameters = [mg.tensor(0.0, requires_grad=True) for _ in range(2)]

    def loss():
        return 2.0 * parameters[0] + 5.0 * parameters[1]

    step(parameters, loss)
    once = [parameter.item() for parameter in parameters]
    step(parameters, loss)
    return any(abs(p.item() - a) > 1.5 * abs(a) for p, a in zip(parameters, once, strict=True))


# %% tags=["wrong"] id="detector"
# That is where it is after two steps, not how long the second step was. Take away where it was after the first.
def piles_up(step):
    parameters = [mg.tensor(0.0, requires_grad=True) for _ in range(2)]

    def loss():
        return 2.0 * parameters[0] + 5.0 * parameters[1]

    step(parameters, loss)
    once = [parameter.item() for parameter in parameters]
    step(parameters, loss)
    return [i for i in range(2) if abs(parameters[i].item()) > 1.5 * abs(once[i])]


# %% tags=["wrong"] id="detector"
# You look at whether a gradient is left after the step. One that is cleared before the next backward does no harm.
def piles_up(step):
    parameters = [mg.tensor(0.0, requires_grad=True) for _ in range(2)]

    def loss():
        return 2.0 * parameters[0] + 5.0 * parameters[1]

    step(parameters, loss)
    return [i for i in range(2) if parameters[i].grad is not None]


# %% tags=["wrong"] id="detector"
# Your list names those that do not pile up.
def piles_up(step):
    parameters = [mg.tensor(0.0, requires_grad=True) for _ in range(2)]

    def loss():
        return 2.0 * parameters[0] + 5.0 * parameters[1]

    step(parameters, loss)
    once = [parameter.item() for parameter in parameters]
    step(parameters, loss)
    return [i for i in range(2) if abs(parameters[i].item() - once[i]) <= 1.5 * abs(once[i])]


# %% tags=["wrong"] id="detector"
# You look at the first parameter only.
def piles_up(step):
    parameters = [mg.tensor(0.0, requires_grad=True) for _ in range(2)]

    def loss():
        return 2.0 * parameters[0] + 5.0 * parameters[1]

    step(parameters, loss)
    once = parameters[0].item()
    step(parameters, loss)
    return [0] if abs(parameters[0].item() - once) > 1.5 * abs(once) else []


# %% tags=["wrong"] id="micro"
# The losses of the parts are means, and their gradients add up. Weigh each part by its share of the examples.
def micro_batches(w, b, x, y, size):
    w.grad = b.grad = None
    for start in range(0, len(x), size):
        loss_of(w, b, x[start : start + size], y[start : start + size]).backward()


# %% tags=["wrong"] id="micro"
# You divide by the number of parts. The last part may be smaller, and then it weighs less.
def micro_batches(w, b, x, y, size):
    w.grad = b.grad = None
    parts = -(-len(x) // size)
    for start in range(0, len(x), size):
        (loss_of(w, b, x[start : start + size], y[start : start + size]) / parts).backward()


# %% tags=["wrong"] id="micro"
# The last part has fewer than `size` examples. Its share is `len(part_of_x) / len(x)`.
def micro_batches(w, b, x, y, size):
    w.grad = b.grad = None
    for start in range(0, len(x), size):
        (size / len(x) * loss_of(w, b, x[start : start + size], y[start : start + size])).backward()


# %% tags=["wrong"] id="micro"
# You clear the gradients in the loop, so only the last part is left.
def micro_batches(w, b, x, y, size):
    for start in range(0, len(x), size):
        w.grad = b.grad = None
        part_of_x, part_of_y = x[start : start + size], y[start : start + size]
        (len(part_of_x) / len(x) * loss_of(w, b, part_of_x, part_of_y)).backward()


# %% tags=["wrong"] id="micro"
# You leave out the last part, as it is not full.
def micro_batches(w, b, x, y, size):
    w.grad = b.grad = None
    for start in range(0, len(x) - size + 1, size):
        (size / len(x) * loss_of(w, b, x[start : start + size], y[start : start + size])).backward()


# %% tags=["wrong"] id="micro"
# You multiply by how many examples a part has. Divide by the number of all of them, too.
def micro_batches(w, b, x, y, size):
    w.grad = b.grad = None
    for start in range(0, len(x), size):
        part_of_x, part_of_y = x[start : start + size], y[start : start + size]
        (len(part_of_x) * loss_of(w, b, part_of_x, part_of_y)).backward()


# %% tags=["wrong"] id="optimiser"
# The speeds stay 0, so this is plain descent. Change each in place, `speed.mul_(...)`; `speed = ...` makes a new tensor.
class Descent:
    def __init__(self, parameters, rate, momentum):
        self.parameters = list(parameters)
        self.rate, self.momentum = rate, momentum
        self.speeds = [mg.zeros(parameter.shape) for parameter in self.parameters]

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    def step(self):
        for parameter, speed in zip(self.parameters, self.speeds, strict=True):
            with mg.no_grad():
                speed = self.momentum * speed + parameter.grad
                parameter -= self.rate * speed


# %% tags=["wrong"] id="optimiser"
# The speed loses nothing on the way: multiply it by `self.momentum` first.
class Descent:
    def __init__(self, parameters, rate, momentum):
        self.parameters = list(parameters)
        self.rate, self.momentum = rate, momentum
        self.speeds = [mg.zeros(parameter.shape) for parameter in self.parameters]

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    def step(self):
        for parameter, speed in zip(self.parameters, self.speeds, strict=True):
            with mg.no_grad():
                speed.add_(parameter.grad)
                parameter -= self.rate * speed


# %% tags=["wrong"] id="optimiser"
# The parameter moves before its speed is new. First the speed, then the parameter.
class Descent:
    def __init__(self, parameters, rate, momentum):
        self.parameters = list(parameters)
        self.rate, self.momentum = rate, momentum
        self.speeds = [mg.zeros(parameter.shape) for parameter in self.parameters]

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    def step(self):
        for parameter, speed in zip(self.parameters, self.speeds, strict=True):
            with mg.no_grad():
                parameter -= self.rate * speed
                speed.mul_(self.momentum).add_(parameter.grad)


# %% tags=["wrong"] id="optimiser"
# You go up the slope. Against it: `-=`.
class Descent:
    def __init__(self, parameters, rate, momentum):
        self.parameters = list(parameters)
        self.rate, self.momentum = rate, momentum
        self.speeds = [mg.zeros(parameter.shape) for parameter in self.parameters]

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    def step(self):
        for parameter, speed in zip(self.parameters, self.speeds, strict=True):
            with mg.no_grad():
                speed.mul_(self.momentum).add_(parameter.grad)
                parameter += self.rate * speed


# %% tags=["wrong"] id="optimiser"
# You weigh the gradient by `1 - momentum`. Here the whole gradient is added to the speed.
class Descent:
    def __init__(self, parameters, rate, momentum):
        self.parameters = list(parameters)
        self.rate, self.momentum = rate, momentum
        self.speeds = [mg.zeros(parameter.shape) for parameter in self.parameters]

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    def step(self):
        for parameter, speed in zip(self.parameters, self.speeds, strict=True):
            with mg.no_grad():
                speed.mul_(self.momentum).add_((1.0 - self.momentum) * parameter.grad)
                parameter -= self.rate * speed
