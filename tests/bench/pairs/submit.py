"""The time of a submission to Slurm: `ddpsubmit run --detach --no-preflight`, compared with submitit, and with bare `sbatch` of the same script.

The whole process is timed, including the start of the interpreter. The jobs are held, so that they never start. The Slurm is that of tests/rig.
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
MISSED = ("more than a third of the time is sbatch itself. The rest is the start of a process, the files of the run folder, and the fsync of the submission record, "
          "without which a crash could leave an unknown job. On a slow CPU or disk these parts grow more than the Python of the baseline.")


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
    what = "command that submits a job to Slurm"
    return [Comparison(what, "ms", milliseconds(taken[OURS]), PEER, milliseconds(taken[PEER]), goal=Goal("speedup", 10, MISSED), headline=True),
            Comparison(what, "ms", milliseconds(taken[OURS]), BARE, milliseconds(taken[BARE]), ratio="share", goal=Goal("share", 3), headline=True)]


def cancel(job):
    subprocess.run(["scancel", job], check=True)


def milliseconds(seconds):
    return [1000 * each for each in seconds]
