# ---
# title: Autograd without numbers
# goal: Send words, not numbers, back through a graph, and write backward for ops on text.
# minutes: 40
# seconds: 10
# explorer: Messages go up the orange edges, and gather at the leaves. The name hears of itself twice.
# ---

# %% [markdown]
# # Autograd without numbers
#
# A program writes a letter: a greeting, a name, a text, the name again. A reader complains: "In place 12
# there should be an e." **Which of the pieces is to blame, and where in it?**
#
# With numbers, what comes back from two users is added. Drag `x`. In this lesson notes come back, and are
# gathered.
#
# ```figure
# x = 1 from -2 to 3
# once = x * 2
# again = x * x
# y = once + again
# show from once = once_to_x
# show from again = again_to_x
# show gathered = slope
# ```
#
# You know this question. A result is not what it should be; it was made in many steps, from many inputs; who
# must change, and how? That is what backward answers. Until now the answer was a number. It need not be.
#
# At the end of this lesson you can
#
# - say which part of autograd is about numbers, and which is not,
# - write backward for ops on text,
# - let a program mend its own text, with a critic, a backward and a step.
#
# You need lessons 1, 2 and 6.

# %%
from collections import Counter

import minigrad as mg
from minigrad import text
from minigrad.classroom import expect

# %% [markdown]
# ## Three things, and no arithmetic
#
# Look back at the engine of lesson 2. It needs
#
# 1. a graph: who was made from whom,
# 2. for each op a *rule*: given what came back for my output, what do I send to my inputs?
# 3. a way to *put together* what comes along several ways.
#
# In lesson 1 the rule was "times my slope", and putting together was "plus". But the engine itself, which
# counts the uses, waits, and goes on, never looked at a number. So minigrad has `minigrad.text`: the same
# engine, and in the place of tensors, texts.

# %%
greeting = text.Parameter("Dear ", role="greeting")
name = text.Parameter("Adam", role="name")
letter = greeting + name
print(letter.data)  # Dear Adam
print(letter.grad_fn.name())  # ConcatenateBackward

letter.backward("She is called Ada.")
print(name.grad[0].data)  # Feedback on 'Dear Adam': She is called Ada. Apply it to the name.

# %% [markdown]
# What came back to `name` is a sentence. The built-in rule is a simple one: it hands the feedback on, and
# says what it was about. A person who reads it can mend the name. So could a language model, and there are
# programs that improve the instructions of language models in just this way.
#
# We want a rule that is *exact*. So let us agree on a form for the feedback.
#
# ## A critic
#
# The critic compares a text with what it should be, and says at which places which letter is wanted. We write
# this as `2:a`, or `2:a 3:m` for two places. (Places are counted from 0. Spaces are written as `_`.)


# %%
def say(notes):
    """[(2, "a"), (3, " ")] -> "2:a 3:_"."""
    return " ".join(f"{place}:{letter.replace(' ', '_')}" for place, letter in notes)


def understand(said):
    """The notes in a text: "2:a 3:_" -> [(2, "a"), (3, " ")]."""
    pairs = [note.split(":", 1) for note in said.split()]
    return [(int(place), letter.replace("_", " ")) for place, letter in pairs]


def critic(found, wanted):
    """Notes for every place where the texts differ. They are equally long."""
    return say([(place, b) for place, (a, b) in enumerate(zip(found, wanted, strict=True)) if a != b])


print(critic("helo world", "hallo word"))  # 1:a 3:l 4:o 5:_ 6:w 7:o 8:r

# %% [markdown]
# This is our loss: it is empty when all is well. (It knows only letters to be *changed*, none to be put in.
# That keeps the rules short.)
#
# ### Exercise: the rule of joining
#
# `Dear ` and `Adam` are joined to `Dear Adam`. The critic says `8:a`. Whose letter is that? The first text
# has 5 letters, with the places 0 to 4. So place 8 of the result is place 3 of the second text.
#
# Write `join_backward(parts, notes)`. `parts` are the texts that were joined; `notes` is a list of pairs
# (place, letter) for the result. Return a list with one entry for each part: the list of *its* notes.


