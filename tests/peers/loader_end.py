"""A rank with workers of a DataLoader: loader_end.py START_METHOD PROTECTION raise|return|stop."""
import sys

import ddpsubmit

METHOD, PROTECTION, ENDING = sys.argv[1:]
if PROTECTION == "all":
    ddpsubmit.protect_workers()

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
from torch.utils.data import DataLoader, TensorDataset  # noqa: E402


def main():
    ddpsubmit.should_stop()
    dist.init_process_group("gloo")
    initialize = ddpsubmit.worker_init if PROTECTION == "each" else None
    data = TensorDataset(torch.arange(40))
    loader = DataLoader(data, 4, num_workers=2, persistent_workers=True, multiprocessing_context=METHOD, worker_init_fn=initialize)
    step = 0
    while True:
        for _ in loader:
            step += 1
            dist.barrier()
            ddpsubmit.step(step)
            if step >= 2:  # each worker of each rank has given a batch, and is protected
                ddpsubmit.log(epoch=1)
            if ddpsubmit.should_stop():
                ddpsubmit.stop_here()
            if step == 3 and ENDING == "raise":
                raise ValueError("boom")
        if ENDING == "return":
            return dist.destroy_process_group()


if __name__ == "__main__":
    main()
