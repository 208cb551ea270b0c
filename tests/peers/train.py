"""Distributed training as people write it in Python: torchvision's data, DataLoader, DistributedSampler, DistributedDataParallel or FSDP2.

Nothing in here knows of ddptrain; it runs under torchrun, and under ddpsubmit's `command:`.
"""

import argparse
import json
import os
from contextlib import nullcontext
from itertools import islice
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
from torchvision import transforms
from torchvision.datasets import FashionMNIST

from models import MODELS
from sharded import DTYPES, shard_model, whole


def matrices_decayed(parameters, weight_decay):
    """Neither biases nor norms."""
    parameters = list(parameters)
    return [{"params": [parameter for parameter in parameters if parameter.dim() >= 2], "weight_decay": weight_decay},
            {"params": [parameter for parameter in parameters if parameter.dim() < 2], "weight_decay": 0.0}]


OPTIMIZERS = {
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=0.001),
    "adam_decay": lambda parameters: torch.optim.Adam(parameters, lr=0.002, betas=(0.8, 0.99), eps=1e-6, weight_decay=0.01),
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=0.1),
    "decayed_momentum": lambda parameters: torch.optim.SGD(parameters, lr=0.05, momentum=0.9, weight_decay=0.01),
    "momentum": lambda parameters: torch.optim.SGD(parameters, lr=0.05, momentum=0.9),
    "nesterov": lambda parameters: torch.optim.SGD(parameters, lr=0.05, momentum=0.9, weight_decay=0.0005, nesterov=True),
    "adamw": lambda parameters: torch.optim.AdamW(parameters, lr=0.001),
    "fused_adam": lambda parameters: torch.optim.Adam(parameters, lr=0.001, weight_decay=0.01, fused=True),
    "fused_adamw": lambda parameters: torch.optim.AdamW(parameters, lr=0.001, fused=True),
    "fused_sgd": lambda parameters: torch.optim.SGD(parameters, lr=0.05, momentum=0.9, weight_decay=0.0005, nesterov=True, fused=True),
    "adam_matrices": lambda parameters: torch.optim.Adam(matrices_decayed(parameters, 0.01), lr=0.001),
    "adamw_matrices": lambda parameters: torch.optim.AdamW(matrices_decayed(parameters, 0.1), lr=0.001),
    "nesterov_matrices": lambda parameters: torch.optim.SGD(matrices_decayed(parameters, 0.01), lr=0.05, momentum=0.9, nesterov=True),
    "fused_adamw_matrices": lambda parameters: torch.optim.AdamW(matrices_decayed(parameters, 0.1), lr=0.001, fused=True),
}


def parse_args(arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", help="the folder that holds FashionMNIST/raw")
    parser.add_argument("--tensors", help="in its place: a file of images and labels")
    parser.add_argument("--model", choices=MODELS, default="mlp")
    parser.add_argument("--optimizer", choices=OPTIMIZERS, default="adam")
    parser.add_argument("--strategy", choices=["ddp", "fsdp", "hsdp"], default="ddp")
    parser.add_argument("--shard", type=int, default=2, help="hsdp: ranks that hold one copy of the parameters")
    parser.add_argument("--no-reshard", action="store_true", help="blocks stay whole from forward to backward")
    parser.add_argument("--param-dtype", choices=DTYPES, default="fp32", help="of whole parameters, when they are sharded")
    parser.add_argument("--reduce-dtype", choices=DTYPES, default="fp32", help="of the sums of their gradients")
    parser.add_argument("--accumulate", type=int, default=1, help="batches of a rank in a step")
    parser.add_argument("--schedule", choices=["cosine"])
    parser.add_argument("--warmup-steps", type=int, default=1)
    parser.add_argument("--clip-grad-norm", type=float)
    parser.add_argument("--label-smoothing", type=float, default=0.0)
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--channels-last", action="store_true")
    parser.add_argument("--deterministic", action="store_true", help="on a GPU it needs CUBLAS_WORKSPACE_CONFIG=:4096:8")
    parser.add_argument("--batch-size", type=int, default=64, help="per rank")
    parser.add_argument("--max-steps", type=int, required=True)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--save", required=True, help="where rank 0 writes the parameters")
    parser.add_argument("--save-optimizer", help="where it writes the state of the optimizer")
    parser.add_argument("--save-accuracies", help="where it writes the test accuracy after each epoch")
    return parser.parse_args(arguments)


def make_schedule(args, optimizer):
    if args.schedule is None:
        return torch.optim.lr_scheduler.ConstantLR(optimizer, factor=1)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.1, total_iters=args.warmup_steps)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.max_steps - args.warmup_steps)
    return torch.optim.lr_scheduler.SequentialLR(optimizer, [warmup, cosine], milestones=[args.warmup_steps])


