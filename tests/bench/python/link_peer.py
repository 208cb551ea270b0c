"""Steps of convnet with DistributedDataParallel over the network of this process, and what their parts take without it. Rank 0 prints milliseconds as JSON."""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torchvision import transforms
from torchvision.datasets import FashionMNIST

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "peers"))
sys.dont_write_bytecode = True

from models import ConvNet  # noqa: E402


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True, help="the folder that holds FashionMNIST/raw")
    for number in ["batch-size", "steps", "warm-up", "alone-steps", "alone-warm-up"]:
        parser.add_argument(f"--{number}", type=int, required=True)
    return parser.parse_args()


class Steps:
    def __init__(self, args):
        self.model = DistributedDataParallel(ConvNet())
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.001)
        transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.2860,), (0.3530,))])
        data = FashionMNIST(args.data, train=True, transform=transform)
        self.batches = iter(DataLoader(data, batch_size=args.batch_size, sampler=DistributedSampler(data, seed=42)))

    def step(self):
        """Milliseconds: all of it, forward, update."""
        began = time.perf_counter()
        images, labels = next(self.batches)
        self.optimizer.zero_grad()
        had_data = time.perf_counter()
        loss = F.cross_entropy(self.model(images), labels)
        forwarded = time.perf_counter()
        loss.backward()
        had_gradients = time.perf_counter()
        self.optimizer.step()
        ended = time.perf_counter()
        return {"step": 1000 * (ended - began), "forward": 1000 * (forwarded - had_data), "update": 1000 * (ended - had_gradients)}


def main():
    args = parse_args()
    torch.manual_seed(42)
    dist.init_process_group("gloo")
    steps = Steps(args)
    with steps.model.no_sync():
        alone = [steps.step() for _ in range(args.alone_steps)][args.alone_warm_up:]
    together = [steps.step() for _ in range(args.steps)][args.warm_up:]
    if dist.get_rank() == 0:
        print(json.dumps({"step": statistics.mean(step["step"] for step in together),
                          "compute": statistics.median(step["step"] for step in alone),
                          "forward": statistics.mean(step["forward"] for step in alone),
                          "update": statistics.mean(step["update"] for step in alone)}))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
