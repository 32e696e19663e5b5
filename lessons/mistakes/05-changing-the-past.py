# ---
# lesson: 05-changing-the-past
# ---


# %% tags=["wrong"] id="note"
# The tensor was written to, and nothing was raised. Where its version is not the one you noted, raise a RuntimeError.
class Note:
    def __init__(self, tensor):
        self.tensor = tensor
        self.version = tensor._version

    def get(self):
        return self.tensor


# %% tags=["wrong"] id="note"
# The two versions are exchanged: first what it is at now, then what was expected.
class Note:
    def __init__(self, tensor):
        self.tensor = tensor
        self.version = tensor._version

    def get(self):
        now = self.tensor._version
        if now != self.version:
            raise RuntimeError(f"is at version {self.version}; expected version {now}")
        return self.tensor


# %% tags=["wrong"] id="note"
# You raise the error when nothing was changed. It is the other way round: `!=`.
class Note:
    def __init__(self, tensor):
        self.tensor = tensor
        self.version = tensor._version

    def get(self):
        now = self.tensor._version
        if now == self.version:
            raise RuntimeError(f"is at version {now}; expected version {self.version}")
        return self.tensor


# %% tags=["wrong"] id="note"
# A tensor need not be at version 0 when it is saved. Compare with `self.version`.
class Note:
    def __init__(self, tensor):
        self.tensor = tensor
        self.version = tensor._version

    def get(self):
        now = self.tensor._version
        if now != 0:
            raise RuntimeError(f"is at version {now}; expected version 0")
        return self.tensor


# %% tags=["wrong"] id="note"
# You return the error. Raise it: `raise RuntimeError(...)`, without `return`.
class Note:
    def __init__(self, tensor):
        self.tensor = tensor
        self.version = tensor._version

    def get(self):
        now = self.tensor._version
        if now != self.version:
            return RuntimeError(f"is at version {now}; expected version {self.version}")
        return self.tensor


# %% tags=["wrong"] id="note"
# You return a copy. A node hands back the tensor itself.
class Note:
    def __init__(self, tensor):
        self.tensor = tensor
        self.version = tensor._version

    def get(self):
        now = self.tensor._version
        if now != self.version:
            raise RuntimeError(f"is at version {now}; expected version {self.version}")
        return self.tensor.clone()


# %% tags=["wrong"] id="note"
# The sentence has the versions of an example. Put in those of this tensor.
class Note:
    def __init__(self, tensor):
        self.tensor = tensor
        self.version = tensor._version

    def get(self):
        if self.tensor._version != self.version:
            raise RuntimeError("is at version 1; expected version 0")
        return self.tensor


# %% tags=["wrong"] id="gate"
# `y *= 1.2` still writes over what the sigmoid has saved. Compute a new tensor: `y = y * 1.2`.
def good_gate(x):
    y = mg.sigmoid(x)
    y *= 1.2
    return y.clamp(max=1.0)


# %% tags=["wrong"] id="gate"
# `.detach()` ends the error, and the gradient with it: nothing gets back to `x`.
def good_gate(x):
    y = mg.sigmoid(x).detach()
    y *= 1.2
    return y.clamp(max=1.0)


# %% tags=["wrong"] id="gate"
# What comes out is above 1. First make it larger, then cut off: the limit comes last.
def good_gate(x):
    y = mg.sigmoid(x)
    return y.clamp(max=1.0) * 1.2


# %% tags=["wrong"] id="gate"
# The factor is missing: `y * 1.2`.
def good_gate(x):
    y = mg.sigmoid(x)
    return y.clamp(max=1.0)


# %% tags=["wrong"] id="gate"
# That is an upper limit for the gate: `max=1.0`, not `min=1.0`.
def good_gate(x):
    y = mg.sigmoid(x) * 1.2
    return y.clamp(min=1.0)


# %% tags=["wrong"] id="step"
# That makes another tensor, and `w` outside stays where it was. Change it in place: `w -= ...`.
def good_step(w, rate):
    with mg.no_grad():
        w = w - rate * w.grad


