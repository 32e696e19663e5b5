# ---
# lesson: 15-autograd-without-numbers
# ---


# %% tags=["exercise"] id="join"
def join_backward(parts, notes):
    sent, start = [], 0
    for part in parts:
        own = []
        for place, letter in notes:
            if start <= place and place < start + len(part):
                own.append((place - start, letter))
        sent.append(own)
        start += len(part)
    return sent


# %% tags=["exercise"] id="join"
def join_backward(parts, notes):
    sent = [[] for _ in parts]
    for place, letter in notes:
        number = 0
        while place >= len(parts[number]):
            place -= len(parts[number])
            number += 1
        sent[number].append((place, letter))
    return sent


# %% tags=["exercise"] id="join"
from itertools import accumulate
def join_backward(parts, notes):
    ends = list(accumulate(len(part) for part in parts))
    return [[(p - end + len(part), letter) for p, letter in notes if end - len(part) <= p < end] for part, end in zip(parts, ends)]


# %% tags=["exercise"] id="mirror"
def mirror_backward(length, notes):
    result = []
    for note in notes:
        result.append((length - note[0] - 1, note[1]))
    return result


# %% tags=["exercise"] id="mirror"
def mirror_backward(length, notes):
    places = list(range(length))[::-1]
    return [(places[place], letter) for place, letter in notes]


# %% tags=["exercise"] id="improved"
def improved(old, notes):
    new = list(old)
    for place, _ in enumerate(old):
        letters = [letter for at, letter in notes if at == place]
        if letters:
            new[place] = max(letters, key=letters.count)
    return "".join(new)


# %% tags=["exercise"] id="improved"
def improved(old, notes):
    votes = {}
    for place, letter in notes:
        votes.setdefault(place, Counter())[letter] += 1
    return "".join(votes[at].most_common(1)[0][0] if at in votes else letter for at, letter in enumerate(old))


# %% tags=["exercise"] id="learn"
def learn(make, parameters, wanted, rounds):
    result = make()
    for _ in range(rounds):
        said = critic(result.data, wanted)
        if not said:
            break
        for parameter in parameters:
            parameter.grad.clear()
        result.backward(said)
        for parameter in parameters:
            notes = []
            for each in parameter.grad:
                notes.extend(understand(each.data))
            parameter.data = improved(parameter.data, notes)
            parameter.grad.clear()
        result = make()
    return result.data
