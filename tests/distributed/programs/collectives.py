"""Collectives, on minigrad and, unless stated otherwise, on PyTorch with gloo."""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from checking import ON_MINIGRAD, dist, main, refused, same, torch


def world():
    return dist.get_rank(), dist.get_world_size()


def own(*shape, dtype=torch.float32):
    """Elements that show which rank they are from."""
    count = 1
    for size in shape:
        count *= size
    return (torch.arange(count).reshape(shape) + 100 * dist.get_rank()).to(dtype)


def of(rank, *shape, dtype=torch.float32):
    count = 1
    for size in shape:
        count *= size
    return (torch.arange(count).reshape(shape) + 100 * rank).to(dtype)


def check_all_reduce_sums_over_the_ranks():
    rank, size = world()
    x = own(2, 3)
    assert dist.all_reduce(x) is None
    same(x, sum(of(r, 2, 3) for r in range(size)))


def check_each_reduction_and_element_type():
    rank, size = world()
    for dtype in (torch.float32, torch.float64, torch.float16, torch.int32, torch.int64, torch.uint8):
        x = torch.tensor([rank + 1, 2, 5]).to(dtype)
        dist.all_reduce(x, op=dist.ReduceOp.SUM)
        assert x.dtype == dtype
        same(x, [sum(range(1, size + 1)), 2 * size, 5 * size])
        x = torch.tensor([rank + 1, 2]).to(dtype)
        dist.all_reduce(x, op=dist.ReduceOp.MAX)
        same(x, [size, 2])
        x = torch.tensor([rank + 1, 2]).to(dtype)
        dist.all_reduce(x, op=dist.ReduceOp.MIN)
        same(x, [1, 2])
        x = torch.tensor([2, 1]).to(dtype)
        dist.all_reduce(x, op=dist.ReduceOp.PRODUCT)
        same(x, [2**size, 1])
    x = torch.tensor([1 << rank])
    dist.all_reduce(x, op=dist.ReduceOp.BOR)
    same(x, [2**size - 1])


def check_bfloat16_and_means():
    if not ON_MINIGRAD:
        return  # gloo supports neither
    rank, size = world()
    x = torch.tensor([1.5, rank]).to(torch.bfloat16)
    dist.all_reduce(x)
    same(x, [1.5 * size, sum(range(size))])
    x = torch.tensor([float(rank), 4.0])
    dist.all_reduce(x, op=dist.ReduceOp.AVG)
    same(x, [(size - 1) / 2, 4.0])
    refused(RuntimeError, "ReduceOp.AVG", dist.all_reduce, torch.tensor([1]), op=dist.ReduceOp.AVG)
    refused(RuntimeError, "ReduceOp.BAND", dist.all_reduce, torch.ones(1), op=dist.ReduceOp.BAND)


def check_broadcast_gives_what_the_source_has():
    rank, size = world()
    for src in range(size):
        x = own(3)
        dist.broadcast(x, src)
        same(x, of(src, 3))
    x = own(2)
    dist.broadcast(x, group_src=size - 1)
    same(x, of(size - 1, 2))


def check_reduce_changes_the_destination():
    rank, size = world()
    x = own(4)
    dist.reduce(x, size - 1)
    if rank == size - 1:
        same(x, sum(of(r, 4) for r in range(size)))


def check_all_gather():
    rank, size = world()
    outs = [torch.zeros(2, 2) for _ in range(size)]
    dist.all_gather(outs, own(2, 2))
    for r, out in enumerate(outs):
        same(out, of(r, 2, 2))
    whole = torch.zeros(2 * size, 3)
    dist.all_gather_into_tensor(whole, own(2, 3))
    same(whole, torch.cat([of(r, 2, 3) for r in range(size)]))


def check_gather_and_scatter():
    rank, size = world()
    outs = [torch.zeros(3) for _ in range(size)] if rank == 0 else None
    dist.gather(own(3), outs, dst=0)
    if rank == 0:
        for r, out in enumerate(outs):
            same(out, of(r, 3))
    x = torch.zeros(2)
    dist.scatter(x, [torch.full((2,), 10.0 + r) for r in range(size)] if rank == 0 else None, src=0)
    same(x, torch.full((2,), 10.0 + rank))


def check_gather_says_who_gives_a_list():
    rank, size = world()
    if size > 1:
        given = None if rank == 0 else [torch.zeros(1)] * size
        refused(ValueError, "gather_list", dist.gather, torch.zeros(1), given, dst=0)


def check_reduce_scatter():
    rank, size = world()
    parts = [own(2) + 10 * r for r in range(size)]
    out = torch.zeros(2)
    dist.reduce_scatter(out, parts)
    same(out, sum(of(r, 2) + 10 * rank for r in range(size)))
    out = torch.zeros(2, 2)
    dist.reduce_scatter_tensor(out, own(2 * size, 2))
    same(out, sum(of(r, 2 * size, 2) for r in range(size))[2 * rank : 2 * rank + 2])


def check_all_to_all():
    rank, size = world()
    if ON_MINIGRAD:  # gloo does not support lists
        outs = [torch.zeros(r + 1) for r in range(size)]
        dist.all_to_all(outs, [torch.full((rank + 1,), 10.0 * rank + r) for r in range(size)])
        for r, out in enumerate(outs):
            same(out, torch.full((r + 1,), 10.0 * r + rank))
    out = torch.zeros(size)
    dist.all_to_all_single(out, torch.arange(size) + 10.0 * rank)
    same(out, [10.0 * r + rank for r in range(size)])
    # rank r sends r + 1 rows to each
    out = torch.zeros(sum(r + 1 for r in range(size)), 2)
    given = torch.full(((rank + 1) * size, 2), float(rank))
    dist.all_to_all_single(out, given, [r + 1 for r in range(size)], [rank + 1] * size)
    same(out[:, 0], [float(r) for r in range(size) for _ in range(r + 1)])


