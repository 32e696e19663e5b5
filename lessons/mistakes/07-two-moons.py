# ---
# lesson: 07-two-moons
# ---


# %% tags=["wrong"] id="net"
# Nothing bends behind `middle`: `bend_again` is missing on the way.
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(2, width)
        self.bend = nn.ReLU()
        self.middle = nn.Linear(width, width)
        self.bend_again = nn.ReLU()
        self.last = nn.Linear(width, 1)

    def forward(self, x):
        x = self.bend(self.first(x))
        x = self.middle(x)
        return self.last(x)


# %% tags=["wrong"] id="net"
# Nothing bends behind `first`: `bend` is missing on the way.
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(2, width)
        self.bend = nn.ReLU()
        self.middle = nn.Linear(width, width)
        self.bend_again = nn.ReLU()
        self.last = nn.Linear(width, 1)

    def forward(self, x):
        x = self.first(x)
        x = self.bend_again(self.middle(x))
        return self.last(x)


# %% tags=["wrong"] id="net"
# A bend stands behind `last`, so no score is below 0. Return `self.last(x)`.
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(2, width)
        self.bend = nn.ReLU()
        self.middle = nn.Linear(width, width)
        self.bend_again = nn.ReLU()
        self.last = nn.Linear(width, 1)

    def forward(self, x):
        x = self.bend(self.first(x))
        x = self.bend_again(self.middle(x))
        return mg.relu(self.last(x))


# %% tags=["wrong"] id="net"
# `middle` is left out on the way.
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(2, width)
        self.bend = nn.ReLU()
        self.middle = nn.Linear(width, width)
        self.bend_again = nn.ReLU()
        self.last = nn.Linear(width, 1)

    def forward(self, x):
        return self.last(self.bend_again(self.bend(self.first(x))))


# %% tags=["wrong"] id="net"
# The layers are kept in a list, where no module finds them. Store each as `self.name`.
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = [nn.Linear(2, width), nn.Linear(width, width), nn.Linear(width, 1)]

    def forward(self, x):
        a, b, c = self.layers
        return c(mg.relu(b(mg.relu(a(x)))))


# %% tags=["wrong"] id="net"
# `last` gives `width` numbers. A score is one number: `nn.Linear(width, 1)`.
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(2, width)
        self.bend = nn.ReLU()
        self.middle = nn.Linear(width, width)
        self.bend_again = nn.ReLU()
        self.last = nn.Linear(width, width)

    def forward(self, x):
        x = self.bend(self.first(x))
        x = self.bend_again(self.middle(x))
        return self.last(x)


# %% tags=["wrong"] id="net"
# The bends must be modules of their own, `self.bend = nn.ReLU()`, so that you can look into them later.
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(2, width)
        self.middle = nn.Linear(width, width)
        self.last = nn.Linear(width, 1)

    def forward(self, x):
        return self.last(mg.relu(self.middle(mg.relu(self.first(x)))))


# %% tags=["wrong"] id="adam"
# The means are not corrected, so the first steps are too long or too short: divide by `1 - first**self.t` and `1 - second**self.t`.
class Adam:
    def __init__(self, parameters, rate, betas=(0.9, 0.999), epsilon=1e-8):
        self.parameters = list(parameters)
        self.rate, self.betas, self.epsilon = rate, betas, epsilon
        self.t = 0
        self.means = [mg.zeros(parameter.shape) for parameter in self.parameters]
        self.squares = [mg.zeros(parameter.shape) for parameter in self.parameters]

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    @mg.no_grad()
    def step(self):
        self.t += 1
        first, second = self.betas
        for parameter, mean, square in zip(self.parameters, self.means, self.squares, strict=True):
            mean.mul_(first).add_((1 - first) * parameter.grad)
            square.mul_(second).add_((1 - second) * parameter.grad.square())
            parameter -= self.rate * mean / (square.sqrt() + self.epsilon)


