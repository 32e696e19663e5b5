"""Random programs out of autograd's machinery: hooks, checkpoints, Functions, modes, and many backward passes.

A program works on a pool of tensors. Each action may add one to it, or fail; what it returned, in what order hooks
ran and with what, and each leaf's gradient are compared at every step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .compare import Case
from .draw import Draw

SMOOTH = (
    "sin",
    "tanh",
    "square",
    "sigmoid",
    "clone",
    "relu",
    "cumsum",
    "softmax",
    "sum",
    "t",
    "view",
    "index",
    "expand",
)
BUILTIN = (RuntimeError, ValueError, TypeError, IndexError, AttributeError, AssertionError)


BEYOND = (
    "we are currently running autograd.grad(). This is currently not supported",
    "more than one element of the written-to tensor",
    "Setting requires_grad=True on inference tensor",
    "Inference tensors cannot be saved for backward",
    "is a view and is being modified inplace. This view was created inside a custom Function",
    "is a view and its base or another view of its base has been modified inplace",
)
"""What PyTorch refuses and minigrad can do: there a program ends."""


class World:
    """One program on one library."""

    def __init__(self, lib: Any, values: list[list[list[float]]]) -> None:
        self.lib = lib
        self.log: list[Any] = []
        self.leaves = [lib.tensor(each, dtype=lib.float64, requires_grad=True) for each in values]
        self.pool = [*self.leaves, lib.full((2, 3), 0.5, dtype=lib.float64)]
        self.handles: list[Any] = []
        self.linear = lib.nn.Linear(3, 3).double()
        with lib.no_grad():
            for each in self.linear.parameters():
                each.copy_(((lib.arange(each.numel(), dtype=lib.float64) * 0.7).cos() * 0.5).reshape(each.shape))
        self.functions = functions(lib, self.log)

    def __getitem__(self, place: int) -> Any:
        return self.pool[place % len(self.pool)]

    def two(self, a: int, b: int) -> tuple[Any, Any]:
        """Two of the pool. Leaves come in their order: which hook of two leaves runs first is not promised."""
        x, y = self[a], self[b]
        turn = x.is_leaf and y.is_leaf and a % len(self.pool) > b % len(self.pool)
        return (y, x) if turn else (x, y)

    def say(self, *words: Any) -> None:
        self.log.extend(self.copied(each) for each in words)

    def copied(self, value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            return [self.copied(each) for each in value]
        return value.detach().clone() if isinstance(value, self.lib.Tensor) else value

    def add(self, made: Any) -> None:
        for each in made if isinstance(made, (tuple, list)) else [made]:
            if isinstance(each, self.lib.Tensor):
                self.pool.append(each)
                self.say(each.requires_grad, each.is_leaf, each)

    def run(self, program: list[tuple[str, int, int, int]]) -> list[Any]:
        for name, a, b, c in program:
            self.say(name)
            try:
                self.add(ACTIONS[name](self, a, b, c))
            except BUILTIN as error:
                if self.lib.__name__ == "torch" and any(words in str(error) for words in BEYOND):
                    raise NotImplementedError(f"what minigrad does is not implemented: {error}") from error
                kind = next(kind.__name__ for kind in type(error).__mro__ if kind in BUILTIN)
                self.say("RuntimeError" if kind == "AssertionError" else kind)
        self.say("at the end", [each.grad for each in (*self.leaves, *self.linear.parameters())])
        return self.log


def functions(lib: Any, log: list[Any]) -> list[Callable[[Any, Any], Any]]:
    """Users' Functions of two inputs."""
    function: Any = lib.autograd.Function

    class Product(function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            return x * y.sum()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            log.append(list(ctx.needs_input_grad))
            x, y = ctx.saved_tensors
            return grad * y.sum(), ((grad * x).sum()).expand_as(y) if ctx.needs_input_grad[1] else None

    class Two(function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.set_materialize_grads(False)
            made = x.tanh()
            sign = x.sign()
            ctx.mark_non_differentiable(sign)
            ctx.save_for_backward(made)
            return made, x * 2, sign

        @staticmethod
        def backward(ctx: Any, first: Any, second: Any, third: Any) -> Any:
            log.append([each is None for each in (first, second, third)])
            (made,) = ctx.saved_tensors
            total = None if first is None else first * (1 - made * made)
            if second is not None:
                total = second * 2 if total is None else total + second * 2
            return total, None

    class Dirty(function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            x.mul_(3)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 3, None

    class Once(function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x)
            ctx.power = 3
            return x**3

        @staticmethod
        @lib.autograd.function.once_differentiable
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return grad * ctx.power * x**2, None

    class Separate(function):  # type: ignore[misc]
        @staticmethod
        def forward(x: Any, y: Any) -> Any:
            return x * x + y.mean(), x.detach().max()

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(inputs[0], output[0])
            ctx.mark_non_differentiable(output[1])
            ctx.sizes = inputs[1].shape

        @staticmethod
        def backward(ctx: Any, grad: Any, largest: Any) -> Any:
            x, _ = ctx.saved_tensors
            count = 1
            for size in ctx.sizes:
                count *= size
            return 2 * x * grad, (grad.sum() / count).expand(ctx.sizes) if ctx.needs_input_grad[1] else None

    class Same(function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 5, None

    return [each.apply for each in (Product, Two, Dirty, Once, Separate, Same)]


def smooth(world: World, x: Any, which: int) -> Any:
    name = SMOOTH[which % len(SMOOTH)]
    if name == "cumsum":
        return x.cumsum(-1)
    if name == "softmax":
        return x.softmax(-1)
    if name == "sum":
        return x.sum(0, keepdim=True)
    if name == "t":
        return x.transpose(0, -1)
    if name == "view":
        return x.reshape(-1)
    if name == "index":
        return x[..., :1]
    if name == "expand":
        return x.expand(2, *x.shape)
    return getattr(x, name)()


def pair(world: World, x: Any, y: Any, which: int) -> Any:
    which %= 5
    if which == 0:
        return x * y
    if which == 1:
        return x + y * 2
    if which == 2:
        return world.lib.where(y > 0, x, y)
    if which == 3:
        return x / (y * y + 1)
    return world.lib.cat([x.reshape(-1), y.reshape(-1)])


def in_place(world: World, a: int, b: int, c: int) -> None:
    x, y = world[a], world[b]
    if x.is_inference():
        return  # PyTorch writes, and then says that it may not
    version = x._version
    which = c % 6
    if which == 0:
        x.add_(y.detach().clone())
    elif which == 1:
        x.mul_(0.5)
    elif which == 2:
        x.tanh_()
    elif which == 3:
        x.sub_(y.detach() * 0.5)
    elif which == 4:
        x.zero_()
    else:
        with world.lib.no_grad():
            x.mul_(1.5)
    world.say(x._version - version, x.requires_grad, x)


def hooked(world: World, a: int, b: int, c: int) -> None:
    number, x = len(world.handles), world[a]
    if x.is_leaf and x._is_view():
        return  # PyTorch 2.13 crashes where the base of a view came to require a gradient
    answers: list[Callable[[Any], Any]] = [lambda g: None, lambda g: g * 2, lambda g: g.clone(), lambda g: g.tanh()]

    def hook(grad: Any) -> Any:
        world.say(f"hook {number}", grad)
        return answers[c % 4](grad)

    world.handles.append(x.register_hook(hook))


def hooked_leaf(world: World, a: int, b: int, c: int) -> None:
    number, x = len(world.handles), world[a]

    def hook(leaf: Any) -> None:
        if leaf.grad is None:
            return  # PyTorch calls it, too, where a Function returned None for the leaf
        world.say(f"accumulated {number}", leaf.grad)
        if c % 3 == 0:
            leaf.grad = None
        elif c % 3 == 1:
            leaf.grad.mul_(0.5)

    world.handles.append(x.register_post_accumulate_grad_hook(hook))


def hooked_node(world: World, a: int, b: int, c: int) -> None:
    number, node = len(world.handles), world[a].grad_fn

    def hook(inputs: Any, outputs: Any) -> Any:
        # An op may order its inputs in its own way; PyTorch's cat has gradients for constants, too.
        kept = () if type(node).__name__.startswith("Cat") else inputs
        lengths = sorted(float(each.norm()) for each in kept if each is not None)
        world.say(f"node {number}", lengths, list(outputs))
        return tuple(None if each is None else each * 2 for each in inputs) if c % 3 == 0 else None

    def before(outputs: Any) -> Any:
        world.say(f"before {number}", list(outputs))
        return tuple(None if each is None else each * 3 for each in outputs) if c % 3 == 0 else None

    world.handles.append(node.register_hook(hook) if b % 2 else node.register_prehook(before))


def hooked_several(world: World, a: int, b: int, c: int) -> None:
    number, mode = len(world.handles), ("all", "any")[c % 2]

    def hook(grads: Any) -> None:
        world.say(f"several {number}", None if mode == "any" else list(grads))  # which leaf is first is not promised

    handle = world.lib.autograd.graph.register_multi_grad_hook((world[a], world[b]), hook, mode=mode)
    world.handles.append(handle)


def hooked_module(world: World, a: int, b: int, c: int) -> None:
    number, module = len(world.handles), world.linear
    which = c % 5
    if which == 0:
        handle = module.register_forward_hook(lambda m, args, out: world.say(f"forward {number}", out))
    elif which == 1:
        handle = module.register_forward_hook(lambda m, args, out: out * 2)
    elif which == 2:
        handle = module.register_forward_pre_hook(lambda m, args: (args[0] + 1,))
    elif which == 3:
        handle = module.register_full_backward_hook(lambda m, gi, go: world.say(f"full {number}", list(gi), list(go)))
    else:
        handle = module.register_full_backward_pre_hook(lambda m, go: (go[0] * 2,))
    world.handles.append(handle)


def unhooked(world: World, a: int, b: int, c: int) -> None:
    if world.handles:
        world.handles[a % len(world.handles)].remove()


def backward(world: World, a: int, b: int, c: int) -> None:
    x = world[a]
    given: dict[str, Any] = {}
    if c % 2:
        given["retain_graph"] = True
    if c % 5 == 4:
        given["inputs"] = [world[b]]
    root = x if x.dim() == 0 else (x * x).sum() if c % 3 else x.sum()
    if "inputs" in given:
        root = root + world[b].sum()  # hooks of a root that does not lead to them are called by PyTorch alone
    if c % 7 == 6:
        roots = [x * 2, world[b].sin()]
        world.lib.autograd.backward(roots, [world.lib.ones_like(each) for each in roots])
    else:
        root.backward(**given)
    world.say([each.grad for each in world.leaves], [each.grad for each in world.pool if each.retains_grad])


def slope(world: World, a: int, b: int, c: int) -> Any:
    x, wanted = world[a], [world[b], world[c]]
    given: dict[str, Any] = {"create_graph": bool(c % 2), "allow_unused": b % 3 != 0}
    if c % 5 == 0:
        given["materialize_grads"] = True
        given["allow_unused"] = True
    if b % 4 == 1:
        given["retain_graph"] = bool(a % 2)
    found = world.lib.autograd.grad((x.sin() * x).sum() if a % 2 else x.sum(), wanted, **given)
    world.say([each is None for each in found])
    return [each for each in found if each is not None]


def checkpointed(world: World, a: int, b: int, c: int) -> Any:
    checkpoint = world.lib.utils.checkpoint.checkpoint

    def region(x: Any, y: Any) -> Any:
        world.say("region", world.lib.is_grad_enabled())
        z = smooth(world, x, a + c) * 2
        return z.sum() * y if c % 3 else (z, y.sin())

    return checkpoint(region, *world.two(a, b), use_reentrant=bool(c % 2))


def function(world: World, a: int, b: int, c: int) -> Any:
    """One that has no gradient for its second input is given a constant: PyTorch goes on from there with nothing."""
    which = c % len(world.functions)
    if which == 2 and (world[a].is_inference() or world[b].is_inference()):
        return None  # PyTorch writes, and then says that it may not
    x, y = world.two(a, b)
    x = x.clone() if which == 2 and not x.is_leaf else x  # a gradient that it retains is lost in PyTorch
    return world.functions[which](x, y if which in (0, 4) else y.detach())


def packed(world: World, a: int, b: int, c: int) -> Any:
    lib = world.lib
    with lib.no_grad():
        world[a] * world[b]  # where they do not fit, PyTorch packs one before it says so

    def pack(x: Any) -> Any:
        world.say("pack", list(x.shape))
        return x.detach().clone() if c % 2 else (x.detach().numpy().copy(), 1)

    def unpack(kept: Any) -> Any:
        world.say("unpack")
        return kept if c % 2 else lib.from_numpy(kept[0])

    with lib.autograd.graph.saved_tensors_hooks(pack, unpack):
        x, y = world.two(a, b)
        return (x * y).exp() if c % 3 else x.tanh() * y


def moded(world: World, a: int, b: int, c: int) -> Any:
    lib = world.lib
    mode = (lib.no_grad, lib.enable_grad, lib.inference_mode, lambda: lib.set_grad_enabled(bool(b % 2)))[c % 4]
    with mode():
        made = pair(world, world[a], world[b], a + b)
    if c % 4 == 2:
        world.say(made.is_inference())
    return made


def turned(world: World, a: int, b: int, c: int) -> Any:
    x = world[a]
    which = c % 7
    if which == 0:
        return x.detach()
    if which == 1:
        x.requires_grad_(bool(b % 2))
    elif which == 2:
        x.retain_grad()
    elif which == 3:
        x.grad = None
    elif which == 4:
        x.detach_()
    elif which == 5:
        x.grad = world.lib.full_like(x, 0.25)
    else:
        x.data = x.data * 1.25
    world.say(x.requires_grad, x.is_leaf, x)
    return None


def layered(world: World, a: int, b: int, c: int) -> Any:
    return world.linear(world[a])


def guarded(world: World, a: int, b: int, c: int) -> Any:
    lib = world.lib
    graph = lib.autograd.graph
    scope = (lib.enable_grad, graph.allow_mutation_on_saved_tensors, lambda: graph.disable_saved_tensors_hooks("no"),
             lambda: lib.autograd.set_detect_anomaly(True))[c % 4]  # fmt: skip
    with scope():
        made = pair(world, smooth(world, world[a], b), world[b], 0)
        if c % 3 == 0 and c % 4 != 3:
            made.sum().backward(retain_graph=True)
        return made


def transformed(world: World, a: int, b: int, c: int) -> Any:
    lib, x, y = world.lib, world[a], world[b]

    def f(z: Any) -> Any:
        return (smooth(world, z, c) * y.sum()).sin().sum()

    which = c % 5
    if which == 0:
        return lib.func.grad(f)(x)
    if which == 1:
        return lib.func.vmap(lib.func.grad(f))(x)
    if which == 2:
        return lib.func.jvp(f, (x,), (lib.ones_like(x),))[1] + 0.125  # where all cancels, a rounding decides
    if which == 3:
        return lib.autograd.functional.vjp(f, x, create_graph=bool(b % 2))[1]
    return lib.func.jacrev(lib.func.grad(f))(x).sum()


def looked(world: World, a: int, b: int, c: int) -> None:
    x = world[a]
    world.say(x.output_nr, x.grad_fn is None, x.retains_grad, x.requires_grad, x.is_leaf)
    world.say(world.lib.autograd.graph.get_gradient_edge(x).output_nr)


ACTIONS: dict[str, Callable[[World, int, int, int], Any]] = {
    "smooth": lambda world, a, b, c: smooth(world, world[a], c),
    "pair": lambda world, a, b, c: pair(world, *world.two(a, b), c),
    "in_place": in_place,
    "hooked": hooked,
    "hooked_leaf": hooked_leaf,
    "hooked_node": hooked_node,
    "hooked_several": hooked_several,
    "hooked_module": hooked_module,
    "unhooked": unhooked,
    "backward": backward,
    "slope": slope,
    "checkpointed": checkpointed,
    "function": function,
    "packed": packed,
    "moded": moded,
    "turned": turned,
    "layered": layered,
    "guarded": guarded,
    "transformed": transformed,
    "looked": looked,
}
OFTEN = ("smooth", "smooth", "pair", "pair", "pair", "backward", "backward", "slope", "function", "hooked", *ACTIONS)


def case(draw: Draw) -> Case:
    program = [
        (draw.one(*OFTEN), draw.randint(0, 11), draw.randint(0, 11), draw.randint(0, 11))
        for _ in range(draw.randint(3, 14))
    ]
    values = [[[round(draw.uniform(-1, 1), 3) for _ in range(3)] for _ in range(3)] for _ in range(2)]

    def run(lib: Any) -> Any:
        return World(lib, values).run(program)

    return Case("mechanics " + " ".join(f"{name}({a},{b},{c})" for name, a, b, c in program), [], run, 0)
