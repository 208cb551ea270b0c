"""A training as people write it in Python: torchvision's data, DataLoader, DistributedSampler, DistributedDataParallel, Adam. Times its steps."""

import argparse
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
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--compile", choices=["no", "yes"], default="no", help="whether the model goes through torch.compile")
    parser.add_argument("--warm-up", type=int, required=True, help="steps that are not timed")
    parser.add_argument("--steps", type=int, required=True, help="of the training, those of the warm-up among them")
    return parser.parse_args()


def make_loader(args):
    dataset, mean, deviation = DATASETS[args.dataset]
    transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize(mean, deviation)])
    data = dataset(args.root, train=True, transform=transform)
    return DataLoader(data, batch_size=args.batch_size, sampler=DistributedSampler(data, seed=42),
                      num_workers=args.workers, persistent_workers=args.workers > 0)


def make_model(args):
    model = DistributedDataParallel(MODELS[args.model]().to(args.device))
    return torch.compile(model) if args.compile == "yes" else model


def wait_for_device(args):
    if args.device == "cuda":
        torch.cuda.synchronize()


def steps(args, model):
    """Yields after each step."""
    loader = make_loader(args)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    epoch = 0
    while True:
        loader.sampler.set_epoch(epoch)
        for images, labels in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(images.to(args.device)), labels.to(args.device)).backward()
            optimizer.step()
            yield
        epoch += 1


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
