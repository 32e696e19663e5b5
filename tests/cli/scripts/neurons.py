"""A net of single numbers, as in micrograd's lecture: every weight is a separate tensor."""

# ruff: noqa: B905, RUF007

import random

import minigrad as mg


class Neuron:
    def __init__(self, inputs):
        self.w = [mg.tensor(random.uniform(-1, 1), requires_grad=True) for _ in range(inputs)]
        self.b = mg.tensor(0.0, requires_grad=True)

    def __call__(self, x):
        total = self.b
        for wi, xi in zip(self.w, x):
            total = total + wi * xi
        return total.tanh()

    def parameters(self):
        return [*self.w, self.b]


class Layer:
    def __init__(self, inputs, outputs):
        self.neurons = [Neuron(inputs) for _ in range(outputs)]

    def __call__(self, x):
        outs = [n(x) for n in self.neurons]
        return outs[0] if len(outs) == 1 else outs

    def parameters(self):
        return [p for n in self.neurons for p in n.parameters()]


class MLP:
    def __init__(self, *sizes):
        self.layers = [Layer(a, b) for a, b in zip(sizes, sizes[1:])]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]


random.seed(1337)
net = MLP(3, 4, 4, 1)
xs = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
ys = [1.0, -1.0, -1.0, 1.0]

for k in range(10):
    loss = sum((net(x) - y) ** 2 for x, y in zip(xs, ys))
    for p in net.parameters():
        p.grad = None
    loss.backward()
    for p in net.parameters():
        p.data -= 0.1 * p.grad
    print(k, loss.item())
