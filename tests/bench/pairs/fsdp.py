"""Time and memory of a training step whose parameters, gradients and optimizer states are divided among the ranks: `strategy: fsdp`, compared with
Python's FSDP2 (`fully_shard`). For scale, `strategy: ddp` and Python's DistributedDataParallel are measured in the same turns, and on 4 ranks
`shard_optimizer` and `strategy: hsdp` with groups of 2 ranks.

The model is a stack of transformer blocks (tests/peers/blocks.py, tests/distributed/blocks_trainer.cpp), on random images. Each block is a group, and
`reshard_after_forward` is on. Adam is fused on both sides, and DDP's gradients are views of its buckets. Each rank has one thread. Ranks beyond the
number of CPUs share them. Each run has three parts of equal length: steps that warm up, steps that are timed, and steps in which the PSS of each rank
is read from outside, by the same code for both sides. So reading it does not slow down the steps that are timed.

Memory is the PSS of all ranks together or of the largest rank. It is the highest of the readings, or their median where the row says so. With Adam in
fp32 a parameter takes 16 bytes: the parameter, its gradient and two moments. So the ideal of sharding is 16 P / N bytes per rank, for P parameters on
N ranks, and 16 P together; with DDP it is 16 P per rank. What comes on top are the libraries, the activations, and the block that is whole at the
moment; neither side prefetches the next one on the CPUs of one host. Step times come closer together with larger blocks and batches, since both sides
then compute the same matrix products for a longer part of the step.
"""

import json
import shutil
import sys

from harness.bench import PYTHON_SIDE, column, in_turns
from harness.memory import PssLooks
from harness.our_run import metrics, on_this_machine, train_section, write_config
from harness.rows import Comparison, Goal

MODEL = {"width": 1024, "depth": 8, "heads": 16}
DATA = {"name": "synthetic", "samples": 1000, "features": 784, "num_classes": 10}
BATCH_SIZE = 4
RANKS = (2, 4)
PART = 3  # steps of each of the three parts
STEPS = 3 * PART + 1  # one more, so that the end of a training, with its checkpoint, is in none of the parts
LOOK_PAUSE, LOOK_SHARE = 0.05, 0.5  # of the readings: the steps meanwhile are not timed
TURNS = 3
STATE_BYTES = 16  # of a parameter: value, gradient, two moments
WHOLE_BLOCKS, REST_MIB = 4, 110  # the goal: on top of the states of its rows, a rank has so many blocks, and libraries, activations and code
LONGEST = 600  # seconds of the ranks of the Python side

# For the README.
NOTE = ("With `strategy: fsdp`, parameters, gradients and optimizer states are divided among the ranks. With Adam they take 16 bytes per parameter, on all "
        "ranks together. The libraries, the activations and the block that is whole at the moment come on top.")

OURS = {"ddp": {"strategy": "ddp"},
        "fsdp": {"strategy": "fsdp", "fsdp": {"reshard_after_forward": True}}}
BETWEEN = {"shard_optimizer": {"strategy": "ddp", "ddp": {"shard_optimizer": True}},
           "hsdp": {"strategy": "hsdp", "hsdp": {"shard": 2, "reshard_after_forward": True}}}
BETWEEN_RANKS = 4
STRATEGIES = {**OURS, **BETWEEN}
PEERS = {"Python DDP": "ddp", "Python FSDP2": "fsdp"}


def measure(bench):
    sides = {}
    for ranks in RANKS:
        for name in STRATEGIES if ranks == BETWEEN_RANKS else OURS:
            sides[name, ranks] = side(bench, ranks, name, ours)
        for name in PEERS:
            sides[name, ranks] = side(bench, ranks, name, theirs)
    taken = in_turns(bench, sides, min(bench.turns, TURNS), warm_up=[])
    return [row for ranks in RANKS for row in rows(ranks, {name: values for (name, on), values in taken.items() if on == ranks})]


