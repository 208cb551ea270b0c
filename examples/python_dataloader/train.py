"""A DistributedDataParallel training with DataLoader workers and an evaluation after each epoch, which resumes within an epoch."""
import itertools
import os

import ddpsubmit
import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

ddpsubmit.protect_workers()  # when Slurm stops a job, it sends SIGTERM to the workers, too

EPOCHS, BATCH_SIZE = int(os.environ.get("EPOCHS", "3")), 32
SAVE_EVERY = 25  # steps


class Points(Dataset):
    """A sample is computed by the worker that is asked for it, as others read and decode a file."""

    def __init__(self, size, seed):
        self.size, self.seed = size, seed

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        point = torch.randn(20, generator=torch.Generator().manual_seed(self.seed + index))
        return point, (point.sum() > 0).long()


class ResumableSampler(DistributedSampler):
    """Leaves out the first samples of an epoch: those that were used before a restart. No worker loads them."""

    skipped = 0

    def __iter__(self):
        return itertools.islice(super().__iter__(), self.skipped, None)


def main():
    device = torch.device("cuda", ddpsubmit.job().local_rank) if torch.cuda.is_available() else torch.device("cpu")
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    train_data, test_data = Points(6400, seed=0), Points(640, seed=10**6)
    sampler = ResumableSampler(train_data, seed=1)
    workers = {"num_workers": 2, "persistent_workers": True}
    train_loader = DataLoader(train_data, BATCH_SIZE, sampler=sampler, **workers)
    test_loader = DataLoader(test_data, BATCH_SIZE, sampler=DistributedSampler(test_data, shuffle=False), **workers)
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2)).to(device)
    model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    checkpoint = ddpsubmit.job().output_dir / "checkpoint.pt"  # kept over restarts, requeues and `ddpsubmit rerun`
    step = load(checkpoint, model, optimizer, device)
    steps_per_epoch = len(train_loader)
    total = EPOCHS * steps_per_epoch
    for epoch in range(max(step - 1, 0) // steps_per_epoch, EPOCHS):
        sampler.set_epoch(epoch)
        sampler.skipped = (step - epoch * steps_per_epoch) * BATCH_SIZE
        for samples, labels in train_loader:
            optimizer.zero_grad()
            loss = cross_entropy(model(samples.to(device)), labels.to(device))
            loss.backward()
            optimizer.step()

            step += 1
            ddpsubmit.step(step, total)
            if step % 10 == 0:
                ddpsubmit.log(loss=loss.item(), epoch=epoch + 1)
            stop = ddpsubmit.should_stop()  # at the same step on all ranks
            if dist.get_rank() == 0 and (stop or step % SAVE_EVERY == 0 or step == total):
                save(checkpoint, step, model, optimizer)
            if stop:
                ddpsubmit.stop_here()
        with ddpsubmit.phase("evaluate"):
            ddpsubmit.log(accuracy=evaluate(model, test_loader, device))
    dist.destroy_process_group()


@torch.no_grad()
def evaluate(model, loader, device):
    """The share of samples that are classified correctly, over all ranks."""
    counts = torch.zeros(2, device=device)
    for samples, labels in loader:
        right = model.module(samples.to(device)).argmax(1) == labels.to(device)
        counts += torch.tensor([right.sum().item(), len(labels)], device=device)
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()


def save(path, step, model, optimizer):
    with ddpsubmit.phase("checkpoint"):
        torch.save({"done": step, "model": model.module.state_dict(), "optimizer": optimizer.state_dict()}, f"{path}.new")
        os.replace(f"{path}.new", path)  # if killed here, the old or the new file is complete


def load(path, model, optimizer, device):
    """Rank 0 loads the checkpoint and broadcasts it. Returns the number of finished steps; 0 without a checkpoint."""
    message = [torch.load(path, map_location="cpu") if dist.get_rank() == 0 and path.exists() else None]
    dist.broadcast_object_list(message, device=device)
    state, = message
    if state is None:
        return 0
    model.module.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["done"]


if __name__ == "__main__":
    main()
