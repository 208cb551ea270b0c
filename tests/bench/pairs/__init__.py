"""The table of pairs: one row a NAME of scripts/bench."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from . import checkpoint, evaluate, first_collective, fsdp, gpu, hosts, install, link, mpi, python, recovery, render, rendezvous, start, status, strategies, submit, train


def nothing():
    return None


def no_root():
    return None if os.geteuid() == 0 else "it takes root to bring up the hosts of tests/rig"


def no_wheels():
    return None if "VERSION_CODENAME=bookworm" in Path("/etc/os-release").read_text() else "wheels are made on Debian 12"


def no_gpu():
    return None if Path("/dev/nvidia0").exists() else "no NVIDIA GPU here"


def no_mpi():
    return None if Path(mpi.mpi_folder(), "bin/mpiexec").exists() else "no MPI is installed (scripts/mpi_venv)"


@dataclass(frozen=True)
class Pair:
    name: str
    title: str
    measure: Callable  # given a Bench, returns rows; its module says what is measured
    rig: list = field(default_factory=list)  # the words that start it within a rig
    lacks: Callable = nothing  # why it cannot be measured here; None: it can
    note: str = ""  # what the README says below its table, where it shows rows of the pair


# In the order in which they are measured. Submit is first: it makes a dozen files in a few milliseconds, and ext4 takes longer for that as long as
# it goes around inodes that were deleted within the last minutes, which all pairs leave.
PAIRS = [
    Pair("submit", "Submit to Slurm", submit.measure, submit.RIG, no_root),
    Pair("start", "Start", start.measure),
    Pair("first_collective", "Submission to first collective operation", first_collective.measure, first_collective.RIG, no_root),
    Pair("install", "Install and first run", install.measure, lacks=no_wheels),
    Pair("mlp", "Training: mlp", train.measure_mlp, note=train.NOTE),
    Pair("convnet", "Training: convnet", train.measure_convnet, note=train.NOTE),
    Pair("resnet18", "Training: resnet18", train.measure_resnet18, note=train.NOTE),
    Pair("evaluate", "Evaluation", evaluate.measure),
    Pair("recovery", "A rank is killed", recovery.measure),
    Pair("python", "Python programs", python.measure),
    Pair("checkpoint", "Checkpoints", checkpoint.measure),
    Pair("link", "Overlap of communication and computation", link.measure, link.RIG, no_root),
    Pair("strategies", "Strategies", strategies.measure),
    Pair("fsdp", "Sharded training (FSDP)", fsdp.measure, note=fsdp.NOTE),
    Pair("mpi", "Collectives over MPI", mpi.measure, lacks=no_mpi),
    Pair("hosts", "ssh hosts", hosts.measure, hosts.RIG, no_root),
    Pair("status", "Status of many runs", status.measure, status.RIG, no_root),
    Pair("render", "Parse and render", render.measure),
    Pair("rendezvous", "Rendezvous of many ranks", rendezvous.measure),
    Pair("gpu", "On a GPU", gpu.measure, lacks=no_gpu),
]
