# ---
# lesson: 15-autograd-without-numbers
# ---


# %% tags=["wrong"] id="join"
# The places are those of the result. In the part they begin at 0 again: `place - start`.
def join_backward(parts, notes):
    sent, start = [], 0
    for part in parts:
        end = start + len(part)
        sent.append([(place, letter) for place, letter in notes if start <= place < end])
        start = end
    return sent


# %% tags=["wrong"] id="join"
# Every part gets all notes. To a part belong those between its start and its end.
def join_backward(parts, notes):
    sent, start = [], 0
    for part in parts:
        end = start + len(part)
        sent.append([(place - start, letter) for place, letter in notes if True])
        start = end
    return sent


# %% tags=["wrong"] id="join"
# The place `end` belongs to the next part: `start <= place < end`.
def join_backward(parts, notes):
    sent, start = [], 0
    for part in parts:
        end = start + len(part)
        sent.append([(place - start, letter) for place, letter in notes if start <= place <= end])
        start = end
    return sent


# %% tags=["wrong"] id="join"
# `start` stays 0. It grows by the length of each part.
def join_backward(parts, notes):
    sent, start = [], 0
    for part in parts:
        end = start + len(part)
        sent.append([(place - start, letter) for place, letter in notes if start <= place < end])
    return sent


# %% tags=["wrong"] id="join"
# The first letter of a part is left out: `start <= place`.
def join_backward(parts, notes):
    sent, start = [], 0
    for part in parts:
        end = start + len(part)
        sent.append([(place - start, letter) for place, letter in notes if start < place < end])
        start = end
    return sent


# %% tags=["wrong"] id="join"
# All notes stand in one list. Return one list for each part.
def join_backward(parts, notes):
    sent, start = [], 0
    for part in parts:
        end = start + len(part)
        sent += [(place - start, letter) for place, letter in notes if start <= place < end]
        start = end
    return sent


# %% tags=["wrong"] id="mirror"
# Places are counted from 0, so the last is `length - 1`: you are one too far.
def mirror_backward(length, notes):
    return [(length - place, letter) for place, letter in notes]


# %% tags=["wrong"] id="mirror"
# You turn the list of notes round. Turn the places: `length - 1 - place`.
def mirror_backward(length, notes):
    return notes[::-1]


# %% tags=["wrong"] id="mirror"
# The notes pass unchanged. What stood first came from the last place.
def mirror_backward(length, notes):
    return list(notes)


# %% tags=["wrong"] id="mirror"
# The sign is the other one: `length - 1 - place`.
def mirror_backward(length, notes):
    return [(place - length + 1, letter) for place, letter in notes]


# %% tags=["wrong"] id="mirror"
# The letter is lost. A note is a pair of a place and a letter.
def mirror_backward(length, notes):
    return [length - 1 - place for place, letter in notes]


# %% tags=["wrong"] id="improved"
# The last note wins. Count which letter is wanted by most.
def improved(old, notes):
    new = list(old)
    for place, letter in notes:
        new[place] = letter
    return "".join(new)


# %% tags=["wrong"] id="improved"
# The first note wins. Count which letter is wanted by most.
def improved(old, notes):
    new = list(old)
    for place, letter in reversed(notes):
        new[place] = letter
    return "".join(new)


# %% tags=["wrong"] id="improved"
# The letter wanted by most in the whole text goes to every place that has notes. Count for each place by itself.
def improved(old, notes):
    new = list(old)
    for place, _ in notes:
        new[place] = Counter(letter for _, letter in notes).most_common(1)[0][0]
    return "".join(new)


# %% tags=["wrong"] id="improved"
# Nothing is changed. Put the most common letter into `new[place]`.
def improved(old, notes):
    new = list(old)
    for place in range(len(old)):
        wanted = [letter for at, letter in notes if at == place]
    return "".join(new)


# %% tags=["wrong"] id="improved"
# That is the letter that the *fewest* want.
def improved(old, notes):
    new = list(old)
    for place in range(len(old)):
        wanted = [letter for at, letter in notes if at == place]
        if wanted:
            new[place] = Counter(wanted).most_common()[-1][0]
    return "".join(new)


# %% tags=["wrong"] id="learn"
# The old notes are never cleared, and vote again: `parameter.grad.clear()`.
def learn(make, parameters, wanted, rounds):
    result = make()
    for _ in range(rounds):
        said = critic(result.data, wanted)
        if not said:
            break
        result.backward(said)
        for parameter in parameters:
            notes = [note for each in parameter.grad for note in understand(each.data)]
            parameter.data = improved(parameter.data, notes)
        result = make()
    return result.data


# %% tags=["wrong"] id="learn"
# Only the first parameter is improved.
def learn(make, parameters, wanted, rounds):
    result = make()
    for _ in range(rounds):
        said = critic(result.data, wanted)
        if not said:
            break
        result.backward(said)
        parameter = parameters[0]
        notes = [note for each in parameter.grad for note in understand(each.data)]
        parameter.data = improved(parameter.data, notes)
        for each in parameters:
            each.grad.clear()
        result = make()
    return result.data


# %% tags=["wrong"] id="learn"
# The text stays as it was: call `result.backward(said)`, store what `improved` returns in `parameter.data`, clear last.
def learn(make, parameters, wanted, rounds):
    result = make()
    for _ in range(rounds):
        said = critic(result.data, wanted)
        if not said:
            break
        for parameter in parameters:
            notes = [note for each in parameter.grad for note in understand(each.data)]
            parameter.data = improved(parameter.data, notes)
            parameter.grad.clear()
        result = make()
    return result.data


# %% tags=["wrong"] id="learn"
# You heed the first note only. Take all notes of all pieces.
def learn(make, parameters, wanted, rounds):
    result = make()
    for _ in range(rounds):
        said = critic(result.data, wanted)
        if not said:
            break
        result.backward(said)
        for parameter in parameters:
            notes = [note for each in parameter.grad for note in understand(each.data)]
            parameter.data = improved(parameter.data, notes[:1])
            parameter.grad.clear()
        result = make()
    return result.data
