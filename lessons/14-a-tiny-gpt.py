# ---
# title: A tiny GPT
# goal: Build a transformer, prove that it cannot see the future, and let it write.
# minutes: 60
# seconds: 60
# explorer: The attention of four heads: each row is a letter, each column a letter that it looks at.
# view: sel=n23&open=net/blocks/0/looking/1
# ---

# %% [markdown]
# # A tiny GPT
#
# The large language models that answer your questions were trained to do one thing: to say which piece of
# text comes next. **How can a program learn to write, if all it ever does is guess the next letter?**
#
# Three places are looked at, with the scores 1, 0 and `score`. Softmax shares out the attention. Drag
# `score`.
#
# ```figure
# score = 1 from -6 to 6
# e = exp(score)
# total = e + exp(1) + 1
# share = e / total
# show share of the first = exp(1) / total
# show share of the second = 1 / total
# show share of the third = share
# ```
#
# You will build one, small enough for a minute on your computer. Its parts are those of the large ones:
# there are only fewer of them. It will read Python's own manual, and then write some more of it.
#
# At the end of this lesson you can
#
# - turn any text into questions with known answers,
# - write attention, the op with which letters look at each other,
# - prove with a gradient that no letter looks at a later one,
# - say how good a language model is, in a number that can be compared.
#
# You need lesson 3, the matrix product, and lesson 6, the loop that learns. A net is a class here, an `nn.Module`:
# `__init__` makes its parts, `forward` puts them together, and `parameters()` lists all that it learns. (Lesson 7 takes
# its time for that.)

# %%
import math
import re

import minigrad as mg
from minigrad import nn
from minigrad.classroom import at_most, expect
from minigrad.nn import functional as F

mg.manual_seed(0)

# %% [markdown]
# ## Text is numbers
#
# Python brings its manual along, so there is nothing to download. We write it in small letters and throw away
# what is neither a letter nor a full stop nor a comma. Each kind of character gets a number.


# %%
def manual():
    from pydoc_data.topics import topics

    return re.sub("[^a-z.,]+", " ", " ".join(topics.values()).lower())


text = manual()[:300_000]
letters = sorted(set(text))
number_of = {letter: number for number, letter in enumerate(letters)}
numbers = mg.tensor([number_of[letter] for letter in text])

print(repr("".join(letters)))  # ' ,.abcdefghijklmnopqrstuvwxyz'
print(text[:60])
print(numbers[:10].tolist())

# %% [markdown]
# The last 10,000 letters we put away. The net will never see it while it learns, so nobody can say that it
# has only learnt the book by heart.

# %%
seen, unseen = numbers[:-10_000], numbers[-10_000:]

# %% [markdown]
# ### Exercise: questions and answers
#
# A text is full of questions with known answers. In `hello`, what follows `h`? `e`. What follows `he`? `l`. A
# piece of 5 letters makes 4 such questions, all at once: given is `hell`, wanted is `ello`.
#
# Write `questions(numbers, starts, length)`. For each start it takes `length + 1` numbers from there on. It
# returns two tensors of shape (number of starts, `length`): what is given, and what is wanted.


# %% tags=["exercise"] id="questions"
def questions(numbers, starts, length):
    pieces = mg.stack([numbers[start : start + length + 1] for start in starts])
    ### BEGIN SOLUTION
    return pieces[:, :-1], pieces[:, 1:]
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="questions"
# `pieces` has one number more in each row than you are asked for. Given is a row without its last number.

# %% [markdown] tags=["hint"] id="questions"
# Given is `pieces[:, :-1]`. Wanted is each row without its *first* number: then at the same place stands the
# number that follows.

# %% tags=["check"] id="questions"
hello = mg.tensor([7, 4, 11, 11, 14, 22])
expect(questions, hello, [0], 4, gives=(mg.tensor([[7, 4, 11, 11]]), mg.tensor([[4, 11, 11, 14]])))
some, start = mg.randint(0, 29, (12,)), mg.randint(1, 7, (1,)).item()
given = mg.stack([some[0:3], some[start : start + 3]])
wanted = mg.stack([some[1:4], some[start + 1 : start + 4]])
expect(questions, some, [0, start], 3, gives=(given, wanted))

# %% [markdown]
# ## How good is a guess?
#
# The net answers with one score for each letter, and softmax makes chances of them. If it gave the letter
# that really came the chance $p$, its loss is $-\log p$. That is the *cross-entropy*. It is 0 for a prophet,
# and large for one who was sure, and wrong.

