"""A recurrent net reads Python's manual letter by letter, and guesses the next one each time."""

import sys
from pydoc_data.topics import topics

import numpy as np

import minigrad as torch

nn, F, dist = torch.nn, torch.nn.functional, torch.distributed

TEXT = "\n".join(topics[name] for name in sorted(topics)).encode("ascii", "replace")
LETTERS = np.unique(np.frombuffer(TEXT, np.uint8))
CODES = np.searchsorted(LETTERS, np.frombuffer(TEXT, np.uint8)).astype("int64")
LENGTH, BATCH, WIDTH = 32, 16, 64


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.letter = nn.Embedding(len(LETTERS), WIDTH)
        self.memory = nn.LSTM(WIDTH, WIDTH, num_layers=2, batch_first=True)
        self.scores = nn.Linear(WIDTH, len(LETTERS))

    def forward(self, codes):
        states, _ = self.memory(self.letter(codes))
        return self.scores(states)


def make():
    return Net()


def batch(step):
    starts = np.random.default_rng(step).integers(0, len(CODES) - LENGTH - 1, BATCH)
    rows = torch.tensor(np.stack([CODES[start : start + LENGTH + 1] for start in starts]))
    return rows[:, :-1], rows[:, 1:]


def train(net, steps):
    share = slice(None)
    if dist.is_initialized():  # each rank takes its share of every batch
        net, share = nn.parallel.DistributedDataParallel(net), slice(dist.get_rank(), None, dist.get_world_size())
    optimizer = torch.optim.RMSprop(net.parameters(), lr=0.003)
    losses = []
    for step in range(steps):
        given, wanted = (each[share] for each in batch(step))
        loss = F.cross_entropy(net(given).flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    if "--distributed" in sys.argv:
        dist.init_process_group("gloo")
    losses = train(make(), 200)
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}")
