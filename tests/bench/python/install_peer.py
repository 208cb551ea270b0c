"""README's first run as people write it with submitit: a job on this machine whose two ranks train, evaluate after each epoch, and save."""

import argparse
from pathlib import Path

import submitit

RANKS, EPOCHS, SAMPLES, FEATURES, CLASSES, BATCH = 2, 5, 4096, 784, 10, 64


def train(saved):
    """A rank. torch is imported here, so that the process that submits need not."""
    import torch
    import torch.distributed as dist
    import torch.nn.functional as F
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel
    from torch.utils.data import DataLoader, TensorDataset
    from torch.utils.data.distributed import DistributedSampler

    environment = submitit.helpers.TorchDistributedEnvironment().export(set_cuda_visible_devices=False)
    dist.init_process_group("gloo")
    torch.manual_seed(42)
    centres = 2 * torch.rand(CLASSES, FEATURES) - 1

    def loader_of(shuffle):
        targets = torch.arange(SAMPLES) % CLASSES
        data = TensorDataset(centres[targets] + 2 * torch.rand(SAMPLES, FEATURES) - 1, targets)
        return DataLoader(data, batch_size=BATCH, sampler=DistributedSampler(data, seed=42, shuffle=shuffle))

    def evaluate():
        sums = torch.zeros(3, dtype=torch.float64)
        with torch.no_grad():
            for inputs, targets in tests:
                logits = model(inputs)
                sums += torch.tensor([F.cross_entropy(logits, targets, reduction="sum"), (logits.argmax(1) == targets).sum(), len(targets)])
        dist.all_reduce(sums)
        return sums[0] / sums[2], sums[1] / sums[2]

    trainings, tests = loader_of(True), loader_of(False)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(FEATURES, 128), nn.ReLU(), nn.Linear(128, CLASSES)))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    for epoch in range(EPOCHS):
        trainings.sampler.set_epoch(epoch)
        for inputs, targets in trainings:
            optimizer.zero_grad()
            F.cross_entropy(model(inputs), targets).backward()
            optimizer.step()
        loss, accuracy = evaluate()
        if environment.rank == 0:
            print(f"epoch {epoch + 1}  test loss {loss:.4f}  test accuracy {accuracy:.4f}")
    if environment.rank == 0:
        torch.save({"model": model.module.state_dict(), "optimizer": optimizer.state_dict()}, saved)
    dist.destroy_process_group()
    return accuracy.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, help="what submitit writes goes there, and model.pt")
    args = parser.parse_args()
    executor = submitit.LocalExecutor(folder=args.folder)
    executor.update_parameters(tasks_per_node=RANKS, timeout_min=10)
    print(executor.submit(train, args.folder / "model.pt").results()[0])


if __name__ == "__main__":
    main()
