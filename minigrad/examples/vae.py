"""A variational autoencoder learns to draw digits: a picture becomes eight uncertain numbers, and they a picture."""

import sys

import numpy as np

import minigrad as torch
from minigrad.utils.data import digits

nn, F, dist = torch.nn, torch.nn.functional, torch.distributed

PIXELS = torch.tensor(digits().tensors[0].numpy()).flatten(1)
BATCH, CODE = 64, 8


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = nn.Linear(64, 64)
        self.mean = nn.Linear(64, CODE)
        self.log_variance = nn.Linear(64, CODE)
        self.drawn = nn.Sequential(nn.Linear(CODE, 64), nn.Tanh(), nn.Linear(64, 64))

    def forward(self, pixels, noise):
        seen = torch.tanh(self.seen(pixels))
        mean, log_variance = self.mean(seen), self.log_variance(seen)
        code = mean + noise * torch.exp(0.5 * log_variance)
        return self.drawn(code), mean, log_variance


def make():
    return Net()


def batch(step):
    start = step * BATCH % (len(PIXELS) - BATCH)
    noise = np.random.default_rng(step).standard_normal((BATCH, CODE), np.float32)
    return PIXELS[start : start + BATCH], torch.tensor(noise)


def train(net, steps):
    share = slice(None)
    if dist.is_initialized():  # each rank takes its share of every batch
        net, share = nn.parallel.DistributedDataParallel(net), slice(dist.get_rank(), None, dist.get_world_size())
    optimizer = torch.optim.Adam(net.parameters(), lr=0.003)
    losses = []
    for step in range(steps):
        pixels, noise = (each[share] for each in batch(step))
        drawn, mean, log_variance = net(pixels, noise)
        unlike = F.binary_cross_entropy_with_logits(drawn, pixels, reduction="sum")
        spread = -0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum()
        loss = (unlike + spread) / len(pixels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    if "--distributed" in sys.argv:
        dist.init_process_group("gloo")
    losses = train(make(), 200)
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}")
