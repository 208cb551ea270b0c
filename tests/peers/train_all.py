"""Several trainings of train.py, one after another, in one start of the ranks: importing torch takes longer than most of them.

usage: train_all.py FILE: a JSON list of the arguments of each
"""

import json
import os
import sys

import torch.distributed as dist

from train import parse_args, train

dist.init_process_group("gloo")
with open(sys.argv[1], encoding="utf-8") as trainings:
    for arguments in json.load(trainings):
        train(parse_args(arguments))
dist.destroy_process_group()
sys.stdout.flush()
os._exit(0)  # Gloo's threads are still there; one that needs Python while the interpreter ends aborts the process
