"""The model of tests/peers/blocks.py under FSDP2 or DistributedDataParallel, as its users write it, with a fused Adam. Times its steps.

Rank 0 appends the records that ddptrain has to FOLDER/runs/python/metrics.jsonl.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "peers"))
sys.dont_write_bytecode = True

from blocks import Blocks  # noqa: E402

FEATURES, CLASSES = 784, 10
SAMPLES = 1000


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--strategy", choices=["ddp", "fsdp"], required=True)
    parser.add_argument("--model", type=json.loads, required=True, help="its options, in JSON")
    parser.add_argument("--batch-size", type=int, required=True)
    parser.add_argument("--every", type=int, required=True, help="how many steps a record is about")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    return parser.parse_args()


def count_parameters(module):
    return sum(parameter.numel() for parameter in module.parameters())


def distribute(model, strategy):
    if strategy == "ddp":
        return DistributedDataParallel(model, gradient_as_bucket_view=True)
    for block in model.blocks:
        fully_shard(block, reshard_after_forward=True)
    return fully_shard(model)


def batches(batch_size):
    """Random ones, of this rank, without end."""
    generator = torch.Generator().manual_seed(dist.get_rank())
    images, labels = torch.randn(SAMPLES, FEATURES, generator=generator), torch.randint(CLASSES, (SAMPLES,), generator=generator)
    while True:
        yield from zip(images.split(batch_size), labels.split(batch_size))


def train(model, optimizer, args):
    """Yields after each step."""
    for images, labels in batches(args.batch_size):
        optimizer.zero_grad()
        F.cross_entropy(model(images), labels).backward()
        optimizer.step()
        yield


def append(record, folder):
    file = folder / "runs/python/metrics.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as records:
        records.write(json.dumps(record) + "\n")


def main():
    args = parse_args()
    torch.manual_seed(42)
    dist.init_process_group("gloo")
    model = Blocks(**args.model)
    sizes = {"parameters": count_parameters(model), "block": max(map(count_parameters, model.blocks))}
    model = distribute(model, args.strategy)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001, fused=True)
    samples = args.every * args.batch_size * dist.get_world_size()
    began = time.perf_counter()
    for step, _ in enumerate(train(model, optimizer, args), start=1):
        if step % args.every == 0:
            now = time.perf_counter()
            if dist.get_rank() == 0:
                append({"kind": "train", "step": step, "samples": samples, "samples_per_second": samples / (now - began), **sizes}, args.folder)
            began = now
        if step == args.steps:
            break
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
