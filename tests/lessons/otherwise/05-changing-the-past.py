# ---
# lesson: 05-changing-the-past
# ---


# %% tags=["exercise"] id="note"
class Note:
    def __init__(self, tensor):
        self.tensor = tensor
        self.version = tensor._version

    def get(self):
        if self.tensor._version == self.version:
            return self.tensor
        raise RuntimeError("is at version {}; expected version {}".format(self.tensor._version, self.version))


# %% tags=["exercise"] id="note"
class Note:
    def __init__(self, tensor):
        self._saved, self._then = tensor, tensor._version

    def get(self):
        if self._saved._version > self._then:
            raise RuntimeError("is at version %d; expected version %d" % (self._saved._version, self._then))
        return self._saved


# %% tags=["exercise"] id="gate"
def good_gate(x):
    return (mg.sigmoid(x) * 1.2).clamp(max=1.0)


# %% tags=["exercise"] id="gate"
def good_gate(x):
    y = mg.sigmoid(x)
    bigger = 1.2 * y
    return mg.where(bigger > 1.0, 1.0, bigger)


# %% tags=["exercise"] id="gate"
def good_gate(x):
    y = mg.sigmoid(x).clone()
    y = y.mul(1.2)
    y.clamp_(max=1.0)
    return y


# %% tags=["exercise"] id="step"
def good_step(w, rate):
    with mg.no_grad():
        w.sub_(w.grad * rate)


# %% tags=["exercise"] id="step"
def good_step(w, rate):
    with mg.no_grad():
        w.add_(w.grad, alpha=-rate)
    return w


# %% tags=["exercise"] id="step"
@mg.no_grad()
def good_step(w, rate):
    w.copy_(w - rate * w.grad)


# %% tags=["exercise"] id="step"
def good_step(w, rate):
    w.data -= rate * w.grad


# %% tags=["exercise"] id="states"
def good_states(w, start, steps):
    state = mg.tensor(start, dtype=w.dtype)
    states = [state]
    while len(states) <= steps:
        states.append((states[-1] * w).tanh())
    return mg.stack(states)


# %% tags=["exercise"] id="states"
def good_states(w, start, steps):
    states = [mg.tensor([start], dtype=w.dtype)]
    for step in range(steps):
        states += [mg.tanh(w * states[step])]
    return mg.cat(states)
