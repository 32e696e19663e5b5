"""Training programs with random data, weights, order of batches, masks and noise. Each returns its losses.

`t` is the library: minigrad or PyTorch.
"""

from __future__ import annotations

import math
from typing import Any


def fit(t: Any, net: Any, optimizer: Any, loss_of: Any, steps: int) -> list[float]:
    """The losses of `steps` steps; ``loss_of(net)`` makes one."""
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(net)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def line(t: Any) -> list[float]:
    """A straight line through noisy points."""
    x = t.linspace(-1, 1, 50).unsqueeze(1)
    y = 2 * x - 0.5 + 0.1 * t.randn(50, 1)
    net = t.nn.Linear(1, 1)
    return fit(t, net, t.optim.SGD(net.parameters(), 0.1), lambda n: ((n(x) - y) ** 2).mean(), 30)


def classes_with_dropout(t: Any) -> list[float]:
    """Random points in four classes, with dropout of three kinds of sizes."""
    x, y = t.randn(64, 10), t.randint(0, 4, (64,))
    net = t.nn.Sequential(t.nn.Linear(10, 33), t.nn.ReLU(), t.nn.Dropout(0.3), t.nn.Linear(33, 4), t.nn.Dropout(0.05))
    return fit(t, net, t.optim.Adam(net.parameters(), 1e-2), lambda n: t.nn.functional.cross_entropy(n(x), y), 25)


def shuffled_batches(t: Any) -> list[float]:
    """Two parts of a data set, batches in random order, three epochs, an evaluation after each."""
    data = t.utils.data.TensorDataset(t.rand(90, 5), t.randn(90))
    learnt, kept = t.utils.data.random_split(data, [0.8, 0.2])
    net = t.nn.Sequential(t.nn.Linear(5, 16), t.nn.Tanh(), t.nn.Linear(16, 1))
    optimizer = t.optim.SGD(net.parameters(), 0.05, momentum=0.9)
    losses = []
    for _ in range(3):
        for x, y in t.utils.data.DataLoader(learnt, batch_size=16, shuffle=True):
            losses += fit(t, net, optimizer, lambda n, x=x, y=y: t.nn.functional.mse_loss(n(x).squeeze(1), y), 1)
        with t.no_grad():
            for x, y in t.utils.data.DataLoader(kept, batch_size=18):
                losses.append(t.nn.functional.l1_loss(net(x).squeeze(1), y).item())
    return losses


def pictures(t: Any) -> list[float]:
    """A small net of convolutions with batch norm and channel dropout."""
    nn = t.nn
    x, y = t.rand(12, 3, 8, 8), t.randint(5, (12,))
    net = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout2d(0.2),
        nn.Conv2d(8, 6, 3, groups=2, bias=False), nn.GroupNorm(2, 6), nn.GELU(), nn.Flatten(), nn.Linear(24, 5),
    )  # fmt: skip
    return fit(t, net, t.optim.AdamW(net.parameters(), 3e-3), lambda n: nn.functional.cross_entropy(n(x), y), 15)


def letters(t: Any) -> list[float]:
    """Embedded letters through a two-layer LSTM with dropout between the layers."""
    nn = t.nn
    text = t.randint(0, 12, (9, 7))
    table, lstm, head = nn.Embedding(12, 6), nn.LSTM(6, 10, num_layers=2, dropout=0.2), nn.Linear(10, 12)
    net = nn.ModuleList([table, lstm, head])

    def loss(_: Any) -> Any:
        scores = head(lstm(table(text[:-1]))[0])
        return nn.functional.cross_entropy(scores.reshape(-1, 12), text[1:].reshape(-1))

    return fit(t, net, t.optim.Adam(net.parameters(), 1e-2), loss, 15)


def gated(t: Any) -> list[float]:
    """A GRU in both directions, on sequences from the first batch axis."""
    gru, head = t.nn.GRU(4, 6, bidirectional=True, batch_first=True), t.nn.Linear(12, 1)
    net = t.nn.ModuleList([gru, head])
    x, y = t.randn(5, 8, 4), t.randn(5, 1)
    loss = lambda _: ((head(gru(x)[0][:, -1]) - y) ** 2).mean()  # noqa: E731
    return fit(t, net, t.optim.RMSprop(net.parameters(), 1e-2), loss, 15)


def encoder(t: Any) -> list[float]:
    """A Transformer encoder with its dropouts."""
    nn = t.nn
    layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.1, batch_first=True)
    net = nn.Sequential(nn.TransformerEncoder(layer, 2), nn.Linear(16, 3))
    x, y = t.randn(4, 6, 16), t.randint(0, 3, (24,))
    loss = lambda n: nn.functional.cross_entropy(n(x).reshape(-1, 3), y)  # noqa: E731
    return fit(t, net, t.optim.Adam(net.parameters(), 1e-3), loss, 10)