# %% [markdown] tags=["predict"] id="chance" answer="3.37" within="0.03"
# There are 29 characters. What is the loss of one who knows nothing, and gives each of them the same chance?
# (You may use a calculator: `math.log` is the natural logarithm.)
#
# ---
# $-\log \frac{1}{29} = \log 29 =$ **3.37**. Whatever your net does, it must be below that.

# %%
print(f"{math.log(len(letters)):.2f}")  # 3.37

# %% [markdown]
# Two rivals know more than nothing. One knows how frequent each letter is. The other knows how frequent each
# letter is *after each letter*: after q it says u. For both, counting is enough.

# %%
after = mg.zeros(29, 29)
pairs = seen[:-1] * 29 + seen[1:]
after = mg.bincount(pairs, minlength=29 * 29).reshape(29, 29).float() + 0.1

alone = mg.log(after.sum(0) / after.sum())
pair = mg.log(after / after.sum(1, keepdim=True))
print(f"knows the frequencies:      {-alone[unseen[1:]].mean().item():.2f}")
print(f"knows the letter before:    {-pair[unseen[:-1], unseen[1:]].mean().item():.2f}")

# %% [markdown]
# To do better, one must look further back than one letter. But how far, and where to? After `functio` it is
# the last seven letters that matter; in a long sentence it may be its subject. The answer of the transformer
# is: let each letter *decide* where to look.
#
# ## Attention
#
# Each letter has three vectors, all made from it by a matrix that is learnt:
#
# | vector | says |
# | --- | --- |
# | query $q$ | what I look for |
# | key $k$ | what I am |
# | value $v$ | what I tell those who look at me |
#
# How well does the query of letter $t$ fit the key of letter $s$? Multiply the two vectors and sum up. That
# number is the *score*. All scores of a text of length $T$ are one matrix product, $Q K^\top$, of shape
# $T \times T$. Softmax makes each row of them sum up to 1, and with these weights the values are mixed:
#
# $$\text{softmax}\left(\frac{Q K^\top}{\sqrt{d}}\right) V$$
#
# The square root of $d$, the length of the vectors, keeps the scores from growing with $d$. Large scores
# would make softmax so sharp that nearly no gradient comes through.
#
# ### Exercise: nobody sees the future
#
# While it learns, the net sees whole pieces of text at once, and answers at every place. The letter at place
# $t$ must not look at the places after it: there stands the answer. So these scores are set to $-\infty$.
# Softmax makes 0 of them, because $e^{-\infty} = 0$.
#
# Write `causal(scores)`, for scores of shape (..., $T$, $T$). Row $t$ is the letter that looks, column $s$
# the one that it looks at. Useful are `mg.ones(T, T, dtype=mg.bool)`, its method `.triu(1)`, which keeps
# what is *above* the diagonal, and `scores.masked_fill(mask, -math.inf)`.


# %% tags=["exercise"] id="causal" plays="masked = causal(scores); gives masked"
def causal(scores):
    length = scores.shape[-1]
    ### BEGIN SOLUTION
    future = mg.ones(length, length, dtype=mg.bool).triu(1)
    return scores.masked_fill(future, -math.inf)
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="causal"
# The future of row 0 is everything but column 0. The future of the last row is empty. So the mask is true
# above the diagonal, and not on it: a letter may look at itself.

# %% [markdown] tags=["hint"] id="causal"
# `mg.ones(length, length, dtype=mg.bool).triu(1)` is the mask. `masked_fill` stretches it over all heads and
# texts by itself.

# %% tags=["check"] id="causal"
never = -math.inf
expect(causal, mg.zeros(3, 3), gives=mg.tensor([[0.0, never, never], [0.0, 0.0, never], [0.0, 0.0, 0.0]]))
a, b, c, d = mg.randn(4).tolist()
expect(causal, mg.tensor([[[[a, b], [c, d]]]] * 2), gives=mg.tensor([[[[a, never], [c, d]]]] * 2))

# %% [markdown]
# ### Exercise: attention
#
# Write `attention(q, k, v)`. All three have shape (..., $T$, $d$), and so has the result. Use your `causal`
# before the softmax.


# %% tags=["exercise"] id="attention" plays="scores = q @ k.T; weights = softmax(scores); out = weights @ v; gives out"
def attention(q, k, v):
    size = q.shape[-1]
    ### BEGIN SOLUTION
    scores = q @ k.mT / math.sqrt(size)
    return mg.softmax(causal(scores), dim=-1) @ v
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="attention"
# `q @ k.mT` are the scores, of shape (..., $T$, $T$). `.mT` exchanges the last two dimensions.

