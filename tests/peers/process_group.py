"""Python's side in several processes."""

import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed.device_mesh import init_device_mesh

from train import parse_args, train


def join_group(rank, ranks, store, work, arguments):
    torch.set_num_threads(1)  # as torchrun does
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=ranks)
    try:
        work(*arguments)
    finally:
        dist.destroy_process_group()


def in_ranks(ranks, work, *arguments):
    """Calls work(*arguments) in each rank of a process group over Gloo.

    The ranks are forked: importing torch takes longer than most trainings. So the caller must not have run a backward pass.
    """
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(join_group, (ranks, f"{folder}/store", work, arguments), nprocs=ranks, start_method="fork")


def mesh_of_all():
    """The mesh of the ranks that call it."""
    return init_device_mesh("cpu", (dist.get_world_size(),))


def train_all(trainings):
    for arguments in trainings:
        train(parse_args(arguments))


def train_in_python(cases, arguments_of):
    """Trains each of `cases` (by name) with each number of its `ranks`, all that have the same number in one start of the ranks.

    arguments_of(name, ranks): its options of train.py
    """
    for ranks in sorted({ranks for case in cases.values() for ranks in case.ranks}):
        in_ranks(ranks, train_all, [[str(word) for word in arguments_of(name, ranks)] for name, case in cases.items() if ranks in case.ranks])