def side(bench, ranks, name, train):
    """`train`: runs the side `name` to its end, in a folder where it leaves its records."""
    def measured(turn):
        folder = bench.folder / f"{ranks}-ranks" / name.replace(" ", "-") / str(turn)
        folder.mkdir(parents=True)
        with PssLooks(folder, lambda: is_in_last_part(folder), LOOK_PAUSE, LOOK_SHARE) as looks:
            train(bench, ranks, name, folder)
        if not looks.looks:
            sys.exit(f"{name}: the last part was over before the memory was read")
        facts = step_facts(folder)
        shutil.rmtree(folder)  # a checkpoint is large
        return {**facts, "all": looks.highest_sum(), "largest": looks.highest_rank(), "median": looks.median_sum()}

    return measured


def ours(bench, ranks, name, folder):
    bench.run(bench.ddpsubmit, "run", write_config(folder, "fsdp", resources=on_this_machine(ranks), train=train_section(
        {"name": "blocks", **MODEL}, {**DATA, "batch_size": BATCH_SIZE}, STEPS, program=str(bench.bin / "blocks_trainer"), log={"every_steps": PART}, **STRATEGIES[name])))


def theirs(bench, ranks, name, folder):
    bench.python_ranks(ranks, PYTHON_SIDE / "fsdp_peer.py", "--strategy", PEERS[name], "--model", json.dumps(MODEL), "--batch-size", BATCH_SIZE,
                       "--every", PART, "--steps", STEPS, "--folder", folder, longest=LONGEST)


def records(folder):
    """By their last step."""
    return {record["step"]: record for run in folder.glob("runs/*") for record in metrics(run, "train")}


def is_in_last_part(folder):
    return max(records(folder), default=0) == 2 * PART


def step_facts(folder):
    """Of the part that is timed; only the Python side counts its parameters, and those of its largest block."""
    record = records(folder)[2 * PART]
    return {"ms": 1000 * record["samples"] / record["samples_per_second"] / PART, "parameters": record.get("parameters"), "block": record.get("block")}


def rows(ranks, taken):
    """Of one number of ranks. `taken`: of each side, what it has returned in each turn."""
    size = f"{taken['Python FSDP2'][0]['parameters'] / 1e6:.0f} M parameters, {ranks} ranks"
    together, largest = "memory of all ranks (PSS)", "memory of the largest rank (PSS)"

    def times(name, peer, label=None, **more):
        return Comparison(f"training step with {name}, {size}", "ms", column(taken[name], "ms"), label or peer, column(taken[peer], "ms"), **more)

    def memory(key, words, name, peer, label=None, **more):
        return Comparison(f"{words} with {name}, {size}", "MiB", column(taken[name], key), label or peer, column(taken[peer], key), ratio="share", **more)

    def formula():
        goals = [(STATE_BYTES * value["parameters"] / ranks + WHOLE_BLOCKS * 4 * value["block"]) / 2**20 + REST_MIB for value in taken["Python FSDP2"]]
        return Comparison(f"{largest} with fsdp, {size}", "MiB", column(taken["fsdp"], "largest"),
                          f"16 P / {ranks} + {WHOLE_BLOCKS} blocks + {REST_MIB} MiB", goals, ratio="share", goal=Goal("share", 1))

    def between(name):
        return [times(name, "ddp", "strategy ddp"), memory("largest", largest, name, "ddp", "strategy ddp")]

    return [times("fsdp", "Python FSDP2", goal=Goal("speedup", 1.25), headline=True),
            times("ddp", "Python DDP"),
            times("fsdp", "ddp", "strategy ddp"),
            memory("largest", largest, "fsdp", "Python FSDP2", goal=Goal("share", 0.7), headline=True),
            memory("all", together, "fsdp", "Python FSDP2"),
            memory("median", "memory of all ranks (PSS), median of a step,", "fsdp", "Python FSDP2"),
            memory("largest", largest, "ddp", "Python DDP"),
            memory("largest", largest, "fsdp", "ddp", "strategy ddp"),
            formula(),
            *[row for name in BETWEEN if ranks == BETWEEN_RANKS for row in between(name)]]
