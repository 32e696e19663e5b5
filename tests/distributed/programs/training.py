"""Check that gradients of ranks that share a batch equal those of one process with the batch, on both libraries."""

from __future__ import annotations

import importlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from checking import ON_MINIGRAD, dist, main, refused, same, torch

nn, F, optim = torch.nn, torch.nn.functional, torch.optim
DDP = importlib.import_module(f"{torch.__name__}.nn.parallel").DistributedDataParallel
BATCH = 16


def world():
    return dist.get_rank(), dist.get_world_size()


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory = nn.LSTM(6, 8, num_layers=2, batch_first=True)
        self.scores = nn.Linear(8, 5)

    def forward(self, x):
        return self.scores(self.memory(x)[0][:, -1])


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.letter, self.place = nn.Embedding(11, 16), nn.Embedding(7, 16)
        self.norm = nn.LayerNorm(16)
        self.looking = nn.MultiheadAttention(16, 4, batch_first=True)
        self.thinking = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))
        self.scores = nn.Linear(16, 5)

    def forward(self, codes):
        x = self.letter(codes) + self.place(torch.arange(7))
        hidden = torch.ones(7, 7, dtype=torch.bool).triu(1)
        ready = self.norm(x)
        x = x + self.looking(ready, ready, ready, attn_mask=hidden, need_weights=False)[0]
        return self.scores((x + self.thinking(x)).mean(1))


def mlp():
    return nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 16), nn.Tanh(), nn.Linear(16, 5))


def cnn(norm=nn.BatchNorm2d):
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), norm(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 5)
    )


def data(kind, seed=1):
    torch.manual_seed(seed)
    labels = torch.randint(0, 5, (BATCH,))
    if kind == "mlp":
        return torch.randn(BATCH, 6), labels
    if kind == "cnn":
        return torch.randn(BATCH, 1, 8, 8), labels
    if kind == "lstm":
        return torch.randn(BATCH, 4, 6), labels
    return torch.randint(0, 11, (BATCH, 7)), labels


MODELS = {"mlp": mlp, "cnn": cnn, "lstm": Lstm, "gpt": Gpt}


def made(kind, seed=0):
    torch.manual_seed(seed)
    return MODELS[kind]()


def gradients(net):
    return {name: p.grad for name, p in net.named_parameters()}


def alone(kind, norm_of_parts=False):
    """The result of one process with the whole batch. If wanted, batch norms use each rank's part."""
    net = made(kind)
    x, labels = data(kind)
    size = dist.get_world_size()
    parts = size if norm_of_parts else 1
    for part in range(parts):
        (F.cross_entropy(net(x[part::parts]), labels[part::parts]) / parts).backward()
    return net


def shared(kind, **settings):
    rank, size = world()
    net = DDP(made(kind, seed=rank), **settings)  # only rank 0 has the weights that are used
    x, labels = data(kind)
    F.cross_entropy(net(x[rank::size]), labels[rank::size]).backward()
    return net


def equal(net, wanted, within=1e-6):
    found, wanted = gradients(net), gradients(wanted)
    assert found.keys() == wanted.keys()
    for name in wanted:
        same(found[name], wanted[name], within)


def bits_are_equal_on_all_ranks(tensors):
    for each in tensors:
        every = [torch.zeros_like(each) for _ in range(dist.get_world_size())]
        dist.all_gather(every, each.detach())
        for other in every:
            assert torch.equal(other, each), (other, each)


def check_the_gradients_of_an_mlp():
    net = shared("mlp")
    equal(net.module, alone("mlp"))
    bits_are_equal_on_all_ranks([p.grad for p in net.parameters()])


def check_the_gradients_of_an_lstm():
    net = shared("lstm")
    equal(net.module, alone("lstm"))
    bits_are_equal_on_all_ranks([p.grad for p in net.parameters()])


def check_the_gradients_of_a_gpt():
    net = shared("gpt")
    equal(net.module, alone("gpt"))
    bits_are_equal_on_all_ranks([p.grad for p in net.parameters()])


