"""A training that reads its own checkpoint, as people write it for torchrun: everything comes from torch's variables.

Nothing in here knows of ddpsubmit.
"""

import argparse
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds in each step, for somebody to disturb it")
    return parser.parse_args()


def save(path, **state):
    torch.save(state, f"{path}.new")
    os.replace(f"{path}.new", path)


def main():
    args = parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()

    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 4)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    first = 0
    if args.checkpoint.exists():
        state = torch.load(args.checkpoint, weights_only=True)
        model.module.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["step"]
    print(f"attempt {os.environ['TORCHELASTIC_RESTART_COUNT']} begins at step {first} on {os.uname().nodename}", flush=True)

    for step in range(first, args.steps):
        batch = torch.Generator().manual_seed(1000 * step + rank)  # what a sampler gives, whatever was drawn before
        samples, labels = torch.randn(16, 32, generator=batch), torch.randint(4, (16,), generator=batch)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(samples), labels).backward()
        optimizer.step()
        time.sleep(args.pause)
        if rank == 0 and (step + 1) % 10 == 0:
            save(args.checkpoint, model=model.module.state_dict(), optimizer=optimizer.state_dict(), step=step + 1)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