def translation(t: Any) -> list[float]:
    """The whole Transformer, source and target."""
    net = t.nn.Transformer(8, 2, 1, 1, 16, dropout=0.2, batch_first=True)
    x, y = t.randn(3, 5, 8), t.randn(3, 4, 8)
    loss = lambda n: ((n(x, y) - y) ** 2).mean()  # noqa: E731
    return fit(t, net, t.optim.SGD(net.parameters(), 0.05), loss, 8)


def attention_by_hand(t: Any) -> list[float]:
    """Causal attention with weights from nn.init, and dropout on the weights."""
    q, k, v = (t.nn.Parameter(t.empty(12, 12)) for _ in range(3))
    for weight, start in zip((q, k, v), ("xavier_uniform_", "kaiming_normal_", "orthogonal_"), strict=True):
        getattr(t.nn.init, start)(weight)
    x = t.randn(2, 7, 12)

    def loss(_: Any) -> Any:
        scores = (x @ q) @ (x @ k).transpose(1, 2) / math.sqrt(12)
        scores = scores.masked_fill(t.ones(7, 7).triu(1).bool(), -math.inf).softmax(-1)
        return ((t.nn.functional.dropout(scores, 0.2) @ (x @ v) - x) ** 2).mean()

    return fit(t, None, t.optim.Adam([q, k, v], 1e-2), loss, 15)


def variational(t: Any) -> list[float]:
    """A variational autoencoder: noise drawn in every step, shaped like what it is added to."""
    nn = t.nn
    down, up = nn.Linear(20, 6), nn.Linear(3, 20)
    x = t.bernoulli(t.full((16, 20), 0.3))

    def loss(_: Any) -> Any:
        mean, spread = down(x).chunk(2, 1)
        z = mean + t.randn_like(spread) * (spread / 2).exp()
        kl = -0.5 * (1 + spread - mean**2 - spread.exp()).sum()
        return nn.functional.binary_cross_entropy_with_logits(up(z), x, reduction="sum") + kl

    return fit(t, None, t.optim.Adam([*down.parameters(), *up.parameters()], 1e-2), loss, 20)


def forgers(t: Any) -> list[float]:
    """A generator against a critic: fresh noise for both, in turn."""
    nn = t.nn
    maker, critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)), nn.Linear(2, 1)
    first, second = t.optim.Adam(maker.parameters(), 1e-2), t.optim.Adam(critic.parameters(), 1e-2)
    bce, losses = nn.BCEWithLogitsLoss(), []
    for _ in range(15):
        real = t.randn(32, 2) * 0.5 + 2
        fake = maker(t.randn(32, 4))
        ones, zeros = t.ones(32, 1), t.zeros(32, 1)
        judge = lambda _, r=real, f=fake, o=ones, z=zeros: bce(critic(r), o) + bce(critic(f.detach()), z)  # noqa: E731
        losses += fit(t, critic, second, judge, 1)
        losses += fit(t, maker, first, lambda _, f=fake, o=ones: bce(critic(f), o), 1)
    return losses


def diffusion(t: Any) -> list[float]:
    """A net that estimates the noise in a sample, of random strength."""
    net = t.nn.Sequential(t.nn.Linear(3, 32), t.nn.SiLU(), t.nn.Linear(32, 2))
    data = t.rand(64, 2) * 2 - 1

    def loss(n: Any) -> Any:
        when = t.rand(64, 1)
        noise = t.randn_like(data)
        return ((n(t.cat([data * (1 - when) + noise * when, when], 1)) - noise) ** 2).mean()

    return fit(t, net, t.optim.AdamW(net.parameters(), 1e-2), loss, 20)


def policy(t: Any) -> list[float]:
    """Policy gradient on a bandit: actions drawn from the scores."""
    scores = t.zeros(5, requires_grad=True)
    worth = t.rand(5)

    def loss(_: Any) -> Any:
        chance = scores.softmax(0)
        actions = t.multinomial(chance.detach(), 16, replacement=True)
        rewards = worth[actions] + 0.1 * t.randn(16)
        return -(chance.log()[actions] * (rewards - rewards.mean())).mean()

    return fit(t, None, t.optim.SGD([scores], 1.0), loss, 30)


def epsilon_greedy(t: Any) -> list[float]:
    """Q-learning on a ring of places: one random number at a time."""
    table = t.nn.Embedding(6, 2)
    optimizer = t.optim.SGD(table.parameters(), 0.1)
    place, losses = 0, []
    for _ in range(40):
        values = table(t.tensor(place))
        action = int(t.randint(0, 2, (1,))) if t.rand(1).item() < 0.3 else int(values.argmax())
        following = (place + (1 if action else -1)) % 6
        with t.no_grad():
            target = float(following == 3) + 0.9 * table(t.tensor(following)).max()
        losses += fit(t, table, optimizer, lambda n, p=place, a=action, y=target: (n(t.tensor(p))[a] - y) ** 2, 1)
        place = following
    return losses


