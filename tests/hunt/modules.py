"""Random programs with modules: built, changed, shared, frozen, saved, loaded, copied, trained, and looked at."""

from __future__ import annotations

import copy
import importlib
import io
import warnings
from collections.abc import Callable
from typing import Any

from .compare import Case
from .draw import Draw
from .mechanics import BUILTIN
from .training import fill

LAYERS: dict[str, Callable[[Any], Any]] = {
    "Linear": lambda nn: nn.Linear(4, 4), "plain": lambda nn: nn.Linear(4, 4, bias=False), "Tanh": lambda nn: nn.Tanh(),
    "LayerNorm": lambda nn: nn.LayerNorm(4), "BatchNorm1d": lambda nn: nn.BatchNorm1d(4), "ReLU": lambda nn: nn.ReLU(),
    "Sequential": lambda nn: nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.Linear(4, 4)), "PReLU": lambda nn: nn.PReLU(),
    "Dropout": lambda nn: nn.Dropout(0.3), "Identity": lambda nn: nn.Identity(), "Softplus": lambda nn: nn.Softplus(2.0),
    "Bilinear": lambda nn: nn.Bilinear(4, 4, 4), "GroupNorm": lambda nn: nn.GroupNorm(2, 4), "Embedding": lambda nn: nn.Embedding(5, 4),
    "ModuleList": lambda nn: nn.ModuleList([nn.Linear(4, 4), nn.Sigmoid()]), "ModuleDict": lambda nn: nn.ModuleDict({"a": nn.Linear(4, 4)}),
    "Conv1d": lambda nn: nn.Conv1d(4, 4, 1), "GRU": lambda nn: nn.GRU(4, 4, batch_first=True), "RMSNorm": lambda nn: nn.RMSNorm(4),
    "MultiheadAttention": lambda nn: nn.MultiheadAttention(4, 2, batch_first=True), "ParameterList": lambda nn: nn.ParameterList(),
}  # fmt: skip


class Shop:
    """Some modules of one library, what is done with them, and all that can be seen of it."""

    def __init__(self, lib: Any) -> None:
        self.lib = lib
        self.nn = lib.nn
        self.log: list[Any] = []
        self.net = lib.nn.Sequential(lib.nn.Linear(4, 4), lib.nn.Tanh()).double()
        self.other = lib.nn.ModuleDict({"first": lib.nn.Linear(4, 4)}).double()
        self.optimizer: Any = None
        self.saved: Any = None
        self.x = (lib.arange(12, dtype=lib.float64) * 0.7).sin().reshape(3, 4)
        fill(lib, self.net)
        fill(lib, self.other)

    def say(self, *words: Any) -> None:
        for each in words:
            self.log.append(each.detach().clone() if isinstance(each, self.lib.Tensor) else each)

    def part(self, place: int) -> Any:
        """One of all modules."""
        found = [*self.net.modules(), *self.other.modules()]
        return found[place % len(found)]

    def run(self, program: list[tuple[str, str, int, int]]) -> list[Any]:
        for name, layer, a, b in program:
            self.say(name)
            try:
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    self.lib.manual_seed(a)
                    ACTIONS[name](self, layer, a, b)
                self.say(sorted({each.category.__name__ for each in told}))
            except BUILTIN as error:
                kind = next(kind.__name__ for kind in type(error).__mro__ if kind in BUILTIN)
                self.say("TypeError" if kind == "AttributeError" else kind)  # of a tuple in the place of a tensor
            except KeyError:
                self.say("KeyError")
        looked(self, "", 0, 0)
        return self.log


def made(shop: Shop, layer: str) -> Any:
    found = LAYERS[layer](shop.nn).double()
    fill(shop.lib, found)
    return found


def looked(shop: Shop, layer: str, a: int, b: int) -> None:
    for net in (shop.net, shop.other):
        shop.say([name for name, _ in net.named_modules()], [name for name, _ in net.named_parameters()])
        shop.say([name for name, _ in net.named_buffers()], list(net.state_dict()), len(list(net.children())))
        shop.say([each.requires_grad for each in net.parameters()], [each.training for each in net.modules()])
        shop.say(*net.state_dict().values())
        try:
            shop.say(repr(net))
        except AttributeError:
            shop.say("it lacks what it shows")


def listed(shop: Shop, layer: str, a: int, b: int) -> None:
    again = bool(a % 2)
    shop.say([name for name, _ in shop.net.named_parameters(remove_duplicate=again, recurse=bool(b % 3))])
    shop.say([name for name, _ in shop.net.named_modules(remove_duplicate=again)])
    shop.say([name for name, _ in shop.net.named_children()], shop.net.extra_repr(), shop.part(a)._get_name())


