# ---
# lesson: 06-a-line-that-learns
# ---


# %% tags=["exercise"] id="descend"
def descend(w, b, x, y, steps, rate):
    for _ in range(steps):
        loss = loss_of(w, b, x, y)
        loss.backward()
        with mg.no_grad():
            for parameter in (w, b):
                parameter.sub_(rate * parameter.grad)
                parameter.grad = None


# %% tags=["exercise"] id="descend"
def descend(w, b, x, y, steps, rate):
    for _ in range(steps):
        w.grad, b.grad = None, None
        loss_of(w, b, x, y).backward()
        with mg.no_grad():
            w += -rate * w.grad
            b += -rate * b.grad
    w.grad = None
    b.grad = None


# %% tags=["exercise"] id="descend"
def descend(w, b, x, y, steps, rate):
    for _ in range(steps):
        of_w, of_b = mg.autograd.grad(loss_of(w, b, x, y), (w, b))
        with mg.no_grad():
            w -= rate * of_w
            b -= rate * of_b


# %% tags=["exercise"] id="descend"
def descend(w, b, x, y, steps, rate):
    optimizer = mg.optim.SGD([w, b], lr=rate)
    for _ in range(steps):
        optimizer.zero_grad()
        loss_of(w, b, x, y).backward()
        optimizer.step()
    optimizer.zero_grad()


# %% tags=["exercise"] id="detector"
def piles_up(step):
    parameters = [mg.tensor(0.0, requires_grad=True) for _ in range(2)]

    def loss():
        return 2.0 * parameters[0] + 5.0 * parameters[1]

    step(parameters, loss)
    first = [float(p) for p in parameters]
    step(parameters, loss)
    found = []
    for number in range(2):
        second = float(parameters[number]) - first[number]
        if abs(second) > abs(first[number]) * 1.0001:
            found.append(number)
    return found


# %% tags=["exercise"] id="detector"
def piles_up(step):
    parameters = [mg.tensor(0.0, requires_grad=True) for _ in range(2)]

    def loss():
        return 2.0 * parameters[0] + 5.0 * parameters[1]

    def lengths():
        before = [p.item() for p in parameters]
        step(parameters, loss)
        return [abs(p.item() - b) for p, b in zip(parameters, before)]

    one, two = lengths(), lengths()
    return [i for i, (a, b) in enumerate(zip(one, two)) if b > a + 1e-6]


# %% tags=["exercise"] id="micro"
def micro_batches(w, b, x, y, size):
    w.grad = b.grad = None
    n = len(x)
    start = 0
    while start < n:
        px, py = x[start : start + size], y[start : start + size]
        loss = loss_of(w, b, px, py) * (len(px) / n)
        loss.backward()
        start += size


# %% tags=["exercise"] id="micro"
def micro_batches(w, b, x, y, size):
    w.grad = b.grad = None
    total = sum(loss_of(w, b, part, of) * len(part) for part, of in zip(x.split(size), y.split(size), strict=True))
    (total / len(x)).backward()


# %% tags=["exercise"] id="micro"
def micro_batches(w, b, x, y, size):
    w.grad = b.grad = None
    for part_of_x, part_of_y in zip(x.split(size), y.split(size)):
        loss_of(w, b, part_of_x, part_of_y).mul(part_of_x.shape[0]).div(x.shape[0]).backward()


# %% tags=["exercise"] id="optimiser"
class Descent:
    def __init__(self, parameters, rate, momentum):
        self.parameters = list(parameters)
        self.rate, self.momentum = rate, momentum
        self.speeds = [mg.zeros(parameter.shape) for parameter in self.parameters]

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    @mg.no_grad()
    def step(self):
        for i in range(len(self.parameters)):
            self.speeds[i] *= self.momentum
            self.speeds[i] += self.parameters[i].grad
            self.parameters[i] -= self.rate * self.speeds[i]


# %% tags=["exercise"] id="optimiser"
class Descent:
    def __init__(self, parameters, rate, momentum):
        self.parameters = list(parameters)
        self.rate, self.momentum = rate, momentum
        self.speeds = [mg.zeros(parameter.shape) for parameter in self.parameters]

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    def step(self):
        with mg.no_grad():
            for parameter, speed in zip(self.parameters, self.speeds, strict=True):
                speed.copy_(self.momentum * speed + parameter.grad)
                parameter.add_(speed, alpha=-self.rate)
