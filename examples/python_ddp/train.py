"""A DistributedDataParallel training that may be stopped, killed or restarted at any step, and ends with the bytes of one that was not.

It runs under torchrun, too: where ddpsubmit has not started it, the functions of ddpsubmit do nothing.
"""
import os

import ddpsubmit
import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

EPOCHS, STEPS_PER_EPOCH, BATCH_SIZE = int(os.environ.get("EPOCHS", "3")), 100, 32
SAVE_EVERY = 25  # steps


def main():
    device = torch.device("cuda", ddpsubmit.job().local_rank) if torch.cuda.is_available() else torch.device("cpu")
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(1)
    samples = torch.randn(ranks * BATCH_SIZE * STEPS_PER_EPOCH, 20)
    labels = (samples.sum(1) > 0).long()
    model = torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2)).to(device)
    model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    checkpoint = ddpsubmit.job().output_dir / "checkpoint.pt"  # outlives restarts, requeues and `ddpsubmit rerun`
    done = load(checkpoint, model, optimizer)
    total = EPOCHS * STEPS_PER_EPOCH
    for step in range(done + 1, total + 1):
        epoch, batch = divmod(step - 1, STEPS_PER_EPOCH)
        if batch == 0 or step == done + 1:
            order = torch.randperm(len(samples), generator=torch.Generator().manual_seed(epoch))[rank::ranks]
        chosen = order[batch * BATCH_SIZE : (batch + 1) * BATCH_SIZE]
        optimizer.zero_grad()
        loss = cross_entropy(model(samples[chosen].to(device)), labels[chosen].to(device))
        loss.backward()
        optimizer.step()

        ddpsubmit.step(step, total)
        if step % 10 == 0:
            ddpsubmit.log(loss=loss.item(), epoch=epoch + 1)
        stop = ddpsubmit.should_stop()  # at the same step on all ranks
        if rank == 0 and (stop or step % SAVE_EVERY == 0 or step == total):
            save(checkpoint, step, model, optimizer)
        if stop:
            ddpsubmit.stop_here()
    dist.destroy_process_group()


def save(path, step, model, optimizer):
    with ddpsubmit.phase("checkpoint"):
        torch.save({"done": step, "model": model.module.state_dict(), "optimizer": optimizer.state_dict()}, f"{path}.new")
        os.replace(f"{path}.new", path)  # a kill leaves the old one or the new one


def load(path, model, optimizer):
    """The step that the checkpoint was written after; 0: there is none."""
    if not path.exists():
        return 0
    state = torch.load(path, map_location="cpu")
    model.module.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["done"]


if __name__ == "__main__":
    main()
