"""Several trainings of train.py, one after another, in one start of the ranks: importing torch takes longer than most of them.

usage: train_all.py FILE: a JSON list of the arguments of each
"""

import json
import sys

import torch.distributed as dist

from train import parse_args, train

dist.init_process_group("gloo")
with open(sys.argv[1], encoding="utf-8") as trainings:
    for arguments in json.load(trainings):
        train(parse_args(arguments))
dist.destroy_process_group()