# %% tags=["exercise"] id="join" plays="text = join(parts); text.grad = notes; gives parts.grad"
def join_backward(parts, notes):
    ### BEGIN SOLUTION
    sent = []
    start = 0
    for part in parts:
        end = start + len(part)
        sent.append([(place - start, letter) for place, letter in notes if start <= place < end])
        start = end
    return sent
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="join"
# Keep a number `start`: the place in the result where the present part begins. It grows by `len(part)`.

# %% [markdown] tags=["hint"] id="join"
# To a part belong the notes with `start <= place < start + len(part)`. In the part, the place is
# `place - start`.

# %% tags=["check"] id="join"
import random


def parts_and_notes():
    """Some parts, notes for their whole, and the notes that belong to each part."""
    parts = ["ab" * random.randint(1, 3), "", "c" * random.randint(2, 4), "d"]
    starts = [sum(len(each) for each in parts[:at]) for at in range(len(parts))]
    wanted = [[], [], [(1, "x"), (0, "y")], [(0, "z")]]
    notes = [(starts[2] + 1, "x"), (starts[3], "z"), (starts[2], "y")]
    return parts, notes, wanted


expect(join_backward, ["Dear ", "Adam"], [(8, "a")], gives=[[], [(3, "a")]])
expect(join_backward, ["Dear ", "Adam"], [(0, "d"), (4, ","), (5, "E")], gives=[[(0, "d"), (4, ",")], [(0, "E")]])
parts, notes, wanted = parts_and_notes()
expect(join_backward, parts, notes, gives=wanted)
expect(join_backward, ["ab", "", "cd"], [(2, "x"), (1, "y")], gives=[[(1, "y")], [], [(0, "x")]])
expect(join_backward, ["abc"], [], gives=[[]])

# %% [markdown]
# ### Exercise: the rule of the mirror
#
# A second op turns a text round: `abc` becomes `cba`. What stands first, came from the last place.
#
# Write `mirror_backward(length, notes)`: the notes for the text before it was turned round.


# %% tags=["exercise"] id="mirror" plays="mirrored = mirror(text); mirrored.grad = notes; gives text.grad"
def mirror_backward(length, notes):
    ### BEGIN SOLUTION
    return [(length - 1 - place, letter) for place, letter in notes]
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="mirror"
# In a text of length 3, place 0 and place 2 are exchanged, and place 1 stays. What is the sum of the two?

# %% [markdown] tags=["hint"] id="mirror"
# Place `p` of the result is place `length - 1 - p` of the input. The letter stays what it is.

# %% tags=["check"] id="mirror"
expect(mirror_backward, 3, [(0, "c"), (1, "b")], gives=[(2, "c"), (1, "b")])
length = random.randint(7, 20)
expect(mirror_backward, length, [(5, "x"), (2, "y")], gives=[(length - 6, "x"), (length - 3, "y")])
expect(mirror_backward, 1, [], gives=[])

# %% [markdown]
# Now tell minigrad. An op on text is a class with a `forward`, which makes the result, and a `feedback`,
# which is given all that came back, and returns a text for each input. The class knows its `inputs`, as
# every node does that has saved them.


# %%
class Join(text.TextNode):
    """One text after the other."""

    @classmethod
    def forward(cls, *parts):
        return "".join(parts)

    def feedback(self, grad):
        notes = [note for each in grad for note in understand(each.data)]
        return [say(sent) for sent in join_backward([each.data for each in self.inputs], notes)]


class Mirror(text.TextNode):
    """A text turned round."""

    @classmethod
    def forward(cls, whole):
        return whole[::-1]

    def feedback(self, grad):
        notes = [note for each in grad for note in understand(each.data)]
        return [say(mirror_backward(len(self.result.data), notes))]


# %% [markdown]
# A palindrome reads the same from both sides. Here is a program that makes one: a text, and then its mirror
# image.

# %%
half = text.Parameter("never od", role="half")
whole = Join.apply(half, Mirror.apply(half))
print(whole.data)  # never oddo reven

