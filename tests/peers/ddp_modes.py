"""The training of tests/trainer_parts/modes.cpp in Python: each rank saves what each mode ends with."""

from dataclasses import dataclass, field

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import bf16_compress_hook, fp16_compress_hook
from torch.nn.parallel import DistributedDataParallel

STEPS = 40
BATCH = 16


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 1024)
        self.norm = nn.BatchNorm1d(1024)
        self.middle = nn.Linear(1024, 512)
        self.extra = nn.Linear(512, 512)
        self.last = nn.Linear(512, 10)
        self.through_extra = True

    def forward(self, x):
        x = F.relu(self.norm(self.first(x)))
        x = F.relu(self.middle(x))
        return self.last(self.extra(x) if self.through_extra else x)


@dataclass
class Mode:
    options: dict = field(default_factory=dict)
    hook: object = None
    micro_batches: int = 1
    goes_through_extra: object = lambda rank, step: True


MODES = {
    "plain": Mode(),
    "copied_gradients": Mode({"gradient_as_bucket_view": False}),
    "find_unused": Mode({"find_unused_parameters": True}, goes_through_extra=lambda rank, step: step % 2 == 0 and rank % 2 == 0),
    "static_graph": Mode({"static_graph": True}, goes_through_extra=lambda rank, step: False),
    "no_sync": Mode(micro_batches=3),
    "own_buffers": Mode({"broadcast_buffers": False}),
    "fp16": Mode(hook=fp16_compress_hook),
    "bf16": Mode(hook=bf16_compress_hook),
    "fp16_no_sync": Mode(hook=fp16_compress_hook, micro_batches=3),
}


def backward(model, rank, step, micro_batch):
    torch.manual_seed(1000 * rank + 10 * step + micro_batch)
    inputs, targets = torch.randn(BATCH, 64), torch.randint(10, (BATCH,))
    F.cross_entropy(model(inputs), targets).backward()


def train(mode, rank):
    torch.manual_seed(rank)
    net = Net()
    model = DistributedDataParallel(net, **{"bucket_cap_mb": 1, "gradient_as_bucket_view": True, **mode.options})
    if mode.hook:
        model.register_comm_hook(None, mode.hook)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for step in range(STEPS):
        optimizer.zero_grad()
        net.through_extra = mode.goes_through_extra(rank, step)
        with model.no_sync():
            for micro_batch in range(mode.micro_batches - 1):
                backward(model, rank, step, micro_batch)
        backward(model, rank, step, mode.micro_batches - 1)
        optimizer.step()
    return net.state_dict()


def save(folder, modes):
    """By all ranks."""
    rank = dist.get_rank()
    for name in modes:
        torch.save(train(MODES[name], rank), folder / f"{name}-rank-{rank}.pt")
