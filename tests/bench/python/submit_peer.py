"""A submission by submitit; prints the job's id."""

import argparse
from pathlib import Path

import submitit

HERE = Path(__file__).resolve().parent


def join():
    """The environment of a torch program, as submitit's documents set it up; whether this is rank 0."""
    import os

    environment = submitit.helpers.TorchDistributedEnvironment().export()
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "eth0")
    return environment.rank == 0


def train(args):
    """The training that ddptrain does: until the gradients of its first step are all-reduced."""
    import sys

    first = join()
    sys.path.insert(0, str(HERE))
    import start_step
    import torch.distributed as dist

    start_step.train(args.data, 1, args.mark.touch if first else lambda: None)
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["hold", "train"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mark", type=Path, help="the file to make when the collective is done")
    parser.add_argument("--data", type=Path, help="the folder that holds FashionMNIST/raw")
    args = parser.parse_args()
    executor = submitit.SlurmExecutor(folder=args.folder)
    executor.update_parameters(nodes=2, ntasks_per_node=1, cpus_per_task=1, time=10)
    if args.what == "hold":
        executor.update_parameters(additional_parameters={"hold": True})
    job = executor.submit(train, args)
    print(job.job_id)


if __name__ == "__main__":
    main()