# %% [markdown] tags=["predict"] id="palindrome" answer="2"
# `half` is used twice in this program: once as it is, and once in the mirror. The critic wants
# `nevar oddo raven`. How many pieces of feedback gather in `half.grad`?
#
# ---
# **2**, one for each way that leads from `half` to the result: one through the join alone, one through the
# mirror and the join.

# %%
whole.backward(critic(whole.data, "nevar oddo raven"))
print(len(half.grad))  # 2
print([each.data for each in half.grad])  # ['3:a', '3:a']

# %% [markdown]
# We asked for `nevar oddo raven`. Two places of the result are wrong, 3 and 12. Both are blamed on the same
# letter: place 3 of `half`, once directly, and once through the mirror. Nobody had to tell minigrad to wait
# with `half` until both had spoken. It is the engine of lesson 2.
#
# But one thing is different. Numbers were *added*. Notes cannot be added, so they are kept side by side, in a
# list. **What "put together" means is up to the kind of thing that flows back.**
#
# ## A step
#
# What shall a leaf do with all the notes in its list? They may contradict each other! Numbers settle this by
# adding up: a push of 3 to the left and one of 1 to the right make 2 to the left. Letters can vote.
#
# ### Exercise: vote
#
# Write `improved(old, notes)`: the text `old`, in which each place that has notes takes the letter that is
# wanted by most of them. On a tie, the one that was said first wins. (`Counter(letters).most_common(1)[0][0]`
# is just that.)


# %% tags=["exercise"] id="improved"
def improved(old, notes):
    new = list(old)
    ### BEGIN SOLUTION
    for place in range(len(old)):
        wanted = [letter for at, letter in notes if at == place]
        if wanted:
            new[place] = Counter(wanted).most_common(1)[0][0]
    ### END SOLUTION
    return "".join(new)


# %% [markdown] tags=["hint"] id="improved"
# Go through the places of `old`. For each, collect the letters that the notes want there.

# %% [markdown] tags=["hint"] id="improved"
# If the collection is not empty, `new[place]` becomes its most common letter. If it is empty, the old letter
# stays.

# %% tags=["check"] id="improved"
expect(improved, "never", [(3, "a"), (3, "a")], gives="nevar")
expect(improved, "abc", [], gives="abc")
notes = [(0, letter) for letter in "xzyzxwzw"]
expect(improved, "abc", [*notes, (2, "y")], gives="zby")
expect(improved, "ab", [(1, "q"), (1, "r")], gives="aq")
place = random.randint(0, 4)
notes = [(place, "m"), (4 - place if place != 2 else 0, "k"), (place, "n"), (place, "n")]
new = list("abcde")
new[notes[1][0]], new[place] = "k", "n"
expect(improved, "abcde", notes, gives="".join(new))

# %% [markdown]
# ### Exercise: learn
#
# Now the loop of lesson 6, without a number in it: forward, critic, backward, step. Write
# `learn(make, parameters, wanted, rounds)`. `make()` runs the program and gives the result, a `Variable`. In
# each round send the critic's notes back, improve every parameter's `.data`, *and clear its `.grad`*, which is
# a list. When the critic has nothing to say, stop early. Return the text of the last `make()`.


# %% tags=["exercise"] id="learn"
def learn(make, parameters, wanted, rounds):
    result = make()
    for _ in range(rounds):
        said = critic(result.data, wanted)
        if not said:
            break
        ### BEGIN SOLUTION
        result.backward(said)
        for parameter in parameters:
            notes = [note for each in parameter.grad for note in understand(each.data)]
            parameter.data = improved(parameter.data, notes)
            parameter.grad.clear()
        ### END SOLUTION
        result = make()
    return result.data


# %% [markdown] tags=["hint"] id="learn"
# First `result.backward(said)`. Then, for each parameter, collect the notes of all pieces in
# `parameter.grad`; `understand(each.data)` gives you those of one piece.

# %% [markdown] tags=["hint"] id="learn"
# `parameter.data = improved(parameter.data, notes)`, and then `parameter.grad.clear()`. Without the last, the
# notes of the first round would still be voting in the second.