def check_the_gradients_of_a_cnn_whose_norms_see_their_part_of_the_batch():
    net = shared("cnn")
    equal(net.module, alone("cnn", norm_of_parts=True), 2e-6)
    bits_are_equal_on_all_ranks([p.grad for p in net.parameters()])


def check_the_gradients_of_a_cnn_whose_norms_see_the_whole_batch():
    if not ON_MINIGRAD:
        return  # PyTorch's needs a GPU
    rank, size = world()
    net = DDP(nn.SyncBatchNorm.convert_sync_batchnorm(made("cnn")))
    x, labels = data("cnn")
    F.cross_entropy(net(x[rank::size]), labels[rank::size]).backward()
    wanted = alone("cnn")
    equal(net.module, wanted, 2e-6)
    for name in ("running_mean", "running_var"):
        same(getattr(net.module[1], name), getattr(wanted[1], name))


def check_many_small_buckets_give_the_same():
    equal(shared("gpt", bucket_cap_mb=0.001).module, alone("gpt"))


def check_accumulation_without_sync():
    rank, size = world()
    for kind in ("mlp", "lstm"):
        net = DDP(made(kind))
        x, labels = data(kind)
        x, labels = x[rank::size], labels[rank::size]
        half = len(x) // 2
        with net.no_sync():
            (F.cross_entropy(net(x[:half]), labels[:half]) / 2).backward()
        (F.cross_entropy(net(x[half:]), labels[half:]) / 2).backward()
        equal(net.module, alone(kind))


def check_steps_of_an_optimiser():
    rank, size = world()
    net, wanted = DDP(made("gpt", seed=rank + 7)), made("gpt", seed=7)
    mine, theirs = [optim.SGD(each.parameters(), lr=0.1, momentum=0.9) for each in (net, wanted)]
    for step in range(5):
        x, labels = data("gpt", seed=step)
        mine.zero_grad()
        theirs.zero_grad()
        F.cross_entropy(net(x[rank::size]), labels[rank::size]).backward()
        F.cross_entropy(wanted(x), labels).backward()
        mine.step()
        theirs.step()
    bits_are_equal_on_all_ranks(net.parameters())
    for found, other in zip(net.parameters(), wanted.parameters(), strict=True):
        same(found, other, 1e-4)


def check_an_optimiser_whose_memory_is_shared_out():
    rank, size = world()
    zero = importlib.import_module(f"{torch.__name__}.distributed.optim").ZeroRedundancyOptimizer
    net, plain = DDP(made("mlp")), DDP(made("mlp"))
    mine, theirs = zero(net.parameters(), optim.Adam, lr=1e-2), optim.Adam(plain.parameters(), lr=1e-2)
    for step in range(4):
        x, labels = data("mlp", seed=step)
        for each, optimizer in ((net, mine), (plain, theirs)):
            if step == 2:
                optimizer.param_groups[0]["lr"] = 3e-3
            optimizer.zero_grad()
            F.cross_entropy(each(x[rank::size]), labels[rank::size]).backward()
            optimizer.step()
    for found, wanted in zip(net.parameters(), plain.parameters(), strict=True):
        assert torch.equal(found, wanted)
    mine.consolidate_state_dict(to=size - 1)
    if rank == size - 1:
        found, wanted = mine.state_dict()["state"], theirs.state_dict()["state"]
        assert found.keys() == wanted.keys()
        for number, memory in wanted.items():
            same(found[number]["exp_avg"], memory["exp_avg"], 0)
        other = zero(net.module.parameters(), optim.Adam, lr=1.0) if size == 1 else None
        if other is not None:
            other.load_state_dict(mine.state_dict())
    elif ON_MINIGRAD:
        refused(RuntimeError, "has not been consolidated on this rank", mine.state_dict)
    if ON_MINIGRAD:
        held = sum(t.numel() for m in mine.optim.state.values() for t in m.values() if hasattr(t, "numel"))
        whole = sum(t.numel() for m in theirs.state.values() for t in m.values() if hasattr(t, "numel"))
        assert held < 0.75 * whole or size == 1, (held, whole)


