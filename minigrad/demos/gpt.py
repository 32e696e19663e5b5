"""A tiny GPT: a transformer learns to write like Python's manual, one letter after another.

Two blocks of attention and 48 numbers for each letter: a millionth of the size of the large ones, and the same program.
In the browser, open a block and look at the attention: how strongly each letter looks at each earlier one.
"""

from __future__ import annotations

import textwrap

import minigrad as mg
from minigrad import nn
from minigrad.demos import Report, print_report
from minigrad.nn import functional as F

CONTEXT, WIDTH, HEADS, BLOCKS, BATCH, STEPS = 32, 48, 4, 2, 16, 25


class Block(nn.Module):
    """Each letter looks at those before it, then each is processed separately."""

    def __init__(self) -> None:
        super().__init__()
        self.before_looking = nn.LayerNorm(WIDTH)
        self.questions_keys_values = nn.Linear(WIDTH, 3 * WIDTH)
        self.looked = nn.Linear(WIDTH, WIDTH)
        self.before_thinking = nn.LayerNorm(WIDTH)
        self.thinking = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: mg.Tensor) -> mg.Tensor:
        batch, length, _ = x.shape
        mixed = self.questions_keys_values(self.before_looking(x))
        q, k, v = mixed.reshape(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.looked(seen.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.thinking(self.before_thinking(x))


class GPT(nn.Module):
    """Scores for the letter that follows each letter: (batch, length) in, (batch, length, letters) out."""

    def __init__(self, letters: int) -> None:
        super().__init__()
        self.letter = nn.Embedding(letters, WIDTH)
        self.place = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.last = nn.LayerNorm(WIDTH)
        self.scores = nn.Linear(WIDTH, letters)

    def forward(self, text: mg.Tensor) -> mg.Tensor:
        places = mg.arange(text.shape[1], device=text.device)
        return self.scores(self.last(self.blocks(self.letter(text) + self.place(places))))


def main(epochs: int = 20, seed: int = 0, device: str = "cpu", report: Report = print_report) -> None:
    """Learn from Python's manual, then write some more of it."""
    mg.manual_seed(seed)
    text = manual()
    letters = sorted(set(text))
    number_of = {letter: number for number, letter in enumerate(letters)}
    numbers = mg.tensor([number_of[letter] for letter in text], device=device)

    net = GPT(len(letters)).to(device)
    optimizer = mg.optim.AdamW(net.parameters(), lr=3e-3)

    def picture(width: int, height: int) -> str:
        with mg.random.fork_rng():  # drawing must not change the training
            return textwrap.fill(write(net, "The ", letters, device, min(160, width * height)), width)

    for epoch in range(epochs):
        total = 0.0
        for _ in range(STEPS):
            starts = mg.randint(0, len(text) - CONTEXT - 1, (BATCH,)).tolist()
            given = mg.stack([numbers[start : start + CONTEXT] for start in starts])
            wanted = mg.stack([numbers[start + 1 : start + CONTEXT + 1] for start in starts])
            loss = F.cross_entropy(net(given).flatten(0, 1), wanted.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        report(epoch + 1, epochs, picture, loss=total / STEPS)

    print(textwrap.fill(write(net, "The ", letters, device), 90))


def write(net: GPT, start: str, letters: list[str], device: str, count: int = 240) -> str:
    """Continue from `start`; each letter is drawn with the probability that the net gives it."""
    text = start
    with mg.no_grad():
        for _ in range(count):
            seen = mg.tensor([[letters.index(letter) for letter in text[-CONTEXT:]]], device=device)
            chances = F.softmax(net(seen)[0, -1] / 0.8, dim=0)
            text += letters[int(mg.multinomial(chances, 1).item())]
    return text


def manual(length: int = 100_000) -> str:
    """The beginning of Python's own manual, which is part of Python."""
    from pydoc_data.topics import topics

    whole = "\n".join(" ".join(text.split()) for text in topics.values())
    return whole.encode("ascii", "ignore").decode()[:length]


if __name__ == "__main__":
    main()
