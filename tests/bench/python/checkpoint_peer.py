"""A training with checkpoints as people write it in Python, by `torch.save` on rank 0 or `torch.distributed.checkpoint.async_save`.

Prints, as JSON, the median stall of a checkpoint in milliseconds and the seconds from the end of the first checkpoint's stall to that of the last one's.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn.functional as F
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.nn.parallel import DistributedDataParallel

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "peers"))
sys.dont_write_bytecode = True

from models import Mlp  # noqa: E402
from atomic_save import save  # noqa: E402


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--how", choices=["save", "async_save"], required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--width", type=int, required=True)
    parser.add_argument("--batch-size", type=int, required=True)
    parser.add_argument("--every", type=int, required=True, help="steps from one checkpoint to the next")
    parser.add_argument("--checkpoints", type=int, required=True)
    return parser.parse_args()


class Saver:
    def __init__(self, args, model, optimizer):
        self.args, self.model, self.optimizer = args, model, optimizer
        self.group = dist.new_group(backend="gloo")  # its collectives go on beside those of the training
        self.written = None  # what async_save has promised

    def save(self, step):
        if self.args.how == "async_save":
            if self.written is not None:
                self.written.result()  # one at a time, as its documents say
            model, optimizer = get_state_dict(self.model, self.optimizer)
            self.written = dcp.async_save({"model": model, "optimizer": optimizer, "step": step}, checkpoint_id=str(self.args.folder / str(step)),
                                          process_group=self.group)
        elif dist.get_rank() == 0:
            save(self.args.folder / "checkpoint.pt", model=self.model.module.state_dict(), optimizer=self.optimizer.state_dict(), step=step)

    def finish(self):
        if self.written is not None:
            self.written.result()


def main():
    args = parse_args()
    dist.init_process_group("gloo")
    torch.manual_seed(42)
    model = DistributedDataParallel(Mlp(hidden_dims=(args.width, args.width)))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.0001)
    inputs, targets = torch.randn(4000, 784), torch.randint(10, (4000,))
    saver = Saver(args, model, optimizer)
    stalls, ends = [], []
    for step in range(1, args.every * args.checkpoints + args.every // 2 + 1):
        first = (step * args.batch_size) % 3000
        batch = slice(first, first + args.batch_size)
        optimizer.zero_grad()
        F.cross_entropy(model(inputs[batch]), targets[batch]).backward()
        optimizer.step()
        if step % args.every == 0:
            began = time.perf_counter()
            saver.save(step)
            ends.append(time.perf_counter())
            stalls.append(1000 * (ends[-1] - began))
    saver.finish()
    dist.barrier()
    if dist.get_rank() == 0:
        print(json.dumps({"stall": statistics.median(stalls), "run": ends[-1] - ends[0]}), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