def check_weights_and_buffers_are_those_of_rank_0():
    rank, size = world()
    net = made("cnn", seed=rank)
    net[1].running_mean += rank
    net = DDP(net)
    bits_are_equal_on_all_ranks([*net.parameters(), net.module[1].running_mean])
    x, labels = data("cnn")
    net(x[rank::size])
    net(x[rank::size])  # each forward begins with the buffers of rank 0
    first = made("cnn", seed=0)
    first(x[0::size])
    first(x[0::size])
    if rank == 0:
        same(net.module[1].running_mean, first[1].running_mean)


class Halves(nn.Module):
    """Uses one of two layers, as the input says; the third never."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))

    def forward(self, x, which):
        return self.layers[which](x)


def check_unused_parameters_are_found():
    rank, size = world()
    torch.manual_seed(0)
    net = DDP(Halves(), find_unused_parameters=True)
    which = rank % 2 if size > 1 else 0
    net(torch.ones(1, 2), which).sum().backward()
    count = len([r for r in range(size) if r % 2 == 0])
    same(net.module.layers[0].weight.grad, torch.full((2, 2), count / size))
    if size > 1:
        same(net.module.layers[1].weight.grad, torch.full((2, 2), 1 - count / size))
    assert net.module.layers[2].weight.grad is None


def check_unused_parameters_are_said():
    if not ON_MINIGRAD:
        return  # PyTorch reports it at the next forward
    net = DDP(Halves())
    loss = net(torch.ones(1, 2), 0).sum()
    words = "does not depend on these parameters of the DistributedDataParallel module: layers.2.bias"
    refused(RuntimeError, words, loss.backward)


def check_models_that_differ_are_refused():
    rank, size = world()
    if size > 1:
        torch.manual_seed(0)
        net = nn.Linear(3, 2) if rank == 0 else nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 2))
        refused(RuntimeError, "same model across all ranks", DDP, net)
        dist.barrier()


def check_uneven_inputs_are_joined():
    rank, size = world()
    torch.manual_seed(0)
    net = DDP(nn.Linear(1, 1, bias=False))
    with torch.no_grad():
        net.module.weight.fill_(0)
    optimizer = optim.SGD(net.parameters(), lr=1.0)
    with net.join():
        for _ in range(rank + 1):
            optimizer.zero_grad()
            net(torch.ones(1, 1)).sum().backward()
            optimizer.step()
    # in step s, ranks s and above have data
    same(net.module.weight, [[-sum((size - s) / size for s in range(size))]])
    with net.join(divide_by_initial_world_size=False):
        for _ in range(rank + 1):
            optimizer.zero_grad()
            net(torch.ones(1, 1)).sum().backward()
            optimizer.step()
    same(net.module.weight, [[-sum((size - s) / size for s in range(size)) - size]])


def check_uneven_inputs_can_be_an_error():
    rank, size = world()
    net = DDP(nn.Linear(1, 1))

    def run():
        with net.join(throw_on_early_termination=True):
            for _ in range(rank + 1):
                net(torch.ones(1, 1)).sum().backward()

    if size > 1:
        refused(RuntimeError, "exhausted", run)


def check_a_second_backward_averages_too():
    rank, size = world()
    torch.manual_seed(0)
    net = DDP(nn.Linear(2, 1, bias=False))
    net(torch.full((1, 2), float(rank))).sum().backward()
    net(torch.full((1, 2), 1.0)).sum().backward()
    same(net.module.weight.grad, torch.full((1, 2), (size - 1) / 2 + 1))


def check_a_state_dict_goes_to_a_plain_model():
    net, plain = DDP(made("cnn")), made("cnn", seed=3)
    plain.load_state_dict({name.removeprefix("module."): value for name, value in net.state_dict().items()})
    same(plain[0].weight, net.module[0].weight)


def check_samplers_share_a_dataset_out():
    rank, size = world()
    sampler = importlib.import_module(f"{torch.__name__}.utils.data").DistributedSampler(range(10), shuffle=True)
    sampler.set_epoch(3)
    every = [None] * size
    dist.all_gather_object(every, list(sampler))
    assert {number for each in every for number in each} == set(range(10))
    assert len({len(each) for each in every}) == 1


def check_functional_collectives_have_gradients():
    if not ON_MINIGRAD:
        return  # gloo lacks some
    functional = torch.distributed.nn.functional
    rank, size = world()
    x = torch.arange(3.0, dtype=torch.float64) + rank + 1
    every = [torch.arange(3.0, dtype=torch.float64) + r + 1 for r in range(size)]

    def grad_of(call):
        mine = x.clone().requires_grad_()
        call(mine).backward()
        return mine.grad

    # the sum of the losses of all ranks, written for one process
    total = sum(every)
    same(grad_of(lambda x: (functional.all_reduce(x) ** 2).sum()), 2 * size * total)
    weight = float(rank + 1)
    weights = sum(r + 1 for r in range(size))
    same(grad_of(lambda x: (functional.broadcast(x, 0) * weight).sum()), torch.full((3,), weights * (rank == 0)))
    same(
        grad_of(lambda x: (functional.reduce(x, 0) ** 2).sum() if rank == 0 else functional.reduce(x, 0).sum() * 0),
        2 * total,
    )
    same(grad_of(lambda x: sum((part**2).sum() * weight for part in functional.all_gather(x))), 2 * x * weights)
    same(
        grad_of(lambda x: sum((part**2).sum() for part in functional.gather(x, 0))),
        2 * x,
    )
    same(
        grad_of(lambda x: (functional.scatter([x * (r + 1) for r in range(size)], 0) * weight).sum()),
        torch.full((3,), sum((r + 1) ** 2 for r in range(size)) * (rank == 0)),
    )
    same(
        grad_of(
            lambda x: (
                functional.reduce_scatter(torch.zeros_like(x), [x * (r + 1) for r in range(size)]) * weight
            ).sum()
        ),
        torch.full((3,), sum((r + 1) ** 2 for r in range(size))),
    )
    same(
        grad_of(
            lambda x: sum((p * weight).sum() for p in functional.all_to_all([torch.zeros_like(x)] * size, [x] * size))
        ),
        torch.full((3,), weights),
    )
    big = torch.arange(2.0 * size, requires_grad=True)
    (functional.all_to_all_single(torch.zeros(2 * size), big) * weight).sum().backward()
    same(big.grad, [r + 1 for r in range(size) for _ in range(2)])
    second = x.clone().requires_grad_()
    (first,) = torch.autograd.grad((functional.all_reduce(second) ** 3).sum(), second, create_graph=True)
    first.sum().backward()
    same(second.grad, 6 * size * size * total)


def check_each_bucket_tells_when_it_filled_and_how_long_it_was_waited_for():
    """Check the events that the explorer draws; only minigrad emits them."""
    if not ON_MINIGRAD:
        return
    from minigrad import events

    net = DDP(nn.Sequential(nn.Linear(8, 600), nn.Linear(600, 600), nn.Linear(600, 1)), bucket_cap_mb=0.5)
    heard = []
    with events.listening(heard.append):
        net(torch.ones(4, 8)).sum().backward()
    told = [event for event in heard if isinstance(event, events.CollectiveRan)]
    assert len(told) > 1 and [event.bucket for event in told] == list(range(len(told)))
    for event in told:
        assert event.seconds >= event.waited >= 0 and event.filling >= 0 and event.late >= 0
        assert abs(event.clock) < 0.1  # all ranks of this test have one clock


if __name__ == "__main__":
    main(dict(globals()))
