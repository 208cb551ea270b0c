"""Processes by what they are about, whoever has started them: ddpsubmit's outlive it, and those of torchrun are in sessions of their own."""

from pathlib import Path


def processes_about(folder):
    """For each process that has the folder in its words or its environment: where it is in /proc, and the environment, by name."""
    for process in Path("/proc").glob("[0-9]*"):
        words, environment = (read_if_there(process / name) for name in ("cmdline", "environ"))
        if bytes(folder) in words + environment:
            yield process, dict(entry.partition(b"=")[::2] for entry in environment.split(b"\0"))


def read_if_there(file):
    """Empty where the process is gone meanwhile, or another user's."""
    try:
        return file.read_bytes()
    except OSError:
        return b""
