"""What a submission to Slurm costs: `ddpsubmit run --detach --no-preflight`, bare `sbatch` of the same script, and submitit.

Whole processes, interpreter included; the jobs are held, so that nothing of them runs. The Slurm is that of tests/rig.
"""

import subprocess

from harness.bench import PYTHON_SIDE, in_turns
from harness.our_run import newest_run, write_config
from harness.rows import Comparison, Goal
from harness.slurm import NODES, RESOURCES, job_of

OURS = "ddpsubmit run"
BARE = "sbatch"
PEER = "submitit"
RIG = ["tests/rig/slurm_rig", "with", "--nodes", str(NODES), "--"]
SUBMITS = 40
MISSED = ("more than a third of it is sbatch itself; the rest is the start of a process, the files of the run, and the fsync of what is about to be submitted, "
          "without which a crash could leave a job that nobody knows of. Where the CPU or the disk is slow, these grow more than the peer's Python.")


def measure(bench):
    config = write_config(bench.folder, "held", "slurm", resources=RESOURCES, command=["true"], slurm={"options": {"hold": ""}})

    def ours(_turn):
        done = bench.run(bench.ddpsubmit, "run", config, "--detach", "--no-preflight")
        cancel(job_of(bench.folder / "runs" / done.stdout))
        return done.seconds

    def of_id(*argv):
        def submit(_turn):
            done = bench.run(*argv)
            cancel(done.stdout)
            return done.seconds

        return submit

    ours(0)
    taken = in_turns(bench, {BARE: of_id(BARE, "--parsable", newest_run(bench.folder) / "script.sbatch"), OURS: ours,
                             PEER: of_id(bench.python, PYTHON_SIDE / "submit_peer.py", "hold", bench.folder / "peer")}, max(bench.turns, SUBMITS))
    what = "submit of a job to Slurm, the command"
    return [Comparison(what, "ms", milliseconds(taken[OURS]), PEER, milliseconds(taken[PEER]), goal=Goal("speedup", 10, MISSED), headline=True),
            Comparison(what, "ms", milliseconds(taken[OURS]), BARE, milliseconds(taken[BARE]), ratio="share", goal=Goal("share", 3), headline=True)]


def cancel(job):
    subprocess.run(["scancel", job], check=True)


def milliseconds(seconds):
    return [1000 * each for each in seconds]