# %% [markdown] tags=["hint"] id="attention"
# Divide by `math.sqrt(size)`, then `causal`, then `mg.softmax(..., dim=-1)`: each *row* sums up to 1. The
# last step is a matrix product with `v`.


# %% tags=["check"] id="attention"
def check_attention(*shape):
    q, k, v = 2.0 * mg.randn(*shape), 2.0 * mg.randn(*shape), mg.randn(*shape)
    wanted = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    expect(attention, q, k, v, gives=wanted, within=1e-4)


check_attention(1, 2)
check_attention(3, 2)
check_attention(2, 2, 4, 6)

# %% [markdown]
# ## The net
#
# The rest is put together from what you know. A *block* does two things: letters look at each other, and then
# each thinks for itself, in a small net of two layers. Both *add* to what was there, so that gradients find a
# straight way back (lesson 2: a sum hands its gradient on unchanged).
#
# Attention is done four times side by side, by four *heads* that may look for different things. To the vector
# of each letter, a vector for its place is added, or else the net could not tell `on` from `no`.

# %%
LENGTH, WIDTH, HEADS, BLOCKS = 32, 64, 4, 2


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.queries, self.keys, self.values = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))
        self.mixed = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (self.split(each(x)) for each in (self.queries, self.keys, self.values))
        return self.mixed(attention(q, k, v).transpose(-3, -2).flatten(-2))

    def split(self, x):
        return x.unflatten(-1, (HEADS, WIDTH // HEADS)).transpose(-3, -2)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.looking = nn.Sequential(nn.LayerNorm(WIDTH), Attention())
        self.thinking = nn.Sequential(
            nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH)
        )

    def forward(self, x):
        x = x + self.looking(x)
        return x + self.thinking(x)


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.letter = nn.Embedding(29, WIDTH)
        self.place = nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.scores = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 29))

    def forward(self, given):
        x = self.letter(given) + self.place(mg.arange(given.shape[-1]))
        return self.scores(self.blocks(x))


net = GPT()
print(f"{sum(p.numel() for p in net.parameters()):,} numbers to learn")  # 105,501 numbers to learn

# %% [markdown]
# ### Exercise: prove it
#
# If one letter could see one later letter, the net would cheat, its loss would fall wonderfully, and it could
# not write at all. This mistake has been made many times. How can you be *sure*?
#
# With a gradient! The gradient of output $t$ says with which inputs that output moves. With the inputs after
# $t$ it must not move at all: there the gradient is exactly 0. Output $t$ is a vector, and a gradient starts from one
# number. A plain sum would not do: if one number rises as another falls, their sum stands still, and hides it. So
# multiply by random numbers first, and then sum up.
#
# Write `looks_ahead(function, x)`. `function` makes one vector for each place out of `x`, of shape ($T$,
# width). Return True if any output moves with a later input, False if none does.


# %% tags=["exercise"] id="looks-ahead"
def looks_ahead(function, x):
    x = x.detach().requires_grad_()
    out = function(x)
    ### BEGIN SOLUTION
    for place in range(len(x)):
        some = (out[place] * mg.randn(out[place].shape)).sum()
        (grad,) = mg.autograd.grad(some, x, retain_graph=True)
        if (grad[place + 1 :] != 0).any():
            return True
    return False
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="looks-ahead"
# For each place: make one number of the output there, `(out[place] * mg.randn(out[place].shape)).sum()`, and ask
# `mg.autograd.grad` for its gradient with respect to `x`. You go through the same graph many times:
# `retain_graph=True`.

# %% [markdown] tags=["hint"] id="looks-ahead"
# The gradient has the shape of `x`. The future of `place` are its rows `grad[place + 1 :]`. Ask whether
# `.any()` of them is not 0.


# %% tags=["check"] id="looks-ahead"
def running_sum(x):
    """x.cumsum(0): each place sees those before it"""
    return x.cumsum(0)


def running_sum_from_the_end(x):
    """each place sees those after it"""
    return x.flip(0).cumsum(0).flip(0)


def one_step_ahead(x):
    """each place sees the next one"""
    return x + mg.cat([x[1:], x[:1] * 0])


def last_but_one_looks(x):
    """only the last but one looks ahead, at the last"""
    out = mg.tanh(x)
    return mg.cat([out[:-2], out[-2:-1] + x[-1:], out[-1:]])


def first_looks(x):
    """only the first looks ahead, at the last"""
    return mg.cat([x[:1] + x[-1:], x[1:]])


