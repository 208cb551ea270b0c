"""From the command to its end: 2 ranks and 1 step, with `ddpsubmit run` and with torchrun.

Both write the parameters at the end. Python imports torch and nothing more, which makes its start as short as it can be.
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
    return [Comparison("2 ranks × 1 step of mlp, from the command to its end", "s", taken[OURS], PEER, taken[PEER], goal=Goal("speedup", 8), headline=True)]
