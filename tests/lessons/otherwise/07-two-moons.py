# ---
# lesson: 07-two-moons
# ---


# %% tags=["exercise"] id="net"
class Net(nn.Module):
    def __init__(self, width):
        super(Net, self).__init__()
        self.last = nn.Linear(width, 1)
        self.bend, self.bend_again = nn.ReLU(), nn.ReLU()
        self.first = nn.Linear(2, width, bias=True)
        self.middle = nn.Linear(width, width)

    def forward(self, x):
        hidden = self.bend(self.first(x))
        return self.last(self.bend_again(self.middle(hidden)))


# %% tags=["exercise"] id="net"
class Net(nn.Module):
    def __init__(self, width):
        nn.Module.__init__(self)
        for name, layer in [
            ("first", nn.Linear(2, width)), ("bend", nn.ReLU()), ("middle", nn.Linear(width, width)),
            ("bend_again", nn.ReLU()), ("last", nn.Linear(width, 1)),
        ]:
            setattr(self, name, layer)

    def forward(self, x):
        for layer in (self.first, self.bend, self.middle, self.bend_again, self.last):
            x = layer(x)
        return x


# %% tags=["exercise"] id="adam"
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
        self.t = self.t + 1
        b1, b2 = self.betas
        for p, m, v in zip(self.parameters, self.means, self.squares):
            g = p.grad
            m.copy_(b1 * m + (1 - b1) * g)
            v.copy_(b2 * v + (1 - b2) * g ** 2)
            m_hat = m / (1 - b1 ** self.t)
            v_hat = v / (1 - b2 ** self.t)
            p -= self.rate * m_hat / (v_hat ** 0.5 + self.epsilon)


# %% tags=["exercise"] id="spirals"
def learn_spirals(points, labels):
    mg.manual_seed(1)
    net = Net(32)
    optimizer = Adam(net.parameters(), rate=0.01)
    train(net, optimizer, points, labels, 300)
    return net


# %% tags=["exercise"] id="dead"
def dead_units(hidden):
    return [i for i in range(hidden.shape[1]) if hidden[:, i].abs().max() == 0]


# %% tags=["exercise"] id="dead"
def dead_units(hidden):
    alive = (hidden != 0).any(0)
    return (~alive).nonzero().flatten().tolist()


# %% tags=["exercise"] id="dead"
def dead_units(hidden):
    units = []
    for number, column in enumerate(hidden.T):
        if not column.any():
            units.append(number)
    return units


# %% tags=["exercise"] id="dead"
import numpy as np
def dead_units(hidden):
    return list(np.where((hidden.detach().numpy() == 0).all(axis=0))[0])
