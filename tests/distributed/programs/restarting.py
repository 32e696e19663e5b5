"""Train with dropout, write checkpoints, fail at a given step, and continue with ``--resume``.

restarting.py FOLDER STEPS [--resume] [--fail STEP] [--zero]; the last line of rank 0 is a digest of all parameters.
"""

from __future__ import annotations

import argparse
import hashlib
import json

import minigrad as mg
from minigrad import distributed as dist
from minigrad import nn
from minigrad.distributed import checkpoint
from minigrad.nn.parallel import DistributedDataParallel

options = argparse.ArgumentParser()
options.add_argument("folder")
options.add_argument("steps", type=int)
options.add_argument("--resume", action="store_true")
options.add_argument("--fail", type=int)
options.add_argument("--zero", action="store_true")
options.add_argument("--digest-of-start", action="store_true")
wanted = options.parse_args()

dist.init_process_group("gloo")
rank = dist.get_rank()
mg.manual_seed(rank)
net = DistributedDataParallel(nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.3), nn.BatchNorm1d(16), nn.Linear(16, 4)))
if wanted.zero:
    optimizer = dist.optim.ZeroRedundancyOptimizer(net.parameters(), mg.optim.Adam, lr=0.01)
else:
    optimizer = mg.optim.Adam(net.parameters(), lr=0.01)


def digest():
    state = net.state_dict()
    whole = hashlib.sha256(b"".join(value.numpy().tobytes() for value in state.values())).hexdigest()[:16]
    if rank == 0:
        print(json.dumps({"digest": whole}), flush=True)


start = checkpoint.resume(wanted.folder, net=net, optimizer=optimizer) if wanted.resume else 0
if wanted.digest_of_start:
    digest()
for step in range(start, wanted.steps):
    if step == wanted.fail and rank == 1:
        raise RuntimeError("the power is gone")
    loss = net(mg.randn(4, 8)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 3 == 2:
        checkpoint.save_step(wanted.folder, step, net=net, optimizer=optimizer)
digest()
