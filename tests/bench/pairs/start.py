"""The time from the command to its end for a training of 1 step on 2 ranks, with `ddpsubmit run` and with torchrun.

Both sides write the parameters at the end. The Python script imports torch and nothing else, which makes its start as fast as possible.
"""

from fashion_mnist import write_fashion_mnist
from harness.bench import PYTHON_SIDE, in_turns
from harness.our_run import fashion_mnist, on_this_machine, train_section, write_config
from harness.rows import Comparison, Goal

OURS = "ddpsubmit run"
PEER = "torchrun"


def measure(bench):
    raw = write_fashion_mnist(bench.folder)
    config = write_config(bench.folder, "start", resources=on_this_machine(2), train=train_section("mlp", fashion_mnist(raw), 1))

    theirs = bench.torchrun(2, PYTHON_SIDE / "start_step.py", "--data", bench.folder, "--max-steps", 1, "--save", bench.folder / "model.pt")
    taken = in_turns(bench, {OURS: lambda _turn: bench.run(bench.ddpsubmit, "run", config).seconds, PEER: lambda _turn: bench.run(*theirs).seconds})
    return [Comparison("training of 1 step on 2 ranks, from the command to its end", "s", taken[OURS], PEER, taken[PEER], goal=Goal("speedup", 8), headline=True)]
