"""A training as people write it in Python: torchvision's data, DataLoader, DistributedSampler, DistributedDataParallel, Adam. Times its steps.

With its options it is as fast as it can be made without another program: the images are transformed before the training, Adam is fused, and the
model is compiled.
"""

import argparse
import itertools
import sys
import time
from pathlib import Path

import numpy
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torchvision import transforms
from torchvision.datasets import CIFAR10, FashionMNIST, VisionDataset

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "peers"))
sys.dont_write_bytecode = True

from models import ConvNet, Mlp, resnet  # noqa: E402

MODELS = {"mlp": Mlp, "convnet": ConvNet, "resnet18": lambda: resnet("resnet18", num_classes=10, stem="cifar")}


class BinaryCifar10(CIFAR10):
    """Of the files in the binary format that ddptrain reads; all else is torchvision's."""

    def __init__(self, root, train, transform):
        VisionDataset.__init__(self, root, transform=transform)
        names = [f"data_batch_{i}.bin" for i in range(1, 6)] if train else ["test_batch.bin"]
        records = numpy.concatenate([numpy.fromfile(Path(root) / name, dtype=numpy.uint8) for name in names]).reshape(-1, 3073)
        self.data = records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        self.targets = records[:, 0].tolist()


DATASETS = {
    "fashion_mnist": (FashionMNIST, (0.2860,), (0.3530,)),
    "cifar10": (BinaryCifar10, (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)),
}


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True, help="of torchvision's dataset")
    parser.add_argument("--dataset", choices=DATASETS, required=True)
    parser.add_argument("--model", choices=MODELS, required=True)
    parser.add_argument("--batch-size", type=int, required=True)
    parser.add_argument("--workers", type=int, default=0, help="of the DataLoader")
    parser.add_argument("--in-memory", choices=["no", "yes"], default="no", help="whether all images are tensors before the training begins; there is no DataLoader then")
    parser.add_argument("--fused", choices=["no", "yes"], default="no", help="whether Adam is fused")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--compile", choices=["no", "yes"], default="no", help="whether the model goes through torch.compile")
    parser.add_argument("--warm-up", type=int, required=True, help="steps that are not timed")
    parser.add_argument("--steps", type=int, required=True, help="of the training, those of the warm-up among them")
    return parser.parse_args()


def epochs(args):
    """The batches of each epoch."""
    dataset, mean, deviation = DATASETS[args.dataset]
    transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize(mean, deviation)])
    data = dataset(args.root, train=True, transform=transform)
    sampler = DistributedSampler(data, seed=42)
    if args.in_memory == "yes":
        batches = TensorBatches(data, mean, deviation, sampler, args.batch_size, args.device)
    else:
        batches = DataLoader(data, batch_size=args.batch_size, sampler=sampler, num_workers=args.workers, persistent_workers=args.workers > 0)
    for epoch in itertools.count():
        sampler.set_epoch(epoch)
        yield batches


class TensorBatches:
    """The batches that a DataLoader would make of the same data, out of two tensors that hold all of it."""

    def __init__(self, data, mean, deviation, sampler, batch_size, device):
        pixels = torch.as_tensor(data.data)
        pixels = pixels.unsqueeze(1) if pixels.dim() == 3 else pixels.permute(0, 3, 1, 2)
        self.images = transforms.Normalize(mean, deviation, inplace=True)(pixels.contiguous().float().div_(255)).to(device)
        self.labels = torch.as_tensor(data.targets).to(device)
        self.sampler = sampler
        self.batch_size = batch_size

    def __iter__(self):
        for indices in torch.tensor(list(self.sampler), device=self.labels.device).split(self.batch_size):
            yield self.images.index_select(0, indices), self.labels.index_select(0, indices)


def make_model(args):
    model = DistributedDataParallel(MODELS[args.model]().to(args.device))
    return torch.compile(model) if args.compile == "yes" else model


def wait_for_device(args):
    if args.device == "cuda":
        torch.cuda.synchronize()


def steps(args, model):
    """Yields after each step."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001, fused=args.fused == "yes")
    for images, labels in itertools.chain.from_iterable(epochs(args)):
        optimizer.zero_grad()
        F.cross_entropy(model(images.to(args.device)), labels.to(args.device)).backward()
        optimizer.step()
        yield


def main():
    args = parse_args()
    torch.manual_seed(42)
    dist.init_process_group("nccl" if args.device == "cuda" else "gloo")
    for step, _ in enumerate(steps(args, make_model(args)), start=1):
        if step == args.warm_up:
            wait_for_device(args)
            began = time.perf_counter()
        if step == args.steps:
            wait_for_device(args)
            break
    samples = (args.steps - args.warm_up) * args.batch_size * dist.get_world_size()
    if dist.get_rank() == 0:
        print(samples / (time.perf_counter() - began), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
