"""A training as people write it for `torchrun --max-restarts`: DistributedDataParallel, and a checkpoint that each start goes on from.

Tells of itself in --notes: the pid of each rank, and for each step of rank 0 a line "RESTART STEP SECONDS-SINCE-1970".
"""

import argparse
import os
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "peers"))
sys.dont_write_bytecode = True

from models import Mlp  # noqa: E402
from atomic_save import save  # noqa: E402


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--images", type=Path, required=True, help="a tensor file of images and labels")
    parser.add_argument("--notes", type=Path, required=True, help="a folder")
    parser.add_argument("--batch-size", type=int, required=True)
    parser.add_argument("--every", type=int, required=True, help="steps from one checkpoint to the next")
    parser.add_argument("--steps", type=int, required=True)
    return parser.parse_args()


def main():
    args = parse_args()
    restart = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    (args.notes / f"pid-{restart}-{rank}").write_text(str(os.getpid()))
    torch.manual_seed(42)
    model = DistributedDataParallel(Mlp())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    data = TensorDataset(*torch.load(args.images, weights_only=True))
    sampler = DistributedSampler(data, seed=42)
    loader = DataLoader(data, batch_size=args.batch_size, sampler=sampler)
    checkpoint = args.notes / "checkpoint.pt"
    first = 0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        model.module.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["step"]
    step = first
    with open(args.notes / "steps", "a", buffering=1) as notes:
        while step < args.steps:
            sampler.set_epoch(step // len(loader))
            for images, labels in loader:
                optimizer.zero_grad()
                F.cross_entropy(model(images), labels).backward()
                optimizer.step()
                step += 1
                if rank == 0:
                    print(restart, step, time.time(), file=notes)
                    if step % args.every == 0:
                        save(checkpoint, model=model.module.state_dict(), optimizer=optimizer.state_dict(), step=step)
                if step == args.steps:
                    break
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