def first_looks_at_the_second(x):
    """only the first looks ahead, at the second"""
    return mg.cat([x[:1] + x[1:2], x[1:]])


def looks_both_ways(x):
    """each place sees all others"""
    return x + x.sum(0, keepdim=True)


def ahead_and_its_opposite(x):
    """each place gives the next place and minus the next place: what comes cancels in their sum"""
    ahead = mg.cat([x[1:], x[:1] * 0])
    return mg.cat([ahead, -ahead], -1)


def looks_back_hard(x):
    """x + 5 * x.cumsum(0)"""
    return x + 5.0 * x.cumsum(0)


for function, ahead in (
    (looks_both_ways, True),
    (mg.tanh, False),
    (running_sum, False),
    (running_sum_from_the_end, True),
    (one_step_ahead, True),
    (first_looks_at_the_second, True),
    (first_looks, True),
    (last_but_one_looks, True),
    (looks_back_hard, False),
    (ahead_and_its_opposite, True),
):
    expect(looks_ahead, function, mg.randn(6, 4), gives=ahead)

# %%
print(looks_ahead(net.blocks, mg.randn(8, WIDTH)))  # False

# %% [markdown]
# Not a test with a few examples: for this input, a proof (but for a chance of next to nothing) that the road from the
# future is closed.
#
# ## Learn
#
# 500 times: take 16 pieces of the text at random, answer everywhere, go back, step. The learning rate rises
# for the first 50 steps and then falls slowly; so does everybody who trains a transformer.