def added(shop: Shop, layer: str, a: int, b: int) -> None:
    which = a % 6
    if which == 0:
        shop.net.append(made(shop, layer))
    elif which == 1 and all(name.isdigit() for name, _ in shop.net.named_children()):
        shop.net.insert(b % 3, made(shop, layer))
    elif which == 2:
        shop.net.add_module(f"more{b % 3}", made(shop, layer))
    elif which == 3:
        shop.other[f"key{b % 3}"] = made(shop, layer)
    elif which == 4 and not isinstance(shop.part(b), shop.nn.ModuleList):
        shop.part(b).extra = made(shop, layer)
    elif len(shop.net):
        shop.net[b % len(shop.net)] = made(shop, layer)


def removed(shop: Shop, layer: str, a: int, b: int) -> None:
    which = a % 4
    if which == 0:
        del shop.net[b % max(len(shop.net), 1)]
    elif which == 1:
        shop.say(type(shop.net.pop(b % max(len(shop.net), 1))).__name__)
    elif which == 2:
        del shop.part(b).bias
    else:
        shop.part(b).weight = None


def shared(shop: Shop, layer: str, a: int, b: int) -> None:
    one, two = shop.part(a), shop.part(b)
    two.weight = one.weight
    shop.say(len(list(shop.net.parameters())), len(list(shop.other.parameters())))


def registered(shop: Shop, layer: str, a: int, b: int) -> None:
    which, part = a % 5, shop.part(b)
    if which == 0:
        part.register_buffer(f"buffer{b % 2}", shop.lib.arange(3.0), persistent=bool(b % 3))
    elif which == 1:
        part.register_parameter(f"extra{b % 2}", shop.nn.Parameter(shop.lib.ones(2)))
    elif which == 2:
        part.register_parameter("nothing", None)
    elif which == 3:
        part.constant = shop.lib.ones(2)
    else:
        part.weight = shop.lib.ones(2)  # no Parameter


def frozen(shop: Shop, layer: str, a: int, b: int) -> None:
    which = a % 5
    if which == 0:
        shop.part(b).requires_grad_(bool(b % 2))
    elif which == 1:
        shop.part(b).train(bool(b % 2))
    elif which == 2:
        shop.net.eval()
    elif which == 3:
        shop.net.zero_grad(set_to_none=bool(b % 2))
    else:
        shop.net.apply(lambda each: shop.say(type(each).__name__))


def called(shop: Shop, layer: str, a: int, b: int) -> None:
    x = shop.x.clone().requires_grad_(bool(a % 2))
    out = shop.net(x)
    shop.say(out)
    (out * out).sum().backward()
    shop.say([each.grad is None for each in shop.net.parameters()], x.grad is None)
    shop.say(*[each.grad for each in shop.net.parameters() if each.grad is not None])


def kept(shop: Shop, layer: str, a: int, b: int) -> None:
    shop.saved = shop.net.state_dict() if a % 2 else copy.deepcopy(shop.net.state_dict())
    shop.say(list(shop.saved), [each.requires_grad for each in shop.saved.values()])


def loaded(shop: Shop, layer: str, a: int, b: int) -> None:
    state = dict(shop.saved if shop.saved is not None else shop.other.state_dict())
    if b % 4 == 1 and state:
        state.pop(sorted(state)[0])
    if b % 4 == 2:
        state["unknown.weight"] = shop.lib.ones(2)
    if b % 4 == 3 and state:
        state[sorted(state)[-1]] = shop.lib.ones(7)
    net = copy.deepcopy(shop.net)  # where it fails, PyTorch has loaded a part
    result = net.load_state_dict(state, strict=bool(a % 2), assign=a % 3 == 0)
    shop.net = net
    shop.say(sorted(result.missing_keys), sorted(result.unexpected_keys))


def written(shop: Shop, layer: str, a: int, b: int) -> None:
    file = io.BytesIO()
    shop.lib.save(shop.net.state_dict(), file)
    file.seek(0)
    state = shop.lib.load(file)
    shop.say(list(state), *state.values())


def copied(shop: Shop, layer: str, a: int, b: int) -> None:
    twin = copy.deepcopy(shop.net)
    shop.say(len(list(twin.parameters())), [each.grad is None for each in twin.parameters()])
    with shop.lib.no_grad():
        for each in twin.parameters():
            each.add_(0.25)
    shop.say(*list(shop.net.parameters())[:2])
    if a % 2:
        shop.net = twin


