"""An evaluation as people write it in Python: torchvision's data, DataLoader, DistributedSampler. Prints a line "MODEL SAMPLES-A-SECOND" for each."""

import argparse
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

from models import MODELS  # noqa: E402


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="+", choices=MODELS)
    parser.add_argument("--root", required=True, help="of torchvision's dataset")
    parser.add_argument("--batch-size", type=int, required=True)
    return parser.parse_args()


def evaluate(model, loader):
    """Mean loss, and accuracy, over the samples of all ranks."""
    model.eval()
    sums = torch.zeros(3, dtype=torch.float64)
    with torch.no_grad():
        for images, labels in loader:
            logits = model(images)
            sums += torch.tensor([F.cross_entropy(logits, labels, reduction="sum").item(), (logits.argmax(1) == labels).sum().item(), len(labels)])
    dist.all_reduce(sums)
    return sums[0] / sums[2], sums[1] / sums[2]


def rate(name, loader):
    """Samples a second. The process group must outlive the model: else PyTorch 2.11 may wait for ever at the end of the process."""
    torch.manual_seed(42)
    model = DistributedDataParallel(MODELS[name]())
    inputs, targets = next(iter(loader))  # one step of training before it, as on the other side
    F.cross_entropy(model(inputs), targets).backward()
    dist.barrier()
    began = time.perf_counter()
    evaluate(model.module, loader)
    return len(loader.dataset) / (time.perf_counter() - began)


def main():
    args = parse_args()
    dist.init_process_group("gloo")
    transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.2860,), (0.3530,))])
    data = FashionMNIST(args.root, train=False, transform=transform)
    loader = DataLoader(data, batch_size=args.batch_size, sampler=DistributedSampler(data, shuffle=False))
    for name in args.models:
        samples_per_second = rate(name, loader)
        if dist.get_rank() == 0:
            print(name, samples_per_second, flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