# %%
def learn(net, steps, rate=1e-2):
    optimizer = mg.optim.AdamW(net.parameters(), lr=rate)
    for step in range(1, steps + 1):
        optimizer.param_groups[0]["lr"] = rate * min(1.0, step / 50) * (1.0 - 0.9 * step / steps)
        starts = mg.randint(0, len(seen) - LENGTH, (16,)).tolist()
        given, wanted = questions(seen, starts, LENGTH)
        loss = F.cross_entropy(net(given).flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % (steps // 5) == 0:
            print(f"step {step:3}   loss {loss.item():.2f}")


learn(net, 500)

# %% [markdown]
# ### Exercise: the exam
#
# The loss on text that it has learnt from proves little. Write `surprise(net, numbers)`: the mean loss of
# `net` on a text that begins at the start of `numbers`. Cut it into pieces of `LENGTH`, one after the
# other, with your `questions`. You need no gradients for that, so say `with mg.no_grad():`.


# %% tags=["exercise"] id="surprise"
def surprise(net, numbers):
    starts = range(0, len(numbers) - LENGTH, LENGTH)
    ### BEGIN SOLUTION
    given, wanted = questions(numbers, starts, LENGTH)
    with mg.no_grad():
        return F.cross_entropy(net(given).flatten(0, 1), wanted.flatten()).item()
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="surprise"
# The loss is computed as in `learn`. There is no optimiser here, and no backward.

# %% [markdown] tags=["hint"] id="surprise"
# `net(given)` has shape (pieces, `LENGTH`, 29). Cross-entropy wants all questions in one list:
# `F.cross_entropy(net(given).flatten(0, 1), wanted.flatten())`.


# %% tags=["check"] id="surprise"
class Indifferent(nn.Module):
    def forward(self, given):
        return mg.zeros(*given.shape, 29)


class SaysTheSameLetterAgain(nn.Module):
    def forward(self, given):
        return 10.0 * F.one_hot(given, 29).float()


class SaysTheNextLetter(nn.Module):
    """It says 3 after 2, and so on, with a score that grows with the place."""

    def forward(self, given):
        place = mg.arange(given.shape[-1]).float().reshape(-1, 1)
        return F.one_hot((given + 1) % 29, 29).float() * place


def your_surprise(net, numbers):
    """`surprise(net, numbers)` of a net that {net}, on the numbers {numbers}"""
    nets = {
        "gives every letter the same chance": Indifferent,
        "says the same letter again": SaysTheSameLetterAgain,
        "says the next letter, ever more surely": SaysTheNextLetter,
    }
    return surprise(nets[net](), mg.tensor(numbers))


def surprise_of_the_trained_net():
    """`surprise(net, unseen)` of the net that has learnt"""
    return surprise(net, unseen)


constant = math.log(1 + 28 * math.exp(-10))
places = [math.log(1 + 28 * math.exp(-place)) for place in range(LENGTH)]
letters_in_order = [number % 29 for number in range(3 * LENGTH + 5)]
some = mg.randint(0, 29, (100,)).tolist()
expect(your_surprise, "gives every letter the same chance", some, gives=math.log(29), within=1e-4)
mixed = [3] * 5 + [7] * (LENGTH - 4) + some
pairs = [(mixed[at], mixed[at + 1]) for at in range((len(mixed) - 1) // LENGTH * LENGTH)]
again = sum(one == other for one, other in pairs) / len(pairs)
expect(your_surprise, "says the same letter again", mixed, gives=constant + 10.0 * (1.0 - again), within=1e-4)
expect(
    your_surprise,
    "says the next letter, ever more surely",
    letters_in_order,
    gives=sum(places) / LENGTH,
    within=1e-4,
)
expect(surprise_of_the_trained_net, gives=at_most(2.1))

# %%
print(f"knows nothing               {math.log(29):.2f}")
print(f"knows the letter before     {-pair[unseen[:-1], unseen[1:]].mean().item():.2f}")
print(f"your net                    {surprise(net, unseen):.2f}")

# %% [markdown]
# A loss of 1.8, say, means that the right letter got a chance of $e^{-1.8}$, about one in six: as
# if the net had to guess among six letters and not among 29.
#
# ## Write
#
# Give it a beginning, draw the next letter with the chances that it says, append it, and ask again. That is
# all that any chatbot does.


# %%
def write(net, start, count):
    written = start
    with mg.no_grad():
        for _ in range(count):
            given = mg.tensor([[number_of[letter] for letter in written[-LENGTH:]]])
            chances = mg.softmax(net(given)[0, -1] / 0.5, dim=0)
            written += letters[int(mg.multinomial(chances, 1).item())]
    return written


def share_of_real_words(written):
    """Of the words of four letters and more, how many stand in the manual."""
    words = [word for word in re.findall("[a-z]+", written)[:-1] if len(word) > 3]
    return sum(word in manual_words for word in words) / len(words)


manual_words = set(re.findall("[a-z]+", text))
written = write(net, "the ", 400)
print(written)
drawn = "".join(letters[number] for number in mg.multinomial(alone.exp(), 5000, replacement=True).tolist())
print(f"real words: {share_of_real_words(written):.0%}; by chance: {share_of_real_words(drawn):.0%}")

# %% [markdown]
# It has never been told what a word is, nor that there are such things. (The scores were divided by 0.5, the
# *temperature*: below 1, it takes fewer risks. Try 0.2 and 1.5.)
#
# ## Watch it look
#
# The same net, once more, on one short text, forward and backward.

# %%
mg.observe.look()
given, wanted = questions(unseen, [0], 16)
loss = F.cross_entropy(net(given)[0], wanted[0])
net.zero_grad()
loss.backward()

# %% [markdown]
# Look at its graph. On the lesson's page, press **Show it here** above, and the graph stands beside the text.
# From a notebook or an editor, type `minigrad lesson run 14` in a terminal: the browser opens at the newest
# step, which is this one:
#
# 1. Search for `softmax`, or unfold the module **1 Attention** in the first block (select it, press **e**).
#    Click the **Softmax** in it. Its value is shown as four squares of 16 × 16: one for each head. Each row
#    is a letter, each column one that it looks at. Above the diagonal everything is 0: that is your
#    `causal`.
# 2. Compare the heads. Often one looks at the letter just before, a stripe below the diagonal, while another
#    spreads its look widely. Nobody told them to. Which letters does the last row look at?
# 3. The boxes of attention are red and say **inf**. Red means: here is a NaN or an infinity. Most often that
#    is a mistake. Here it is the future, and you put it there.
# 4. Fold **blocks** to see the whole net: letters and places come in, scores go out. Open it again, and
#    follow one of the edges that pass *by* a block. That is the straight way back for the gradient.
# 5. On the explorer's own page (**Open in the explorer**) the line under **Loss** on the left is the whole of your
#    training.
#
# ## Summary
#
# - A language model says which piece comes next. Every text is full of questions with known answers.
# - Attention: each letter asks, each letter says what it is, and softmax of the fit says how much to take
#   from whom.
# - The causal mask closes the road from the future. A gradient that is exactly 0 proves it.
# - The loss is $-\log$ of the chance that the right answer got. Compare it with what simple counting
#   achieves, and measure it on text that was never learnt.
#
# ## Two open questions
#
# 1. Attention compares each letter with each other one. What does it cost when the text becomes ten times as
#    long? What would you try against that?
# 2. Your net spells. It does not know what it says. What would have to change in the net, in the text or in
#    the question for it to do so? (Nobody knows for certain. Where would you begin?)