# %% tags=["wrong"] id="adam"
# The epsilon stands under the root. Add it to the root.
class Adam:
    def __init__(self, parameters, rate, betas=(0.9, 0.999), epsilon=1e-8):
        self.parameters = list(parameters)
        self.rate, self.betas, self.epsilon = rate, betas, epsilon
        self.t = 0
        self.means = [mg.zeros(parameter.shape) for parameter in self.parameters]
        self.squares = [mg.zeros(parameter.shape) for parameter in self.parameters]

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    @mg.no_grad()
    def step(self):
        self.t += 1
        first, second = self.betas
        for parameter, mean, square in zip(self.parameters, self.means, self.squares, strict=True):
            mean.mul_(first).add_((1 - first) * parameter.grad)
            square.mul_(second).add_((1 - second) * parameter.grad.square())
            usual = (square / (1 - second**self.t) + self.epsilon).sqrt()
            parameter -= self.rate * mean / (1 - first**self.t) / usual


# %% tags=["wrong"] id="adam"
# You correct `mean` and `square` in place, and the next step finds them corrected. Correct on the way, in the last line.
class Adam:
    def __init__(self, parameters, rate, betas=(0.9, 0.999), epsilon=1e-8):
        self.parameters = list(parameters)
        self.rate, self.betas, self.epsilon = rate, betas, epsilon
        self.t = 0
        self.means = [mg.zeros(parameter.shape) for parameter in self.parameters]
        self.squares = [mg.zeros(parameter.shape) for parameter in self.parameters]

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    @mg.no_grad()
    def step(self):
        self.t += 1
        first, second = self.betas
        for parameter, mean, square in zip(self.parameters, self.means, self.squares, strict=True):
            mean.mul_(first).add_((1 - first) * parameter.grad)
            square.mul_(second).add_((1 - second) * parameter.grad.square())
            mean.div_(1 - first**self.t)
            square.div_(1 - second**self.t)
            parameter -= self.rate * mean / (square.sqrt() + self.epsilon)


# %% tags=["wrong"] id="adam"
# The root is missing: divide by the root of the mean of the squares.
class Adam:
    def __init__(self, parameters, rate, betas=(0.9, 0.999), epsilon=1e-8):
        self.parameters = list(parameters)
        self.rate, self.betas, self.epsilon = rate, betas, epsilon
        self.t = 0
        self.means = [mg.zeros(parameter.shape) for parameter in self.parameters]
        self.squares = [mg.zeros(parameter.shape) for parameter in self.parameters]

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    @mg.no_grad()
    def step(self):
        self.t += 1
        first, second = self.betas
        for parameter, mean, square in zip(self.parameters, self.means, self.squares, strict=True):
            mean.mul_(first).add_((1 - first) * parameter.grad)
            square.mul_(second).add_((1 - second) * parameter.grad.square())
            usual = square / (1 - second**self.t) + self.epsilon
            parameter -= self.rate * mean / (1 - first**self.t) / usual


# %% tags=["wrong"] id="adam"
# You go up the slope. Against it: `-=`.
class Adam:
    def __init__(self, parameters, rate, betas=(0.9, 0.999), epsilon=1e-8):
        self.parameters = list(parameters)
        self.rate, self.betas, self.epsilon = rate, betas, epsilon
        self.t = 0
        self.means = [mg.zeros(parameter.shape) for parameter in self.parameters]
        self.squares = [mg.zeros(parameter.shape) for parameter in self.parameters]

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    @mg.no_grad()
    def step(self):
        self.t += 1
        first, second = self.betas
        for parameter, mean, square in zip(self.parameters, self.means, self.squares, strict=True):
            mean.mul_(first).add_((1 - first) * parameter.grad)
            square.mul_(second).add_((1 - second) * parameter.grad.square())
            usual = (square / (1 - second**self.t)).sqrt() + self.epsilon
            parameter += self.rate * mean / (1 - first**self.t) / usual


