"""A net with two hidden layers reads digits: 64 pixels in, ten scores out."""

import sys

import minigrad as torch
from minigrad.utils.data import digits

nn, F, dist = torch.nn, torch.nn.functional, torch.distributed

PIXELS, LABELS = (torch.tensor(each.numpy()) for each in digits().tensors)
BATCH = 64


def make():
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))


def batch(step):
    start = step * BATCH % (len(PIXELS) - BATCH)
    return PIXELS[start : start + BATCH].flatten(1), LABELS[start : start + BATCH]


def train(net, steps):
    share = slice(None)
    if dist.is_initialized():  # each rank takes its share of every batch
        net, share = nn.parallel.DistributedDataParallel(net), slice(dist.get_rank(), None, dist.get_world_size())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for step in range(steps):
        pixels, labels = (each[share] for each in batch(step))
        loss = F.cross_entropy(net(pixels), labels)
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
