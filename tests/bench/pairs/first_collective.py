"""The time from submission to the end of the first collective operation, on two nodes of a Slurm cluster: the same training, started with ddpsubmit
and with submitit.

For ddpsubmit the time ends when ddptrain reports its first step. For Python DDP under submitit it ends when the gradients of the first step are
all-reduced. The Slurm controller looks at its queue once a second, so that up to a second is chance. The submissions of each side are therefore
spread evenly over a second. The second row counts from the moment when the nodes are allocated, according to the log of the controller.
"""

import time

from fashion_mnist import write_fashion_mnist
from harness.bench import PYTHON_SIDE, column, in_turns, wait_for
from harness.our_run import fashion_mnist, train_section, write_config
from harness.rows import Comparison, Goal
from harness.slurm import NODES, RESOURCES, job_of, queue_is_empty, started_at

OURS = "ddpsubmit run"
MISSED = ("the Slurm controller looks at its queue once a second. This costs both sides half a second on average, which is most of the time of ddpsubmit, and which "
          "ddpsubmit cannot change. The next row of the table shows the ratio after Slurm has allocated the nodes.")
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

    return [compare("from submission to the first collective operation, 2 Slurm nodes", "whole", goal=Goal("speedup", 4, MISSED), headline=True),
            compare("of this, after Slurm has allocated the nodes", "after the nodes")]
