"""A small transformer reads Python's manual and guesses the next letter, at every place of the text at once."""

import sys
from pydoc_data.topics import topics

import numpy as np

import minigrad as torch

nn, F, dist = torch.nn, torch.nn.functional, torch.distributed

TEXT = "\n".join(topics[name] for name in sorted(topics)).encode("ascii", "replace")
LETTERS = np.unique(np.frombuffer(TEXT, np.uint8))
CODES = np.searchsorted(LETTERS, np.frombuffer(TEXT, np.uint8)).astype("int64")
LENGTH, BATCH, WIDTH, HEADS, BLOCKS = 32, 16, 48, 4, 2


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before_looking = nn.LayerNorm(WIDTH)
        self.looking = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.before_thinking = nn.LayerNorm(WIDTH)
        self.thinking = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x, hidden):
        ready = self.before_looking(x)
        x = x + self.looking(ready, ready, ready, attn_mask=hidden, need_weights=False)[0]
        return x + self.thinking(self.before_thinking(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.letter = nn.Embedding(len(LETTERS), WIDTH)
        self.place = nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.last = nn.LayerNorm(WIDTH)
        self.scores = nn.Linear(WIDTH, len(LETTERS))

    def forward(self, codes):
        later = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
        x = self.letter(codes) + self.place(torch.arange(LENGTH))
        for block in self.blocks:
            x = block(x, later)
        return self.scores(self.last(x))


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
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.003)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    losses = []
    for step in range(steps):
        given, wanted = (each[share] for each in batch(step))
        loss = F.cross_entropy(net(given).flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    if "--distributed" in sys.argv:
        dist.init_process_group("gloo")
    losses = train(make(), 200)
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}")
