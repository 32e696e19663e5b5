"""Twenty PyTorch programs. Each uses a feature that watching may disturb, and returns its results."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed, which these tests watch")

nn, F = torch.nn, torch.nn.functional

Outcome = list[Any]


def trained(net: Any, loss_of: Callable[[], Any], optimizer: Any, steps: int = 3) -> Outcome:
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return [net, losses]


def mlp() -> Outcome:
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    x, y = torch.randn(10, 8), torch.randint(0, 4, (10,))
    return trained(net, lambda: F.cross_entropy(net(x), y), torch.optim.SGD(net.parameters(), 0.1, momentum=0.9))


def dropout_and_adamw() -> Outcome:
    net = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.5), nn.GELU(), nn.Linear(16, 4))
    x, y = torch.randn(10, 8), torch.randint(0, 4, (10,))
    return [
        *trained(net, lambda: F.cross_entropy(net(x), y), torch.optim.AdamW(net.parameters(), 0.01)),
        torch.get_rng_state(),
    ]


def convolution_and_batch_norm() -> Outcome:
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3)
    )
    x, y = torch.randn(6, 1, 8, 8), torch.randint(0, 3, (6,))
    outcome = trained(net, lambda: F.cross_entropy(net(x), y), torch.optim.Adam(net.parameters(), 0.01))
    net.eval()
    return [*outcome, net(x)]


class Squared(torch.autograd.Function):  # type: ignore[misc, name-defined, unused-ignore]
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * x * grad


class DoubledInPlace(torch.autograd.Function):  # type: ignore[misc, name-defined, unused-ignore]
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return 2 * grad


def functions_of_the_users() -> Outcome:
    w = torch.randn(5, requires_grad=True)
    losses = []
    for _ in range(3):
        loss = (Squared.apply(w) * DoubledInPlace.apply(w * 1)).sum()
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            w -= 0.01 * w.grad
        w.grad = None
    return [w, losses]


def checkpoints() -> Outcome:
    from torch.utils.checkpoint import checkpoint

    net, head = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.3), nn.Tanh(), nn.Linear(16, 8)), nn.Linear(8, 1)
    both = nn.ModuleList([net, head])
    x, leaf = torch.randn(4, 8), torch.randn(4, 8, requires_grad=True)
    new = trained(
        both,
        lambda: head(checkpoint(net, x, use_reentrant=False)).pow(2).mean(),
        torch.optim.SGD(both.parameters(), 0.1),
    )
    old = trained(
        both,
        lambda: head(checkpoint(net, leaf, use_reentrant=True)).pow(2).mean(),
        torch.optim.SGD(both.parameters(), 0.1),
    )
    return [*new, *old, leaf.grad]


def halved(parameter: Any) -> None:
    parameter.grad.mul_(0.5)


def hooks() -> Outcome:
    seen: list[float] = []
    net = nn.Linear(4, 4)
    net.register_forward_hook(lambda module, given, out: out * 2)
    net.register_full_backward_hook(lambda module, inner, outer: seen.append(float(outer[0].sum())))
    net.weight.register_hook(lambda grad: grad * 3)
    net.bias.register_post_accumulate_grad_hook(halved)
    x = torch.randn(3, 4, requires_grad=True)

    def loss() -> Any:
        hidden = net(x)
        hidden.register_hook(lambda grad: grad.clamp(-1, 1))
        hidden.retain_grad()
        return hidden.pow(3).sum()

    return [*trained(net, loss, torch.optim.SGD(net.parameters(), 0.01)), seen]


def without_gradients() -> Outcome:
    net, target = nn.Linear(4, 4), nn.Linear(4, 4).requires_grad_(False)
    x = torch.randn(3, 4)

    def loss() -> Any:
        with torch.no_grad():
            wanted = target(x)
        with torch.inference_mode():
            net(x).sum()
        return F.mse_loss(net(x), wanted)

    outcome = trained(net, loss, torch.optim.SGD(net.parameters(), 0.1))
    with torch.no_grad():
        for mine, theirs in zip(target.parameters(), net.parameters(), strict=True):
            mine.lerp_(theirs, 0.1)
    return [*outcome, target]


def in_place() -> Outcome:
    x = torch.randn(4, 5, requires_grad=True)
    losses = []
    for _ in range(3):
        y = x * 2
        y[0] = 1.0
        y[:, 1].mul_(3)
        y += x
        y.view(-1)[3:6].add_(1)
        rows = torch.zeros(4, 5)
        rows[1:3] = y[:2]
        rows.index_add_(0, torch.tensor([0]), y[2:3])
        loss = (y * rows).sum()
        loss.backward()
        losses.append(loss.item())
    return [x.grad, losses]


def second_and_third_derivatives() -> Outcome:
    net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
    x = torch.randn(5, 3, requires_grad=True)

    def penalty() -> Any:
        out = net(x).sum()
        (grad,) = torch.autograd.grad(out, x, create_graph=True)
        return ((grad.norm(dim=1) - 1) ** 2).mean() + out * 0

    outcome = trained(net, penalty, torch.optim.Adam(net.parameters(), 0.01))
    z = torch.tensor(1.5, requires_grad=True)
    (first,) = torch.autograd.grad(z**4, z, create_graph=True)
    (second,) = torch.autograd.grad(first, z, create_graph=True)
    second.backward()
    return [*outcome, z.grad]


def transforms() -> Outcome:
    net = nn.Linear(3, 1)
    parameters = dict(net.named_parameters())
    x, y = torch.randn(6, 3), torch.randn(6, 1)

    def loss(values: Any, a: Any, b: Any) -> Any:
        return F.mse_loss(torch.func.functional_call(net, values, (a[None],)), b[None])

    each = torch.func.vmap(torch.func.grad(loss), (None, 0, 0))(parameters, x, y)
    jacobian = torch.func.jacrev(lambda a: torch.tanh(a @ a.T))(x)
    hessian = torch.func.hessian(lambda a: (a**3).sum())(x[0])
    return [*each.values(), jacobian, hessian, torch.func.jvp(torch.sin, (x,), (torch.ones_like(x),))[1]]


def mixed_precision() -> Outcome:
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    x, y = torch.randn(10, 8), torch.randint(0, 4, (10,))
    optimizer, scaler = torch.optim.SGD(net.parameters(), 0.1), torch.amp.GradScaler("cpu")
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(net(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return [net, losses]


def recurrent() -> Outcome:
    net, head = nn.LSTM(4, 8, 2, batch_first=True, dropout=0.2), nn.Linear(8, 2)
    both = nn.ModuleList([net, head])
    x = torch.randn(3, 7, 4)
    return trained(both, lambda: head(net(x)[0][:, -1]).pow(2).sum(), torch.optim.RMSprop(both.parameters(), 0.01))


def transformer() -> Outcome:
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    net = nn.TransformerEncoder(layer, 2)
    x = torch.randn(3, 5, 16)
    outcome = trained(net, lambda: net(x).pow(2).mean(), torch.optim.AdamW(net.parameters(), 0.01))
    net.eval()
    with torch.no_grad():
        return [*outcome, net(x), net.layers[0].self_attn(x, x, x)[0], torch.get_rng_state()]


def accumulation() -> Outcome:
    net = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    losses = []
    for step in range(8):
        loss = net(torch.randn(3, 4)).pow(2).mean() / 4
        loss.backward()
        losses.append(loss.item())
        if step % 4 == 3:
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)
    return [net, losses]


def closures() -> Outcome:
    w = torch.randn(4, requires_grad=True)
    optimizer = torch.optim.LBFGS([w], max_iter=5)

    def loss() -> Any:
        optimizer.zero_grad()
        found = ((w - 1) ** 4).sum()
        found.backward()
        return found

    return [w, [optimizer.step(loss).item() for _ in range(3)]]


def not_a_number_and_errors() -> Outcome:
    w = torch.tensor([1.0, -1.0], requires_grad=True)
    loss = w.log().sum()
    loss.backward()
    x = torch.ones(3, requires_grad=True)
    stale = x.exp()
    stale.mul_(2)
    wrong = (lambda: stale.sum().backward(), lambda: torch.ones(3) @ torch.ones(4), lambda: w.sum().item(3))
    return [w.grad, loss, [error_of(each) for each in wrong]]


def error_of(action: Callable[[], Any]) -> str:
    try:
        action()
    except (RuntimeError, TypeError) as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return "none"


def two_nets_against_each_other() -> Outcome:
    maker = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    judge = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
    makes, judges = torch.optim.Adam(maker.parameters(), 0.01), torch.optim.Adam(judge.parameters(), 0.01)
    yes, no = torch.ones(6, 1), torch.zeros(6, 1)
    unlike = F.binary_cross_entropy_with_logits
    losses = []
    for _ in range(3):
        real, made = torch.randn(6, 2) + 2, maker(torch.randn(6, 4))
        judged = unlike(judge(real), yes) + unlike(judge(made.detach()), no)
        judges.zero_grad()
        judged.backward()
        judges.step()
        fooled = unlike(judge(made), yes)
        makes.zero_grad()
        fooled.backward()
        makes.step()
        losses += [judged.item(), fooled.item()]
    return [maker, judge, losses]


def batches_and_schedules() -> Outcome:
    from torch.utils.data import DataLoader, TensorDataset

    batches = DataLoader(TensorDataset(torch.randn(20, 4), torch.randn(20, 1)), batch_size=5, shuffle=True)
    net = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(net.parameters(), 0.1, nesterov=True, momentum=0.9)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    losses = []
    for _ in range(2):
        for x, y in batches:
            optimizer.zero_grad()
            loss = F.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        schedule.step()
    return [net, losses]


def policy_gradient() -> Outcome:
    net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
    optimizer = torch.optim.Adam(net.parameters(), 0.02)
    rewards = []
    for _ in range(3):
        chances = torch.distributions.Categorical(logits=net(torch.randn(12, 3)))
        chosen = chances.sample()
        reward = (chosen == 1).float()
        loss = -(chances.log_prob(chosen) * (reward - reward.mean())).mean() - 0.01 * chances.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rewards.append(reward.sum().item())
    return [net, rewards]


def threads_and_copies() -> Outcome:
    import threading

    net = nn.Linear(3, 3)
    twins = [copy.deepcopy(net) for _ in range(2)]
    inputs = [torch.randn(4, 3) for _ in twins]

    def train(twin: Any, x: Any) -> None:
        trained(twin, lambda: twin(x).pow(2).sum(), torch.optim.SGD(twin.parameters(), 0.05))

    threads = [threading.Thread(target=train, args=each) for each in zip(twins, inputs, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return twins


PROGRAMS: list[Callable[[], Outcome]] = [
    mlp, dropout_and_adamw, convolution_and_batch_norm, functions_of_the_users, checkpoints, hooks, without_gradients,
    in_place, second_and_third_derivatives, transforms, mixed_precision, recurrent, transformer, accumulation, closures,
    not_a_number_and_errors, two_nets_against_each_other, batches_and_schedules, policy_gradient, threads_and_copies,
]  # fmt: skip


def bits(outcome: Iterable[Any]) -> list[Any]:
    """The results of a program bit by bit, including gradients, buffers, and their memory layout."""
    found: list[Any] = []
    for each in outcome:
        if isinstance(each, torch.Tensor):
            data = each.detach().contiguous().reshape(-1).view(torch.uint8).tolist() if each.numel() else []
            found.append((tuple(each.shape), each.stride(), str(each.dtype), data))
        elif isinstance(each, nn.Module):
            found += bits([*each.state_dict().values(), *(p.grad for p in each.parameters())])
        else:
            found.append(repr(each))
    return found