def check_messages_from_one_rank_to_the_next():
    rank, size = world()
    if size == 1:
        return
    right, left = (rank + 1) % size, (rank - 1) % size
    x = torch.zeros(3)
    sending = dist.isend(own(3), right)
    assert dist.recv(x, left) == left
    sending.wait()
    same(x, of(left, 3))
    receiving = dist.irecv(x, left, tag=5)
    dist.send(own(3) + 1, right, tag=5)
    receiving.wait()
    same(x, of(left, 3) + 1)
    works = dist.batch_isend_irecv(
        [dist.P2POp(dist.isend, own(2), right), dist.P2POp(dist.irecv, y := torch.zeros(2), left)]
    )
    for work in works:
        work.wait()
    same(y, of(left, 2))


def check_large_messages_cross_each_other():
    rank, size = world()
    if size == 1:
        return
    x = torch.zeros(300_000)
    sending = dist.isend(torch.full((300_000,), float(rank)), (rank + 1) % size)
    dist.recv(x, (rank - 1) % size)
    sending.wait()
    same(x.max(), float((rank - 1) % size))


def check_async_handles():
    rank, size = world()
    x, y = own(2), own(3)
    first = dist.all_reduce(x, async_op=True)
    second = dist.broadcast(y, 0, async_op=True)
    second.wait()
    first.wait()
    assert first.is_completed()
    same(x, sum(of(r, 2) for r in range(size)))
    same(y, of(0, 3))


def check_an_async_collective_does_not_hold_up_the_messages_that_others_need_first():
    rank, size = world()
    if size == 1:
        return
    if rank == 0:
        x = torch.ones(2)
        work = dist.all_reduce(x, async_op=True)
        for other in range(1, size):
            dist.send(torch.ones(1), other)
        work.wait()
    else:
        dist.recv(torch.zeros(1), 0)
        x = torch.ones(2)
        dist.all_reduce(x)
    same(x, [size, size])


def check_groups():
    rank, size = world()
    evens = dist.new_group(list(range(0, size, 2)))
    x = own(2)
    if rank % 2 == 0:
        dist.all_reduce(x, group=evens)
        same(x, sum(of(r, 2) for r in range(0, size, 2)))
        assert dist.get_rank(evens) == rank // 2
        assert dist.get_global_rank(evens, rank // 2) == rank
        assert dist.get_process_group_ranks(evens) == list(range(0, size, 2))
        y = own(2)
        dist.broadcast(y, size - 2 if size > 1 else 0, group=evens)
        same(y, of(size - 2 if size > 1 else 0, 2))
    else:
        assert dist.get_rank(evens) == -1
        dist.all_reduce(x, group=evens)
        same(x, own(2))
    dist.barrier()


def check_objects():
    rank, size = world()
    found = [None] * size
    dist.all_gather_object(found, {"rank": rank, "text": "x" * rank})
    assert [each["rank"] for each in found] == list(range(size))
    objects = ["a", {"b": 2}, [rank]] if rank == 0 else [None, None, None]
    dist.broadcast_object_list(objects, src=0)
    assert objects == ["a", {"b": 2}, [0]]
    gathered = [None] * size if rank == size - 1 else None
    dist.gather_object((rank, "words"), gathered, dst=size - 1)
    if rank == size - 1:
        assert gathered == [(r, "words") for r in range(size)]
    mine = [None]
    dist.scatter_object_list(mine, [{"for": r} for r in range(size)] if rank == 0 else None, src=0)
    assert mine == [{"for": rank}]
    if size > 1:
        if rank == 0:
            dist.send_object_list(["hello", 3], dst=1)
        elif rank == 1:
            came = [None, None]
            dist.recv_object_list(came, src=0)
            assert came == ["hello", 3]


def check_tensors_that_lie_otherwise_in_memory():
    if not ON_MINIGRAD:
        return  # gloo requires contiguous tensors
    rank, size = world()
    x = own(2, 3).T
    dist.all_reduce(x)
    same(x, sum(of(r, 2, 3) for r in range(size)).T)
    big = torch.zeros(4, 4)
    dist.broadcast(big[:, 1], 0)
    outs = torch.zeros(size, 2)
    dist.all_gather(list(outs), own(2))
    same(outs, torch.stack([of(r, 2) for r in range(size)]))


def check_scalars_and_empty_tensors():
    rank, size = world()
    x = torch.tensor(float(rank + 1))
    dist.all_reduce(x)
    same(x, float(sum(range(1, size + 1))))


def check_what_was_saved_for_backward_is_found_stale():
    if not ON_MINIGRAD:
        return
    w = torch.ones(2, requires_grad=True)
    x = torch.ones(2)
    loss = (w * x).sum()
    dist.all_reduce(x)
    refused(RuntimeError, "modified by an inplace operation", loss.backward)


def check_errors_are_those_of_pytorch():
    refused(ValueError, "twice", dist.init_process_group, "gloo")
    refused(TypeError, "tensor", dist.all_reduce, [1.0])
    assert dist.is_available() and dist.is_initialized()
    assert dist.get_backend() == ("mpi" if ON_MINIGRAD else "gloo")


if __name__ == "__main__":
    main(dict(globals()))