def load_data(args):
    """Training and test data."""
    if args.tensors:
        data = TensorDataset(*torch.load(args.tensors, weights_only=True))
        return data, data
    transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.2860,), (0.3530,))])
    return FashionMNIST(args.data, train=True, transform=transform), FashionMNIST(args.data, train=False, transform=transform)


@torch.no_grad()
def evaluate(model, loader, device):
    model.eval()
    correct = sum((model(images.to(device)).argmax(1) == labels.to(device)).sum().item() for images, labels in loader)
    model.train()
    return correct / len(loader.dataset)


def distribute(model, args):
    return DistributedDataParallel(model) if args.strategy == "ddp" else shard_model(model, args)


def sync_gradients(model, now):
    """A context for a forward and a backward pass: do the ranks exchange gradients in it?"""
    if not isinstance(model, DistributedDataParallel):
        model.set_requires_gradient_sync(now)
    elif not now:
        return model.no_sync()
    return nullcontext()


def backward(model, batches, args):
    """The gradient of the mean loss of these batches."""
    for i, (images, labels) in enumerate(batches):
        images, labels = images.to(args.device, memory_format=memory_format_of(args)), labels.to(args.device)
        with sync_gradients(model, now=i + 1 == len(batches)):
            with torch.autocast(args.device, torch.bfloat16, enabled=args.bf16):
                loss = F.cross_entropy(model(images), labels, label_smoothing=args.label_smoothing)
            (loss / len(batches)).backward()


def memory_format_of(args):
    return torch.channels_last if args.channels_last else torch.contiguous_format


def save_optimizer(optimizer, module, path):
    """As ddptrain names its parts."""
    state = {f"{name}.{part}": whole(tensor) for name, parameter in module.named_parameters()
             for part, tensor in optimizer.state.get(parameter, {}).items()}
    if dist.get_rank() == 0:
        torch.save(state, path)


def train(args):
    """In the default process group."""
    torch.use_deterministic_algorithms(args.deterministic)
    torch.manual_seed(args.seed)
    train_data, test_data = load_data(args)
    sampler = DistributedSampler(train_data, seed=args.seed)
    train_loader = DataLoader(train_data, batch_size=args.batch_size, sampler=sampler)
    test_loader = DataLoader(test_data, batch_size=args.batch_size)

    module = MODELS[args.model]().to(args.device, memory_format=memory_format_of(args))
    model = distribute(module, args)
    optimizer = OPTIMIZERS[args.optimizer](model.parameters())
    schedule = make_schedule(args, optimizer)

    accuracies = []
    step = epoch = 0
    while step < args.max_steps:
        sampler.set_epoch(epoch)
        batches = iter(train_loader)
        while step < args.max_steps and (of_step := list(islice(batches, args.accumulate))):
            optimizer.zero_grad()
            backward(model, of_step, args)
            if args.clip_grad_norm:
                torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip_grad_norm)
            optimizer.step()
            schedule.step()
            step += 1
        epoch += 1
        if step < args.max_steps:
            # All ranks go through the same batches: for a sharded model each forward pass is a collective operation.
            accuracies.append(evaluate(module, test_loader, args.device))
            if dist.get_rank() == 0:
                print(f"epoch {epoch}  test accuracy {accuracies[-1]:.4f}", flush=True)

    if args.save_optimizer:
        save_optimizer(optimizer, module, args.save_optimizer)
    state = {name: whole(tensor) for name, tensor in module.state_dict().items()}
    if dist.get_rank() == 0:
        torch.save(state, args.save)
        if args.save_accuracies:
            Path(args.save_accuracies).write_text(json.dumps(accuracies))


def main():
    args = parse_args()
    dist.init_process_group("nccl" if args.device == "cuda" else "gloo")
    if args.device == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    train(args)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
