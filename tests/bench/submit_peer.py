"""A submission by submitit, for submit_bench: prints the job's id."""

import argparse
from pathlib import Path

import submitit


def all_reduce(mark):
    """The first collective of a torch program, as submitit's documents set it up."""
    import os

    environment = submitit.helpers.TorchDistributedEnvironment().export()
    import torch
    import torch.distributed as dist

    os.environ.setdefault("GLOO_SOCKET_IFNAME", "eth0")
    dist.init_process_group("gloo")
    value = torch.ones(1)
    dist.all_reduce(value)
    if environment.rank == 0 and value.item() == environment.world_size:
        Path(mark).touch()
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["hold", "reduce"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mark", type=Path)
    args = parser.parse_args()
    executor = submitit.SlurmExecutor(folder=args.folder)
    executor.update_parameters(nodes=2, ntasks_per_node=1, cpus_per_task=1, time=10)
    if args.what == "hold":
        executor.update_parameters(additional_parameters={"hold": True})
    job = executor.submit(all_reduce, args.mark)
    print(job.job_id)


if __name__ == "__main__":
    main()
