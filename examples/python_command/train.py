"""A DistributedDataParallel script written for torchrun; ddpsubmit starts its ranks instead of torchrun."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def main():
    dist.init_process_group("gloo")  # reads RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT
    torch.manual_seed(1)
    inputs = torch.randn(1000, 8)
    targets = inputs.sum(1, keepdim=True)
    mine = range(dist.get_rank(), len(inputs), dist.get_world_size())

    model = DistributedDataParallel(torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        for indices in torch.tensor(mine).split(50):
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(model(inputs[indices]), targets[indices])
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            print(f"epoch {epoch + 1}  loss {loss.item():g}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