# %% tags=["wrong"] id="adam"
# The mean of the squares takes the gradient, not its square.
class Adam:
    def __init__(self, parameters, rate, betas=(0.9, 0.999), epsilon=1e-8):
        self.parameters = list(parameters)
        self.rate, self.betas, self.epsilon = rate, betas, epsilon
        self.t = 0
        self.means = [mg.zeros(parameter.shape) for parameter in self.parameters]
        self.squares = [mg.zeros(parameter.shape) for parameter in self.parameters]

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    @mg.no_grad()
    def step(self):
        self.t += 1
        first, second = self.betas
        for parameter, mean, square in zip(self.parameters, self.means, self.squares, strict=True):
            mean.mul_(first).add_((1 - first) * parameter.grad)
            square.mul_(second).add_((1 - second) * parameter.grad)
            usual = (square / (1 - second**self.t)).sqrt() + self.epsilon
            parameter -= self.rate * mean / (1 - first**self.t) / usual


# %% tags=["wrong"] id="adam"
# That is plain descent with momentum: nothing is divided by what is usual for the parameter.
class Adam:
    def __init__(self, parameters, rate, betas=(0.9, 0.999), epsilon=1e-8):
        self.parameters = list(parameters)
        self.rate, self.betas, self.epsilon = rate, betas, epsilon
        self.t = 0
        self.means = [mg.zeros(parameter.shape) for parameter in self.parameters]
        self.squares = [mg.zeros(parameter.shape) for parameter in self.parameters]

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    @mg.no_grad()
    def step(self):
        self.t += 1
        first, second = self.betas
        for parameter, mean, square in zip(self.parameters, self.means, self.squares, strict=True):
            mean.mul_(first).add_((1 - first) * parameter.grad)
            square.mul_(second).add_((1 - second) * parameter.grad.square())
            parameter -= self.rate * mean / (1 - first**self.t)


# %% tags=["wrong"] id="spirals"
# The net has not learnt. Call `train` before you return it.
def learn_spirals(points, labels):
    mg.manual_seed(1)
    return Net(24)


# %% tags=["wrong"] id="spirals"
# These are too few steps. Take some hundred.
def learn_spirals(points, labels):
    mg.manual_seed(1)
    net = Net(24)
    train(net, Adam(net.parameters(), 0.02), points, labels, 20)
    return net


# %% tags=["wrong"] id="spirals"
# You return what `train` returns, which is nothing. Return the net.
def learn_spirals(points, labels):
    mg.manual_seed(1)
    net = Net(24)
    return train(net, Adam(net.parameters(), 0.02), points, labels, 1)


# %% tags=["wrong"] id="spirals"
# The rate is far too large: the net jumps about.
def learn_spirals(points, labels):
    mg.manual_seed(1)
    net = Net(24)
    train(net, Adam(net.parameters(), 3.0), points, labels, 100)
    return net


# %% tags=["wrong"] id="spirals"
# A net of two bends cannot go around the arms. Make it wider.
def learn_spirals(points, labels):
    mg.manual_seed(1)
    net = Net(2)
    train(net, Adam(net.parameters(), 0.02), points, labels, 200)
    return net


# %% tags=["wrong"] id="dead"
# You look along the rows. A unit is a column: `.all(dim=0)`.
def dead_units(hidden):
    dead = (hidden == 0).all(dim=1)
    return [unit for unit, is_dead in enumerate(dead.tolist()) if is_dead]


# %% tags=["wrong"] id="dead"
# A unit is dead only if it is 0 for *every* point. You name those that are 0 for some.
def dead_units(hidden):
    dead = (hidden == 0).any(dim=0)
    return [unit for unit, is_dead in enumerate(dead.tolist()) if is_dead]


# %% tags=["wrong"] id="dead"
# Your list names the living.
def dead_units(hidden):
    dead = (hidden == 0).all(dim=0)
    return [unit for unit, is_dead in enumerate(dead.tolist()) if not is_dead]


# %% tags=["wrong"] id="dead"
# That says True or False for each unit. Return the numbers of those that are dead.
def dead_units(hidden):
    return (hidden == 0).all(dim=0).tolist()


# %% tags=["wrong"] id="dead"
# That is how many are dead. Return a list of their numbers.
def dead_units(hidden):
    return int((hidden == 0).all(dim=0).sum().item())


# %% tags=["wrong"] id="dead"
# You count from 1. Python counts from 0.
def dead_units(hidden):
    dead = (hidden == 0).all(dim=0)
    return [unit for unit, is_dead in enumerate(dead.tolist(), 1) if is_dead]