def stepped(shop: Shop, layer: str, a: int, b: int) -> None:
    optim = shop.lib.optim
    if shop.optimizer is None or b % 4 == 0:
        makers = (lambda p: optim.SGD(p, lr=0.1, momentum=0.5), lambda p: optim.Adam(p, lr=0.01),
                  lambda p: optim.AdamW(p, lr=0.01, weight_decay=0.1), lambda p: optim.RMSprop(p, lr=0.01))  # fmt: skip
        shop.optimizer = makers[a % 4](shop.net.parameters())
    if a % 3 == 0:
        shop.say(shop.nn.utils.clip_grad_norm_(shop.net.parameters(), 0.5))
    elif a % 3 == 1 and any(each.grad is not None for each in shop.net.parameters()):
        shop.nn.utils.clip_grad_value_(shop.net.parameters(), 0.1)
    shop.optimizer.step()
    shop.say(*shop.net.parameters(), len(shop.optimizer.state), len(shop.optimizer.state_dict()["state"]))


def grouped(shop: Shop, layer: str, a: int, b: int) -> None:
    if shop.optimizer is not None:
        shop.optimizer.add_param_group({"params": list(shop.part(b).parameters()), "lr": 0.5})
        shop.say(len(shop.optimizer.param_groups), [len(each["params"]) for each in shop.optimizer.param_groups])


def normed(shop: Shop, layer: str, a: int, b: int) -> None:
    utils, part = shop.nn.utils, shop.part(b)
    which = a % 5
    if not isinstance(getattr(part, "weight", shop.nn.Parameter()), shop.nn.Parameter):
        return
    if which == 0:
        utils.parametrizations.weight_norm(part)
    elif which == 1:
        utils.weight_norm(part)
    elif which == 2:
        utils.parametrize.remove_parametrizations(part, "weight", leave_parametrized=bool(b % 2))
    elif which == 3:
        utils.remove_weight_norm(part)
    else:
        importlib.import_module(f"{utils.__name__}.prune").l1_unstructured(part, "weight", amount=0.4)
    shop.say([name for name, _ in part.named_parameters()], [name for name, _ in part.named_buffers()], part.weight)


def functional(shop: Shop, layer: str, a: int, b: int) -> None:
    lib = shop.lib
    state = {name: each.detach() * 1.5 for name, each in shop.net.named_parameters()}
    if b % 3 == 0 and state:
        state.pop(next(iter(state)))
    shop.say(lib.func.functional_call(shop.net, state, (shop.x,)))
    if a % 2:
        loss = lambda p: lib.func.functional_call(shop.net, p, (shop.x,)).pow(2).sum()
        shop.say(*lib.func.grad(loss)(state).values())


def flat(shop: Shop, layer: str, a: int, b: int) -> None:
    vector = shop.nn.utils.parameters_to_vector(shop.net.parameters())
    shop.say(vector)
    shop.nn.utils.vector_to_parameters(vector * 0.5, shop.net.parameters())


def moved(shop: Shop, layer: str, a: int, b: int) -> None:
    which, part = a % 4, shop.part(b)
    if which == 0:
        part.float().double()
    elif which == 1:
        part.to(shop.lib.float32)
        part.to(shop.lib.float64)
    elif which == 2:
        shop.say(part.get_parameter("weight"))
    else:
        shop.say(type(shop.net.get_submodule(str(b % 4))).__name__)


def averaged(shop: Shop, layer: str, a: int, b: int) -> None:
    if not list(shop.net.parameters()):
        return
    mean = shop.lib.optim.swa_utils.AveragedModel(shop.net)
    mean.update_parameters(shop.net)
    mean.update_parameters(shop.net)
    shop.say(list(mean.state_dict()), *mean.state_dict().values())


ACTIONS: dict[str, Callable[[Shop, str, int, int], None]] = {
    "added": added, "removed": removed, "shared": shared, "registered": registered, "frozen": frozen, "called": called,
    "kept": kept, "loaded": loaded, "written": written, "copied": copied, "stepped": stepped, "grouped": grouped,
    "normed": normed, "functional": functional, "flat": flat, "moved": moved, "averaged": averaged, "looked": looked,
    "listed": listed,
}  # fmt: skip
OFTEN = ("added", "added", "added", "called", "called", "stepped", *ACTIONS)


def case(draw: Draw) -> Case:
    program = [
        (draw.one(*OFTEN), draw.one(*LAYERS), draw.randint(0, 11), draw.randint(0, 11))
        for _ in range(draw.randint(2, 10))
    ]

    def run(lib: Any) -> Any:
        return Shop(lib).run(program)

    return Case("modules " + " ".join(f"{name}({layer},{a},{b})" for name, layer, a, b in program), [], run, 0)
