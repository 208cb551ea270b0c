"""How the trainings of the benchmarks write a checkpoint: it appears as a whole."""

import os

import torch


def save(path, **state):
    torch.save(state, f"{path}.new")
    os.replace(f"{path}.new", path)
