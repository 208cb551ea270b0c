"""The first steps of a distributed training in Python that imports torch and nothing more: what a start costs at least."""

import argparse
import sys
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


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds FashionMNIST/raw")
    parser.add_argument("--max-steps", type=int, required=True)
    parser.add_argument("--save", required=True, help="where rank 0 writes the parameters")
    return parser.parse_args()


def read_idx(path):
    data = bytearray(path.read_bytes())
    shape = [int.from_bytes(data[4 + 4 * i : 8 + 4 * i], "big") for i in range(data[3])]
    return torch.frombuffer(data, dtype=torch.uint8, offset=4 + 4 * len(shape)).reshape(shape)


def train(data, max_steps, reduced=lambda: None):
    """The model after so many steps; calls `reduced` whenever the gradients of a step have been all-reduced."""
    torch.manual_seed(42)
    dist.init_process_group("gloo")

    raw = data / "FashionMNIST" / "raw"
    dataset = TensorDataset(read_idx(raw / "train-images-idx3-ubyte"), read_idx(raw / "train-labels-idx1-ubyte"))
    sampler = DistributedSampler(dataset, seed=42)
    loader = DataLoader(dataset, batch_size=64, sampler=sampler)

    model = DistributedDataParallel(Mlp())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    for step, (inputs, targets) in enumerate(loader, start=1):
        optimizer.zero_grad()
        F.cross_entropy(model((inputs / 255 - 0.2860) / 0.3530), targets.long()).backward()
        reduced()
        optimizer.step()
        if step == max_steps:
            break
    return model.module


def main():
    args = parse_args()
    model = train(args.data, args.max_steps)
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), args.save)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