# %% tags=["wrong"] id="step"
# A leaf that requires a gradient may be changed only where nothing is written down: `with mg.no_grad():`.
def good_step(w, rate):
    w -= rate * w.grad


# %% tags=["wrong"] id="step"
# You go up the slope. Against it: `-=`.
def good_step(w, rate):
    with mg.no_grad():
        w += rate * w.grad


# %% tags=["wrong"] id="step"
# The rate is missing: `rate * w.grad`.
def good_step(w, rate):
    with mg.no_grad():
        w -= w.grad


# %% tags=["wrong"] id="step"
# `w` does not ask for a gradient any more after that. Leave it as it is, and use `mg.no_grad()`.
def good_step(w, rate):
    slope = w.grad
    w.requires_grad_(False)
    w -= rate * slope
    w.grad = None


# %% tags=["wrong"] id="states"
# The first state is missing in the list.
def good_states(w, start, steps):
    state = mg.tensor(start, dtype=w.dtype)
    states = []
    for _ in range(steps):
        state = mg.tanh(state * w)
        states.append(state)
    return mg.stack(states)


# %% tags=["wrong"] id="states"
# The table is written to again: `states` must be a Python list, stacked at the end.
def good_states(w, start, steps):
    table = mg.zeros(steps + 1, dtype=w.dtype)
    table[0] = start
    for t in range(steps):
        table[t + 1] = mg.tanh(table[t] * w)
    return table


# %% tags=["wrong"] id="states"
# The states lose their graph on the way into the list, so no gradient comes back to `w`.
def good_states(w, start, steps):
    states = [start]
    for _ in range(steps):
        states.append(math.tanh(states[-1] * w.item()))
    return mg.tensor(states, dtype=w.dtype)


# %% tags=["wrong"] id="states"
# There is one state too many: the first, and then `steps` more.
def good_states(w, start, steps):
    state = mg.tensor(start, dtype=w.dtype)
    states = [state]
    for _ in range(steps + 1):
        state = mg.tanh(state * w)
        states.append(state)
    return mg.stack(states)


# %% tags=["wrong"] id="states"
# That is a list. Make one tensor of it with `mg.stack`.
def good_states(w, start, steps):
    state = mg.tensor(start, dtype=w.dtype)
    states = [state]
    for _ in range(steps):
        state = mg.tanh(state * w)
        states.append(state)
    return states


# %% tags=["wrong"] id="states"
# Each state is computed from the one before. You compute all of them from the first.
def good_states(w, start, steps):
    state = mg.tensor(start, dtype=w.dtype)
    return mg.stack([state] + [mg.tanh(state * w) for _ in range(steps)])


# %% tags=["wrong"] id="note"
# You compare the numbers. They may be the same, and yet have been written anew: compare the versions.
class Note:
    def __init__(self, tensor):
        self.tensor = tensor
        self.version = tensor._version
        self.copy = tensor.clone()

    def get(self):
        if not (self.copy == self.tensor).all():
            raise RuntimeError(f"is at version {self.tensor._version}; expected version {self.version}")
        return self.tensor


# %% tags=["wrong"] id="note"
# You return the text. Raise a RuntimeError that says it.
class Note:
    def __init__(self, tensor):
        self.tensor = tensor
        self.version = tensor._version

    def get(self):
        if self.tensor._version != self.version:
            return f"is at version {self.tensor._version}; expected version {self.version}"
        return self.tensor


# %% tags=["wrong"] id="gate"
# `.data` hides the change from the check, so backward uses the changed numbers. Make new tensors instead.
def good_gate(x):
    y = mg.sigmoid(x)
    y.data *= 1.2
    y.data.clamp_(max=1.0)
    return y


# %% tags=["wrong"] id="states"
# The `tanh` is missing.
def good_states(w, start, steps):
    state = mg.tensor(start, dtype=w.dtype)
    states = [state]
    for _ in range(steps):
        state = state * w
        states.append(state)
    return mg.stack(states)