def choices(t: Any) -> list[float]:
    """A discrete code, chosen by Gumbel noise."""
    encode, decode = t.nn.Linear(8, 5), t.nn.Linear(5, 8)
    x = t.randn(10, 8)
    parameters = [*encode.parameters(), *decode.parameters()]
    soft = t.nn.functional.gumbel_softmax
    loss = lambda _: ((decode(soft(encode(x), tau=0.8)) - x) ** 2).mean()  # noqa: E731
    return fit(t, None, t.optim.Adam(parameters, 1e-2), loss, 20)


def float64(t: Any) -> list[float]:
    """Everything in float64, minimised by L-BFGS."""
    x, y = t.randn(30, 4, dtype=t.float64), t.randn(30, 1, dtype=t.float64)
    net = t.nn.Sequential(t.nn.Linear(4, 8), t.nn.Tanh(), t.nn.Linear(8, 1)).double()
    optimizer, losses = t.optim.LBFGS(net.parameters(), lr=0.5, max_iter=4), []

    def closure() -> Any:
        optimizer.zero_grad()
        loss = ((net(x) - y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        return loss

    for _ in range(4):
        optimizer.step(closure)
    return losses


def starts(t: Any) -> list[float]:
    """A net whose layers all start in other ways, truncated normal and sparse among them."""
    init, net = t.nn.init, t.nn.Sequential(*(t.nn.Linear(17, 17) for _ in range(5)), t.nn.PReLU())
    init.trunc_normal_(net[0].weight, std=0.1)
    init.sparse_(net[1].weight, 0.3, std=0.2)
    init.kaiming_uniform_(net[2].weight, nonlinearity="relu")
    init.xavier_normal_(net[3].weight, gain=0.7)
    init.uniform_(net[4].bias, -0.3, 0.4)
    x = t.rand(9, 17)
    return fit(t, net, t.optim.Adagrad(net.parameters(), 0.05), lambda n: (n(x) - x).abs().mean(), 12)


def graph(t: Any) -> list[float]:
    """Messages along random edges."""
    edges = t.randint(0, 20, (2, 60))
    features, labels = t.randn(20, 5), t.randperm(20) % 3
    net = t.nn.Linear(5, 3)

    def loss(n: Any) -> Any:
        sent = t.nn.functional.dropout(n(features), 0.4)[edges[0]]
        return t.nn.functional.cross_entropy(t.zeros(20, 3).index_add(0, edges[1], sent), labels)

    return fit(t, net, t.optim.Adam(net.parameters(), 2e-2), loss, 20)


def weighted_sampling(t: Any) -> list[float]:
    """Rare classes drawn more often, with a generator of the loader's own."""
    data = t.utils.data
    x, y = t.randn(40, 3), (t.arange(40) > 34).float()
    sampler = data.WeightedRandomSampler(1 + 6 * y, 40, generator=t.Generator().manual_seed(9))
    net = t.nn.Linear(3, 1)
    optimizer, losses = t.optim.SGD(net.parameters(), 0.2), []
    for _ in range(3):
        for a, b in data.DataLoader(data.TensorDataset(x, y), batch_size=10, sampler=sampler):
            bce = t.nn.functional.binary_cross_entropy_with_logits
            losses += fit(t, net, optimizer, lambda n, a=a, b=b: bce(n(a).squeeze(1), b), 1)
    return losses


def resumed(t: Any) -> list[float]:
    """Training that stops, forks the random numbers for a test, and continues from a saved state."""
    net = t.nn.Sequential(t.nn.Linear(6, 18), t.nn.RReLU(), t.nn.AlphaDropout(0.1), t.nn.Linear(18, 1))
    optimizer = t.optim.Adam(net.parameters(), 1e-2)
    loss = lambda n: (n(t.randn(16, 6)) ** 2).mean() + t.rand(1).item()  # noqa: E731
    losses = fit(t, net, optimizer, loss, 4)
    kept = t.get_rng_state()
    with t.random.fork_rng():
        t.manual_seed(99)
        losses += fit(t, net, optimizer, loss, 2)
    losses += fit(t, net, optimizer, loss, 3)
    t.set_rng_state(kept)
    return losses + fit(t, net, optimizer, loss, 3)


def ensemble(t: Any) -> list[float]:
    """Counts from a Poisson process, fitted by several nets with seeds of their own."""
    x = t.rand(30, 2)
    counts = t.poisson(t.exp(x @ t.tensor([[1.0], [2.0]])))
    losses = []
    for seed in range(3):
        t.manual_seed(seed)
        net = t.nn.Bilinear(2, 2, 1)
        nll = t.nn.PoissonNLLLoss()
        losses += fit(t, net, t.optim.SGD(net.parameters(), 0.01), lambda n, nll=nll: nll(n(x, x), counts), 6)
    return losses


PROGRAMS = [
    line, classes_with_dropout, shuffled_batches, pictures, letters, gated, encoder, translation, attention_by_hand,
    variational, forgers, diffusion, policy, epsilon_greedy, choices, float64, starts, graph, weighted_sampling, resumed,
    ensemble,
]  # fmt: skip