# %% tags=["check"] id="learn"
def mends(start, wanted, rounds=3):
    """the text that `learn` ends with, when half = {start}, the program is Join(half, Mirror(half)), and {wanted} is
    wanted, in {rounds} rounds"""
    half = text.Parameter(start, role="half")
    return learn(lambda: Join.apply(half, Mirror.apply(half)), [half], wanted, rounds)


def changes_its_mind(first, second):
    """a word that learns {first} in one round, and then {second} in another: old notes must not vote in the second"""
    word = text.Parameter("cat", role="word")
    for wanted in (first, second):
        learn(lambda: Join.apply(word), [word], wanted, 1)
    return word.data


def two_parameters(first, second, wanted):
    """the two texts {first} and {second} after `learn` of their Join, when {wanted} is wanted"""
    parameters = [text.Parameter(first, role="first"), text.Parameter(second, role="second")]
    learn(lambda: Join.apply(*parameters), parameters, wanted, 2)
    return [each.data for each in parameters]


def what_is_left():
    """what stands in `word.grad` after `learn`"""
    word = text.Parameter("cat", role="word")
    learn(lambda: Join.apply(word), [word], "hat", 1)
    return [each.data for each in word.grad]


half = "".join(random.choice("abcde") for _ in range(4))
expect(mends, "never od", "nevar oddo raven", gives="nevar oddo raven")
expect(mends, "xxxx", half + half[::-1], gives=half + half[::-1])
expect(two_parameters, "abc", "de", "xbcdz", gives=["xbc", "dz"])
expect(changes_its_mind, "hat", "bat", gives="bat")
expect(what_is_left, gives=[])

# %% [markdown]
# What if the critic wants something that is no palindrome? Then the two ways want different letters, the vote
# is a tie, and the program does what it can:

# %%
print(mends("xx", "noon"))  # noon
print(mends("xx", "moon"))  # moom

# %% [markdown]
# A loss that cannot become zero, because the program is not able to say it: you have met that with numbers as
# well, wherever a straight line was to fit bent data.
#
# ## Watch the messages
#
# Here is the letter. Its name is used twice, and the reader knows better how it is written.

# %%
mg.observe.look()
greeting = text.Parameter("Dear ", role="greeting")
name = text.Parameter("Adam", role="name")
middle = text.Variable(", good morning, ", role="middle")
line = Join.apply(greeting, name)
letter = Join.apply(line, middle, name)

letter.backward(critic(letter.data, "Dear Anna, good morning, Anna"))
print(letter.data)  # Dear Adam, good morning, Adam
print([each.data for each in name.grad])  # ['1:n 2:n 3:a', '1:n 2:n 3:a']
print(greeting.grad[0].data == "")  # True

# %% [markdown]
# Look at its graph. On the lesson's page, press **Show it here** above, and the graph stands beside the text.
# From a notebook or an editor, type `minigrad lesson run 15` in a terminal: the browser opens at the newest
# step, which is the letter:
#
# 1. It looks like every graph that you have seen. Two **Join** nodes, three leaves, and an edge for each use:
#    `name` has two.
# 2. Press **home**, then **→**. The texts come into being from top to bottom. Then backward begins, and
#    messages go up the orange edges.
# 3. While it runs, watch the box in the corner: **runs**, **ready**, **waits**. The first Join may not speak
#    before the second. And `name` hears from both.
# 4. Click `name`. Two contributions came, from the two joins, and below them stand both, one after the
#    other: gathered, not added. The two boxes **Gather** beside the graph are the ends of the walk, which
#    did that. Now click `middle`: it has no **.grad**. Why not?
#
# ## Summary
#
# - Autograd is a graph, a rule for each op, and a way to put together. Numbers are one case of it.
# - A rule for text says where a piece of the result came from. Feedback goes back the same way.
# - Numbers are added; messages are gathered. The step decides what to do with them.
# - The loop is the same: forward, loss, backward, step, clear.
#
# ## Two open questions
#
# 1. Our critic can only change letters. What would the rules of `Join` and `Mirror` have to say, if feedback
#    could also be "put an e *before* place 5"? What is hard about two such notes for the same text?
# 2. Instead of the critic, ask a person: "what do you not like about this letter?" Which of the rules would
#    still work, and who would have to be the rule of `Join`? (`text.set_feedback` takes any function.)
