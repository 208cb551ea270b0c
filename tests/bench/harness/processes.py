"""Processes by what they are about, whoever has started them: ddpsubmit's outlive it, and those of torchrun are in sessions of their own."""

from pathlib import Path


def processes_about(folder):
    """For each process that has the folder in its words or its environment: where it is in /proc, and the environment, by name."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes()
            if bytes(folder) in environment + (process / "cmdline").read_bytes():
                yield process, dict(entry.partition(b"=")[::2] for entry in environment.split(b"\0"))
        except OSError:  # gone meanwhile
            continue
