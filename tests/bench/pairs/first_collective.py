"""From the submit to the end of the first collective, on two nodes of a Slurm: the same training with ddpsubmit and with submitit.

Ours is over when ddptrain reports its first step, Python's DDP under submitit when the gradients of its first step are all-reduced. The controller looks at its queue once a second, so
that up to a second of it is chance: the submits of each side are spread evenly over a second, and the time from the moment in which the nodes
were given is a row of its own, from the controller's log.
"""

import time

from fashion_mnist import write_fashion_mnist
from harness.bench import PYTHON_SIDE, column, in_turns, wait_for
from harness.our_run import fashion_mnist, train_section, write_config
from harness.rows import Comparison, Goal
from harness.slurm import NODES, RESOURCES, job_of, queue_is_empty, started_at

OURS = "ddpsubmit run"
MISSED = ("the controller looks at its queue once a second: in the mean half a second, the same on both sides, is most of our time, and none of our doing. Once the nodes "
          "are given, the ratio is that of the row below.")
PEER = "submitit"
RIG = ["tests/rig/slurm_rig", "with", "--nodes", str(NODES), "--"]
QUEUE_PAUSE = 0.05  # seconds


def begin(turn, turns):
    """Each side's turns begin at the same moments of a second, spread evenly over it."""
    wait_for(queue_is_empty, pause=QUEUE_PAUSE)
    time.sleep((turn / turns - time.time()) % 1)
    return time.time()


def times(began, ended, job):
    queued = started_at(job) - began
    return {"whole": ended - began, "after the nodes": ended - began - queued}


def measure(bench):
    raw = write_fashion_mnist(bench.folder)
    config = write_config(bench.folder, "first", "slurm", resources=RESOURCES, train=train_section("mlp", fashion_mnist(raw), 1, log={"every_steps": 1}))

    def ours(turn):
        began = begin(turn, bench.turns)
        run = bench.folder / "runs" / bench.run(bench.ddpsubmit, "run", config, "--detach", "--no-preflight").stdout
        out = run / "logs/attempt-0/rank-0.out"
        wait_for(lambda: out.exists() and "step 1" in out.read_text())
        return times(began, time.time(), job_of(run))

    def theirs(turn):
        mark = bench.folder / f"mark.{turn}"
        began = begin(turn, bench.turns)
        job = bench.run(bench.python, PYTHON_SIDE / "submit_peer.py", "train", bench.folder / "peer", "--mark", mark, "--data", bench.folder).stdout
        wait_for(mark.exists)
        return times(began, time.time(), job)

    taken = in_turns(bench, {OURS: ours, PEER: theirs})
    wait_for(queue_is_empty, pause=QUEUE_PAUSE)

    def compare(what, key, **more):
        return Comparison(what, "s", column(taken[OURS], key), PEER, column(taken[PEER], key), **more)

    return [compare("submit → first collective on two nodes of a Slurm", "whole", goal=Goal("speedup", 4, MISSED), headline=True),
            compare("of that, once the nodes are given", "after the nodes")]
