"""A Python program that runs under `command:`.

First, the start: the time from the command to its end. The program is a Python that imports nothing, so that the cost of ddpsubmit is visible. The
baseline is the same program with its environment variables set by hand. Second, the recovery: a random one of two ranks of a DistributedDataParallel
script is killed at a random step, under `ddpsubmit run` and under torchrun. Timed is the end of the next step; most of that time is `import torch`.
Third, the time that one call each of ddpsubmit.step() and should_stop() takes in a rank.
"""

import random

from fashion_mnist import write_fashion_mnist
from harness.bench import PYTHON_SIDE, REPOSITORY, column, in_turns
from harness.killed_rank import SCRIPT, kill_at, make_notes, script_arguments, torchrun_turn, write_images
from harness.our_run import newest_run, on_this_machine, write_config
from harness.rows import Comparison, Goal

OURS = "ddpsubmit run"
BARE = "the bare program"
PEER = "torchrun --max-restarts"
RANKS = 2
BATCH_SIZE = 64
CHECKPOINT_EVERY = 50  # steps
FIRST, LAST = 60, 150  # the step after which a rank is killed
PATIENCE = 60  # seconds for a step after the kill
CALLS = 1_000_000  # of step() and should_stop()


def measure(bench):
    return [*measure_start(bench), *measure_recovery(bench), *measure_step(bench)]


def measure_start(bench):
    argv = [bench.python, "-S", "-c", ""]
    config = write_config(bench.folder, "empty", resources=on_this_machine(1), command=[str(word) for word in argv])
    by_hand = {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "LOCAL_WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}
    taken = in_turns(bench, {OURS: lambda _turn: bench.run(bench.ddpsubmit, "run", config).seconds * 1e3,
                             BARE: lambda _turn: bench.run(*argv, **by_hand).seconds * 1e3}, turns=3 * bench.turns)
    added = [ours - bare for ours, bare in zip(taken[OURS], taken[BARE])]
    return [Comparison("Python program that imports nothing, from the command to its end", "ms", taken[OURS], BARE, taken[BARE], ratio="share"),
            Comparison("time that `ddpsubmit run` adds to it", "ms", added, BARE, taken[BARE], ratio="none", goal=Goal("below", 60))]


def measure_recovery(bench):
    write_images(bench, write_fashion_mnist(bench.folder))
    random.seed(42)
    steps = [random.randint(FIRST, LAST) for _ in range(bench.turns + 1)]
    taken = in_turns(bench, {OURS: lambda turn: our_turn(bench, steps[turn]),
                             PEER: lambda turn: torchrun_turn(bench, RANKS, steps[turn], PATIENCE, BATCH_SIZE, CHECKPOINT_EVERY)})
    mine, theirs = taken[OURS], taken[PEER]
    return [Comparison(f"from kill -9 of one of {RANKS} Python ranks to the end of the next step", "s", column(mine, "next step"), PEER, column(theirs, "next step"),
                       goal=Goal("speedup", 1.0), headline=True, patience=PATIENCE),
            Comparison(f"from kill -9 of one of {RANKS} Python ranks to the end of the other rank", "s", column(mine, "gone"), PEER, column(theirs, "gone"),
                       patience=PATIENCE)]


def our_turn(bench, step):
    notes = make_notes(bench)
    argv = [bench.python, SCRIPT, *script_arguments(bench, notes, BATCH_SIZE, CHECKPOINT_EVERY)]
    config = write_config(notes, "killed", resources=on_this_machine(RANKS), fault_tolerance={"max_restarts": 3, "grace_period": "1s"},
                          command=[str(word) for word in argv])
    bench.run(bench.ddpsubmit, "run", config, "--detach")
    try:
        return kill_at(notes, step, PATIENCE)
    finally:
        bench.run(bench.ddpsubmit, "cancel", newest_run(notes).name)


def measure_step(bench):
    """In a rank of a real run."""
    config = write_config(bench.folder, "steps", resources=on_this_machine(1), environment={"set": {"PYTHONPATH": str(REPOSITORY / "python")}},
                          command=[str(bench.python), str(PYTHON_SIDE / "step_cost.py"), str(CALLS)])

    def ours(_turn):
        bench.run(bench.ddpsubmit, "run", config)
        return float((newest_run(bench.folder) / "logs/attempt-0/rank-0.out").read_text())

    taken = in_turns(bench, {"step and should_stop": ours})
    return [Comparison("one call each of ddpsubmit.step() and should_stop()", "µs", taken["step and should_stop"], "nothing", [None] * bench.turns, goal=Goal("below", 2))]
